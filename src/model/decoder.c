/* model/decoder.c */
#include "model/decoder.h"

#include "base/error.h"

#include <math.h>

static bex_decoder_block block_add(bex_params *p, const char *prefix, int i, int C, int F) {
    bex_decoder_block b = {.base = bex_block_add(p, prefix, i, C, F)};
#define ADD(init, rank, dims, name) bex_param_add(p, init, rank, dims, "%s.%d." name, prefix, i)
    b.mod_w = ADD(BEX_INIT_XAVIER, 3, BEX_DIMS(4, C, C), "modulation.weight");
    b.mod_b = ADD(BEX_INIT_ZERO, 2, BEX_DIMS(4, C), "modulation.bias");
    b.gate_w = ADD(BEX_INIT_ZERO, 3, BEX_DIMS(2, C, C), "gate.weight");
    b.gate_b = ADD(BEX_INIT_ZERO, 2, BEX_DIMS(2, C), "gate.bias");
#undef ADD
    return b;
}

bex_decoder bex_decoder_add(bex_params *p, const char *prefix, int blocks, int C, int F, int heads,
                            int A, int K, int T, double dropout) {
    BEX_CHECK(blocks > 0 && blocks <= BEX_DECODER_BLOCKS && heads > 0 && C % heads == 0 && T >= 4 &&
                  T % 2 == 0,
              "decoder of %d blocks, width %d, %d heads, time width %d", blocks, C, heads, T);
    bex_decoder d = {.blocks = blocks,
                     .C = C,
                     .F = F,
                     .heads = heads,
                     .A = A,
                     .K = K,
                     .T = T,
                     .dropout = dropout};
#define ADD(init, rank, dims, name) bex_param_add(p, init, rank, dims, "%s." name, prefix)
    d.time1_w = ADD(BEX_INIT_UNIFORM(T), 2, BEX_DIMS(C, T), "time.0.weight");
    d.time1_b = ADD(BEX_INIT_UNIFORM(T), 1, BEX_DIMS(C), "time.0.bias");
    d.time2_w = ADD(BEX_INIT_UNIFORM(C), 2, BEX_DIMS(C, C), "time.1.weight");
    d.time2_b = ADD(BEX_INIT_UNIFORM(C), 1, BEX_DIMS(C), "time.1.bias");
    d.act1_w = ADD(BEX_INIT_UNIFORM(A), 2, BEX_DIMS(A, A), "action.0.weight");
    d.act1_b = ADD(BEX_INIT_UNIFORM(A), 1, BEX_DIMS(A), "action.0.bias");
    d.act2_w = ADD(BEX_INIT_UNIFORM(A), 2, BEX_DIMS(C, A), "action.1.weight");
    d.act2_b = ADD(BEX_INIT_UNIFORM(A), 1, BEX_DIMS(C), "action.1.bias");
    // Xavier on shape (K,1,C): bound sqrt(6 / ((K + 1) C))
    d.pos = ADD(BEX_INIT_UNIFORM((K + 1) * (double)C / 6), 2, BEX_DIMS(K, C), "position");
    d.final_mod_w = ADD(BEX_INIT_UNIFORM(C), 3, BEX_DIMS(2, C, C), "final.modulation.weight");
    d.final_mod_b = ADD(BEX_INIT_UNIFORM(C), 2, BEX_DIMS(2, C), "final.modulation.bias");
    d.final_w = ADD(BEX_INIT_UNIFORM(C), 2, BEX_DIMS(A, C), "final.linear.weight");
    d.final_b = ADD(BEX_INIT_UNIFORM(C), 1, BEX_DIMS(A), "final.linear.bias");
#undef ADD
    for (int i = 0; i < blocks; i++) d.block[i] = block_add(p, prefix, i, C, F);
    return d;
}

