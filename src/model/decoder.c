/* model/decoder.c - the header's formulas, line by line. */
#include "model/decoder.h"

#include "base/error.h"

#include <math.h>

static bex_decoder_block block_add(bex_params *p, const char *prefix, int i, int C,
                                   int feedforward) {
    bex_decoder_block b = {.base = bex_block_add(p, prefix, i, C, feedforward)};
#define ADD(init, rank, dims, name) bex_param_add(p, init, rank, dims, "%s.%d." name, prefix, i)
    b.mod_w = ADD(BEX_INIT_XAVIER, 3, BEX_DIMS(4, C, C), "modulation.weight");
    b.mod_b = ADD(BEX_INIT_ZERO, 2, BEX_DIMS(4, C), "modulation.bias");
    b.gate_w = ADD(BEX_INIT_ZERO, 3, BEX_DIMS(2, C, C), "gate.weight");
    b.gate_b = ADD(BEX_INIT_ZERO, 2, BEX_DIMS(2, C), "gate.bias");
#undef ADD
    return b;
}

bex_decoder bex_decoder_add(bex_params *p, const char *prefix, bex_decoder_options o) {
    int blocks = o.stack.blocks, C = o.stack.C, heads = o.stack.heads, columns = o.columns, K = o.K;
    int width = o.time_width;
    BEX_CHECK(blocks > 0 && blocks <= BEX_DECODER_BLOCKS && heads > 0 && C % heads == 0 &&
                  width >= 4 && width % 2 == 0,
              "decoder of %d blocks, width %d, %d heads, time width %d", blocks, C, heads, width);
    bex_decoder d = {.o = o};
#define ADD(init, rank, dims, name) bex_param_add(p, init, rank, dims, "%s." name, prefix)
    d.time1_w = ADD(BEX_INIT_UNIFORM(width), 2, BEX_DIMS(C, width), "time.0.weight");
    d.time1_b = ADD(BEX_INIT_UNIFORM(width), 1, BEX_DIMS(C), "time.0.bias");
    d.time2_w = ADD(BEX_INIT_UNIFORM(C), 2, BEX_DIMS(C, C), "time.1.weight");
    d.time2_b = ADD(BEX_INIT_UNIFORM(C), 1, BEX_DIMS(C), "time.1.bias");
    d.act1_w = ADD(BEX_INIT_UNIFORM(columns), 2, BEX_DIMS(columns, columns), "action.0.weight");
    d.act1_b = ADD(BEX_INIT_UNIFORM(columns), 1, BEX_DIMS(columns), "action.0.bias");
    d.act2_w = ADD(BEX_INIT_UNIFORM(columns), 2, BEX_DIMS(C, columns), "action.1.weight");
    d.act2_b = ADD(BEX_INIT_UNIFORM(columns), 1, BEX_DIMS(C), "action.1.bias");
    // Xavier on shape (K,1,C): bound sqrt(6 / ((K + 1) C))
    d.pos = ADD(BEX_INIT_UNIFORM((K + 1) * (double)C / 6), 2, BEX_DIMS(K, C), "position");
    d.final_mod_w = ADD(BEX_INIT_UNIFORM(C), 3, BEX_DIMS(2, C, C), "final.modulation.weight");
    d.final_mod_b = ADD(BEX_INIT_UNIFORM(C), 2, BEX_DIMS(2, C), "final.modulation.bias");
    d.final_w = ADD(BEX_INIT_UNIFORM(C), 2, BEX_DIMS(columns, C), "final.linear.weight");
    d.final_b = ADD(BEX_INIT_UNIFORM(C), 1, BEX_DIMS(columns), "final.linear.bias");
#undef ADD
    for (int i = 0; i < blocks; i++) d.block[i] = block_add(p, prefix, i, C, o.stack.feedforward);
    return d;
}

void bex_time_embedding(bex_real *out, const int *step, int n, int width) {
    int half = width / 2;
    for (int i = 0; i < half; i++) {
        double wave = exp(-i * log(10000.0) / (half - 1));
        for (int b = 0; b < n; b++) {
            bex_real *row = out + (size_t)b * (size_t)width;
            row[i] = (bex_real)cos(step[b] * wave);
            row[half + i] = (bex_real)sin(step[b] * wave);
        }
    }
}

bex_tensor *bex_decoder_time(bex_tape *tape, const bex_decoder *d, const int *step, int n) {
    bex_tensor *t = bex_tensor_new(tape, 2, BEX_DIMS(n, d->o.time_width), false);
    bex_time_embedding(t->data, step, n, d->o.time_width);
    t = bex_linear(tape, t, d->time1_w, d->time1_b, BEX_ACTIVATION_SILU);
    return bex_linear(tape, t, d->time2_w, d->time2_b, BEX_ACTIVATION_ID);
}

