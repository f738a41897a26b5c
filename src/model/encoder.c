/* model/encoder.c - the header's formulas; in prefix mode queries also see the history's keys and values. */
#include "model/encoder.h"

#include "base/error.h"

#include <math.h>

bex_encoder bex_encoder_add(bex_params *p, const char *prefix, bex_stack o) {
    BEX_CHECK(o.blocks > 0 && o.blocks <= BEX_STACK_BLOCKS && o.heads > 0 && o.C % o.heads == 0,
              "encoder of %d blocks, width %d, %d heads", o.blocks, o.C, o.heads);
    bex_encoder e = {.o = o};
    for (int i = 0; i < o.blocks; i++) e.block[i] = bex_block_add(p, prefix, i, o.C, o.feedforward);
    return e;
}

typedef struct {
    bex_tensor *qk, *v; // (B,T,2C), (B,T,C)
} projected;

static projected project(bex_tape *tape, const bex_encoder *e, const bex_block *b, bex_tensor *x,
                         bex_tensor *pos) {
    bex_tensor *located = pos ? bex_add(tape, x, pos) : x;
    return (projected){
        bex_linear_rows(tape, located, b->in_w, b->in_b, 0, 2 * e->o.C, BEX_ACTIVATION_ID),
        bex_linear_rows(tape, x, b->in_w, b->in_b, 2 * e->o.C, e->o.C, BEX_ACTIVATION_ID),
    };
}

// from what attention gave to the block's output
static bex_tensor *finish(bex_tape *tape, const bex_encoder *e, const bex_block *b, bex_tensor *x,
                          bex_tensor *a) {
    a = bex_linear(tape, a, b->out_w, b->out_b, BEX_ACTIVATION_ID);
    x = bex_add(tape, x, bex_dropout(tape, a, e->o.dropout));
    x = bex_layernorm(tape, x, b->ln1_w, b->ln1_b, BEX_BLOCK_EPS);
    bex_tensor *h = bex_block_feedforward(tape, b, x, e->o.dropout);
    x = bex_add(tape, x, bex_dropout(tape, h, e->o.dropout));
    return bex_layernorm(tape, x, b->ln2_w, b->ln2_b, BEX_BLOCK_EPS);
}

static bex_tensor *self_attention(bex_tape *tape, const bex_encoder *e, projected p) {
    return bex_attention(tape, (bex_columns){p.qk, 0}, (bex_columns){p.qk, e->o.C},
                         (bex_columns){p.v, 0}, e->o.C, e->o.heads);
}

void bex_encoder_run(bex_tape *tape, const bex_encoder *e, bex_tensor *x, bex_tensor *pos,
                     bex_tensor **out) {
    for (int i = 0; i < e->o.blocks; i++) {
        projected p = project(tape, e, &e->block[i], x, pos);
        out[i] = x = finish(tape, e, &e->block[i], x, self_attention(tape, e, p));
    }
}

void bex_encoder_history(bex_tape *tape, const bex_encoder *e, bex_tensor *x,
                         bex_encoder_prefix *prefix) {
    int C = e->o.C, last = e->o.blocks - 1;
    for (int i = 0; i < last; i++) {
        projected p = project(tape, e, &e->block[i], x, NULL);
        prefix[i] = (bex_encoder_prefix){{p.qk, C}, {p.v, 0}};
        x = finish(tape, e, &e->block[i], x, self_attention(tape, e, p));
    }
    const bex_block *b = &e->block[last];
    bex_tensor *kv = bex_linear_rows(tape, x, b->in_w, b->in_b, C, 2 * C, BEX_ACTIVATION_ID);
    prefix[last] = (bex_encoder_prefix){{kv, 0}, {kv, C}};
}

void bex_encoder_query(bex_tape *tape, const bex_encoder *e, bex_tensor *x,
                       const bex_encoder_prefix *prefix, bex_tensor **out) {
    for (int i = 0; i < e->o.blocks; i++) {
        projected p = project(tape, e, &e->block[i], x, NULL);
        bex_tensor *a = bex_prefix_attention(tape, (bex_columns){p.qk, 0},
                                             (bex_columns){p.qk, e->o.C}, (bex_columns){p.v, 0},
                                             prefix[i].k, prefix[i].v, e->o.C, e->o.heads);
        out[i] = x = finish(tape, e, &e->block[i], x, a);
    }
}

void bex_sinusoid(bex_real *pos, int T, int C) {
    for (int p = 0; p < T; p++)
        for (int i = 0; i < C; i++) {
            double angle = p * pow(10000.0, -(double)(i - i % 2) / C);
            pos[(size_t)p * (size_t)C + (size_t)i] = (bex_real)(i % 2 ? cos(angle) : sin(angle));
        }
}