void bex_time_embedding(bex_real *out, const int *step, int n, int T) {
    int half = T / 2;
    for (int b = 0; b < n; b++)
        for (int i = 0; i < half; i++) {
            double angle = step[b] * exp(-i * log(10000.0) / (half - 1));
            out[(size_t)b * (size_t)T + (size_t)i] = (bex_real)cos(angle);
            out[(size_t)b * (size_t)T + (size_t)(half + i)] = (bex_real)sin(angle);
        }
}

// member i of (E,B,C) as (B,C)
static bex_tensor *member(bex_tape *tape, bex_tensor *x, int i) {
    return bex_reshape(tape, bex_slice(tape, x, 0, i, 1), 2, BEX_DIMS(x->dim[1], x->dim[2]));
}

static bex_tensor *block_run(bex_tape *tape, const bex_decoder *d, const bex_decoder_block *m,
                             bex_tensor *x, bex_tensor *s) {
    int C = d->C;
    const bex_block *b = &m->base;
    bex_tensor *mod = bex_linear(tape, s, m->mod_w, m->mod_b, BEX_ACT_ID);    // (4,B,C)
    bex_tensor *gate = bex_linear(tape, s, m->gate_w, m->gate_b, BEX_ACT_ID); // (2,B,C)
    bex_tensor *u = bex_layernorm_modulated(tape, x, b->ln1_w, b->ln1_b, member(tape, mod, 0),
                                            member(tape, mod, 1), BEX_BLOCK_EPS); // (B,K,C)
    bex_tensor *qkv = bex_linear(tape, u, b->in_w, b->in_b, BEX_ACT_ID);          // (B,K,3C)
    bex_tensor *a = bex_attention(tape, (bex_columns){qkv, 0}, (bex_columns){qkv, C},
                                  (bex_columns){qkv, 2 * C}, C, d->heads);
    a = bex_linear(tape, a, b->out_w, b->out_b, BEX_ACT_ID);
    x = bex_gated_add(tape, x, member(tape, gate, 0), bex_dropout(tape, a, d->dropout));
    bex_tensor *v = bex_layernorm_modulated(tape, x, b->ln2_w, b->ln2_b, member(tape, mod, 2),
                                            member(tape, mod, 3), BEX_BLOCK_EPS);
    bex_tensor *h = bex_block_feedforward(tape, b, v, d->dropout);
    return bex_gated_add(tape, x, member(tape, gate, 1), bex_dropout(tape, h, d->dropout));
}

bex_tensor *bex_decoder_run(bex_tape *tape, const bex_decoder *d, bex_tensor *noised,
                            const int *step, bex_tensor **pooled) {
    BEX_CHECK(noised->rank == 3 && noised->dim[1] == d->K && noised->dim[2] == d->A,
              "decoder input %s, expected (B,%d,%d)", bex_shape(noised), d->K, d->A);
    int B = noised->dim[0];
    bex_tensor *t = bex_tensor_new(tape, 2, BEX_DIMS(B, d->T), false);
    bex_time_embedding(t->data, step, B, d->T);
    t = bex_linear(tape, t, d->time1_w, d->time1_b, BEX_ACT_SILU);
    t = bex_linear(tape, t, d->time2_w, d->time2_b, BEX_ACT_ID); // (B,C)
    bex_tensor *x = bex_linear(tape, noised, d->act1_w, d->act1_b, BEX_ACT_GELU);
    x = bex_linear(tape, x, d->act2_w, d->act2_b, BEX_ACT_ID);
    x = bex_add(tape, x, bex_use(tape, d->pos)); // (B,K,C)
    bex_tensor *s = NULL;
    for (int i = 0; i < d->blocks; i++) {
        s = bex_activate(tape, bex_add(tape, pooled[i], t), BEX_ACT_SILU);
        x = block_run(tape, d, &d->block[i], x, s);
    }
    bex_tensor *mod = bex_linear(tape, s, d->final_mod_w, d->final_mod_b, BEX_ACT_ID); // (2,B,C)
    x = bex_modulate(tape, x, member(tape, mod, 1), member(tape, mod, 0));
    return bex_linear(tape, x, d->final_w, d->final_b, BEX_ACT_ID);
}
