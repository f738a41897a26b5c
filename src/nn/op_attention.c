/* nn/op_attention.c - multi-head attention over column ranges of packed projections. */
#include "nn/ops.h"

#include "base/error.h"
#include "kernel/attention.h"

#include <string.h>

typedef struct {
    bex_columns in[3]; // q, k, v
    bex_tensor *o;
    bex_real *lse;
    bex_attention_dims d;
} context;

// columns of t that the kernel sets
static int columns_set(const context *c, const bex_tensor *t) {
    int n = 0;
    for (int i = 0; i < 3; i++) n += c->in[i].t == t;
    return n * c->d.H * c->d.D;
}

// where the kernel may set (not add) the gradient of one input: the tensor's own gradient if
// nobody has written these columns yet, a copy of equal layout otherwise
static bex_real *target(bex_tape *tape, const context *c, bex_tensor *t, bool *copied) {
    *copied = !t->needs_grad || *bex_grad_started(t);
    if (*copied) return bex_scratch(tape, bex_count(t));
    if (!t->grad) t->grad = bex_scratch(tape, bex_count(t));
    if (columns_set(c, t) < bex_width(t)) memset(t->grad, 0, bex_count(t) * sizeof *t->grad);
    return t->grad;
}

static void add_columns(bex_tensor *t, int at, int C, const bex_real *from) {
    int rows = bex_rows(t), width = bex_width(t);
    for (int i = 0; i < rows; i++) {
        size_t k = (size_t)i * (size_t)width + (size_t)at;
        for (int j = 0; j < C; j++) t->grad[k + (size_t)j] += from[k + (size_t)j];
    }
}

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->o->grad) return;
    bex_real *grad[3];
    bool copied[3];
    for (int i = 0; i < 3; i++) grad[i] = target(tape, c, c->in[i].t, &copied[i]) + c->in[i].at;
    bex_attention_bwd(grad[0], grad[1], grad[2], c->o->grad, c->in[0].t->data + c->in[0].at,
                      c->in[1].t->data + c->in[1].at, c->in[2].t->data + c->in[2].at, c->o->data,
                      c->lse, c->d, bex_scratch(tape, bex_attention_scratch(c->d)));
    for (int i = 0; i < 3; i++) {
        bex_tensor *t = c->in[i].t;
        if (!t->needs_grad) continue;
        if (copied[i]) add_columns(t, c->in[i].at, c->d.H * c->d.D, grad[i] - c->in[i].at);
    }
    for (int i = 0; i < 3; i++) *bex_grad_started(c->in[i].t) |= c->in[i].t->needs_grad;
}

// two ranges of one tensor must not overlap: the kernel sets each
static bool apart(bex_columns a, bex_columns b, int C) {
    return a.t != b.t || a.at + C <= b.at || b.at + C <= a.at;
}

bex_tensor *bex_attention(bex_tape *tape, bex_columns q, bex_columns k, bex_columns v, int C,
                          int heads) {
    bex_tensor *tq = q.t, *tk = k.t, *tv = v.t;
    BEX_CHECK(tq->rank == 3 && tk->rank == 3 && tv->rank == 3 && heads > 0 && C % heads == 0 &&
                  tq->dim[0] == tk->dim[0] && tk->dim[0] == tv->dim[0] &&
                  tk->dim[1] == tv->dim[1] && q.at >= 0 && k.at >= 0 && v.at >= 0 &&
                  q.at + C <= tq->dim[2] && k.at + C <= tk->dim[2] && v.at + C <= tv->dim[2] &&
                  apart(q, k, C) && apart(k, v, C) && apart(q, v, C),
              "attention: q %s at %d, k %s at %d, v %s at %d, width %d, %d heads", bex_shape(tq),
              q.at, bex_shape(tk), k.at, bex_shape(tv), v.at, C, heads);
    int B = tq->dim[0], Tq = tq->dim[1];
    bool needs = tq->needs_grad || tk->needs_grad || tv->needs_grad;
    bex_tensor *o = bex_tensor_new(tape, 3, BEX_DIMS(B, Tq, C), needs);
    context c = {{q, k, v},
                 o,
                 NULL,
                 {B, Tq, tk->dim[1], heads, C / heads, tq->dim[2], tk->dim[2], tv->dim[2], C}};
    if (o->needs_grad) c.lse = bex_scratch(tape, (size_t)B * (size_t)heads * (size_t)Tq);
    size_t mark = bex_arena_mark(tape->arena);
    bex_attention_fwd(o->data, c.lse, tq->data + q.at, tk->data + k.at, tv->data + v.at, c.d,
                      bex_scratch(tape, bex_attention_scratch(c.d)));
    bex_arena_release(tape->arena, mark);
    if (o->needs_grad) *(context *)bex_record(tape, backward, sizeof c) = c;
    return o;
}
