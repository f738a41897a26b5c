/* nn/op_prefix_attention.c - queries that see a shared prefix and their own tokens.
 *
 *   G groups of S windows of Q tokens; a group shares one prefix of N tokens.
 *   query row (g,s,t) attends to the N prefix keys of group g and to the Q keys of window (g,s).
 *
 * One softmax over both sets, computed set by set: each gives o_i and its log-denominator l_i, then
 *   l = log(e^l1 + e^l2),  o = e^(l1-l) o1 + e^(l2-l) o2.
 * With l and o in place of l_i and o_i, the backward pass of either set is that of plain attention. For
 * the prefix the S windows are one block of S Q queries: its keys are read once per group. */
#include "nn/ops.h"

#include "base/error.h"
#include "kernel/attention.h"
#include "kernel/vmath.h"

enum { Q_, K_OWN, V_OWN, K_PREFIX, V_PREFIX, INPUTS };

typedef struct {
    bex_columns in[INPUTS];
    bex_tensor *o;
    bex_real *lse[2]; // prefix (G,heads,S Q), own (G S,heads,Q); both hold l after the merge
    bex_attention_dims d[2];
} context;

static const bex_real *data(const context *c, int i) {
    return c->in[i].t->data + c->in[i].at;
}

static size_t scratch_size(const context *c) {
    size_t a = bex_attention_scratch(c->d[0]), b = bex_attention_scratch(c->d[1]);
    return a > b ? a : b;
}

// o1 becomes the merged output, both lse arrays the merged log-denominator
static void merge(const context *c, bex_real *o1, const bex_real *o2) {
    int G = c->d[0].B, Q = c->d[1].Tq, S = c->d[0].Tq / Q, heads = c->d[0].H, D = c->d[0].D;
    size_t C = (size_t)heads * (size_t)D;
    for (int g = 0; g < G; g++)
        for (int h = 0; h < heads; h++)
            for (int i = 0; i < S * Q; i++) {
                int window = g * S + i / Q;
                bex_real *l1 = &c->lse[0][(size_t)(g * heads + h) * (size_t)(S * Q) + (size_t)i];
                bex_real *l2 =
                    &c->lse[1][(size_t)(window * heads + h) * (size_t)Q + (size_t)(i % Q)];
                bex_real top = *l1 > *l2 ? *l1 : *l2;
                bex_real e1 = bex_exp(*l1 - top), e2 = bex_exp(*l2 - top), r = R(1) / (e1 + e2);
                size_t at = (size_t)(g * S * Q + i) * C + (size_t)(h * D);
                for (int j = 0; j < D; j++)
                    o1[at + (size_t)j] = (e1 * o1[at + (size_t)j] + e2 * o2[at + (size_t)j]) * r;
                *l1 = *l2 = top + bex_log(e1 + e2);
            }
}

static void add_columns(bex_tape *tape, bex_columns c, int C, const bex_real *from, int width) {
    bex_real *to = bex_grad_sum(tape, c.t);
    if (!to) return;
    int rows = bex_rows(c.t);
    for (int i = 0; i < rows; i++) {
        bex_real *row = to + (size_t)i * (size_t)bex_width(c.t) + (size_t)c.at;
        const bex_real *src = from + (size_t)i * (size_t)width;
        for (int j = 0; j < C; j++) row[j] += src[j];
    }
}

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->o->grad) return;
    int C = c->d[0].H * c->d[0].D;
    bex_real *grad[INPUTS], *scratch = bex_scratch(tape, scratch_size(c));
    bex_real *dq[2];
    for (int i = 0; i < INPUTS; i++) grad[i] = bex_scratch(tape, bex_count(c->in[i].t));
    dq[0] = grad[Q_];
    dq[1] = bex_scratch(tape, bex_count(c->in[Q_].t));
    for (int set = 0; set < 2; set++) {
        int k = set ? K_OWN : K_PREFIX, v = set ? V_OWN : V_PREFIX;
        bex_attention_bwd(dq[set], grad[k], grad[v], c->o->grad, data(c, Q_), data(c, k),
                          data(c, v), c->o->data, c->lse[set], c->d[set], scratch);
    }
    for (int i = 0; i < INPUTS; i++) add_columns(tape, c->in[i], C, grad[i], bex_width(c->in[i].t));
    add_columns(tape, c->in[Q_], C, dq[1], bex_width(c->in[Q_].t));
}

bex_tensor *bex_prefix_attention(bex_tape *tape, bex_columns q, bex_columns k, bex_columns v,
                                 bex_columns prefix_k, bex_columns prefix_v, int C, int heads) {
    context c = {.in = {q, k, v, prefix_k, prefix_v}};
    int B = q.t->dim[0], Q = q.t->dim[1], G = prefix_k.t->dim[0], N = prefix_k.t->dim[1];
    bool fits = heads > 0 && C % heads == 0 && G > 0 && B % G == 0, needs = false;
    for (int i = 0; i < INPUTS; i++) {
        const bex_tensor *t = c.in[i].t;
        bool own = i < K_PREFIX;
        fits = fits && t->rank == 3 && t->dim[0] == (own ? B : G) && t->dim[1] == (own ? Q : N) &&
               c.in[i].at >= 0 && c.in[i].at + C <= t->dim[2];
        needs |= t->needs_grad;
    }
    BEX_CHECK(fits, "prefix attention: q %s, k %s, v %s, prefix k %s, width %d, %d heads",
              bex_shape(q.t), bex_shape(k.t), bex_shape(v.t), bex_shape(prefix_k.t), C, heads);
    int D = C / heads, rows = B / G * Q;
    c.d[0] = (bex_attention_dims){
        G, rows, N, heads, D, q.t->dim[2], prefix_k.t->dim[2], prefix_v.t->dim[2], C};
    c.d[1] = (bex_attention_dims){B, Q, Q, heads, D, q.t->dim[2], k.t->dim[2], v.t->dim[2], C};
    c.o = bex_tensor_new(tape, 3, BEX_DIMS(B, Q, C), needs);
    size_t numbers = (size_t)B * (size_t)heads * (size_t)Q;
    if (c.o->needs_grad) // kept for the backward pass
        for (int set = 0; set < 2; set++) c.lse[set] = bex_scratch(tape, numbers);
    size_t mark = bex_arena_mark(tape->arena);
    for (int set = 0; set < 2; set++)
        if (!c.lse[set]) c.lse[set] = bex_scratch(tape, numbers);
    bex_real *own = bex_scratch(tape, bex_count(c.o)),
             *scratch = bex_scratch(tape, scratch_size(&c));
    bex_attention_fwd(c.o->data, c.lse[0], data(&c, Q_), data(&c, K_PREFIX), data(&c, V_PREFIX),
                      c.d[0], scratch);
    bex_attention_fwd(own, c.lse[1], data(&c, Q_), data(&c, K_OWN), data(&c, V_OWN), c.d[1],
                      scratch);
    merge(&c, c.o->data, own);
    bex_arena_release(tape->arena, mark);
    if (c.o->needs_grad) *(context *)bex_record(tape, backward, sizeof c) = c;
    return c.o;
}