bex_modulation bex_decoder_condition(bex_tape *tape, const bex_decoder *d, bex_tensor *t,
                                     bex_tensor **pooled) {
    bex_modulation m = {.rows = t->dim[0]};
    bex_tensor *s = NULL;
    for (int i = 0; i < d->o.stack.blocks; i++) {
        const bex_decoder_block *b = &d->block[i];
        s = bex_activate(tape, bex_add(tape, pooled[i], t), BEX_ACTIVATION_SILU);
        m.mod[i] = bex_linear(tape, s, b->mod_w, b->mod_b, BEX_ACTIVATION_ID);
        m.gate[i] = bex_linear(tape, s, b->gate_w, b->gate_b, BEX_ACTIVATION_ID);
    }
    m.last = bex_linear(tape, s, d->final_mod_w, d->final_mod_b, BEX_ACTIVATION_ID);
    return m;
}

// member i of x (E,all,C), the conditions in use: (rows,C)
static bex_tensor *member(bex_tape *tape, bex_tensor *x, int i, const bex_modulation *m) {
    int all = x->dim[1], C = x->dim[2];
    if (!x->needs_grad)
        return bex_constant(tape,
                            x->data + ((size_t)i * (size_t)all + (size_t)m->first) * (size_t)C, 2,
                            BEX_DIMS(m->rows, C));
    BEX_CHECK(m->rows == all, "%d of %d conditions on a recording tape", m->rows, all);
    return bex_reshape(tape, bex_slice(tape, x, 0, i, 1), 2, BEX_DIMS(all, C));
}

// x with other outer dimensions, itself where it has them
static bex_tensor *shaped(bex_tape *tape, bex_tensor *x, int outer, int inner) {
    if (x->dim[0] == outer) return x;
    return bex_reshape(tape, x, 3, BEX_DIMS(outer, inner, x->dim[2]));
}

// x (rows,..,C): tokens of all windows under one condition together, apart only while they attend
static bex_tensor *block_run(bex_tape *tape, const bex_decoder *d, int i, bex_tensor *x, int B,
                             const bex_modulation *m) {
    int C = d->o.stack.C;
    const bex_block *b = &d->block[i].base;
    bex_tensor *mod = m->mod[i], *gate = m->gate[i];
    bex_tensor *u = bex_layernorm_modulated(tape, x, b->ln1_w, b->ln1_b, member(tape, mod, 0, m),
                                            member(tape, mod, 1, m), BEX_BLOCK_EPS);
    bex_tensor *qkv = bex_linear(tape, u, b->in_w, b->in_b, BEX_ACTIVATION_ID); // (..,3C)
    qkv = shaped(tape, qkv, B, d->o.K);
    bex_tensor *a = bex_attention(tape, (bex_columns){qkv, 0}, (bex_columns){qkv, C},
                                  (bex_columns){qkv, 2 * C}, C, d->o.stack.heads); // (B,K,C)
    a = shaped(tape, a, x->dim[0], x->dim[1]);
    a = bex_linear(tape, a, b->out_w, b->out_b, BEX_ACTIVATION_ID);
    x = bex_gated_add(tape, x, member(tape, gate, 0, m), bex_dropout(tape, a, d->o.stack.dropout));
    bex_tensor *v = bex_layernorm_modulated(tape, x, b->ln2_w, b->ln2_b, member(tape, mod, 2, m),
                                            member(tape, mod, 3, m), BEX_BLOCK_EPS);
    bex_tensor *h = bex_block_feedforward(tape, b, v, d->o.stack.dropout);
    return bex_gated_add(tape, x, member(tape, gate, 1, m),
                         bex_dropout(tape, h, d->o.stack.dropout));
}

bex_tensor *bex_decoder_denoise(bex_tape *tape, const bex_decoder *d, bex_tensor *noised,
                                const bex_modulation *m) {
    BEX_CHECK(noised->rank == 3 && noised->dim[0] % m->rows == 0 && noised->dim[1] == d->o.K &&
                  noised->dim[2] == d->o.columns,
              "decoder input %s, expected (B,%d,%d), %d conditions", bex_shape(noised), d->o.K,
              d->o.columns, m->rows);
    int B = noised->dim[0];
    bex_tensor *x = bex_linear(tape, noised, d->act1_w, d->act1_b, BEX_ACTIVATION_GELU);
    x = bex_linear(tape, x, d->act2_w, d->act2_b, BEX_ACTIVATION_ID);
    x = bex_add(tape, x, bex_use(tape, d->pos)); // (B,K,C)
    x = shaped(tape, x, m->rows, B / m->rows * d->o.K);
    for (int i = 0; i < d->o.stack.blocks; i++) x = block_run(tape, d, i, x, B, m);
    x = bex_modulate(tape, x, member(tape, m->last, 1, m), member(tape, m->last, 0, m));
    return shaped(tape, bex_linear(tape, x, d->final_w, d->final_b, BEX_ACTIVATION_ID), B, d->o.K);
}

bex_tensor *bex_decoder_run(bex_tape *tape, const bex_decoder *d, bex_tensor *noised,
                            const int *step, bex_tensor **pooled) {
    bex_tensor *t = bex_decoder_time(tape, d, step, noised->dim[0]);
    bex_modulation m = bex_decoder_condition(tape, d, t, pooled);
    return bex_decoder_denoise(tape, d, noised, &m);
}
