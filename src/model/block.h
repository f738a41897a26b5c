/* model/block.h - parameters of one transformer block, shared by encoder and decoder.
 *
 * PyTorch's names and layouts: prefix.i.self_attn.in_proj_weight (3C,C) with rows q, k, v,
 * .self_attn.in_proj_bias, .self_attn.out_proj.weight/.bias, .linear1.*, .linear2.*, .norm1.*, .norm2.*.
 * Xavier weights (the packed projection as one matrix), attention biases 0, feed-forward biases
 * uniform fan-in. */
#ifndef BEX_MODEL_BLOCK_H
#define BEX_MODEL_BLOCK_H

#include "nn/ops.h"

#define BEX_BLOCK_EPS 1e-5 // of the layer norms

enum { BEX_STACK_BLOCKS = 16 };

/* The size of blocks one on another, as an encoder or a decoder has them. */
typedef struct bex_stack {
    int blocks;      // at most BEX_STACK_BLOCKS
    int C;           // width of a token
    int feedforward; // width between a block's last two layers
    int heads;       // of attention; divides C
    double dropout;
} bex_stack;

typedef struct bex_block {
    const bex_param *in_w, *in_b;                   // (3C,C), (3C)
    const bex_param *out_w, *out_b;                 // (C,C), (C)
    const bex_param *ff1_w, *ff1_b;                 // (feedforward,C), (feedforward)
    const bex_param *ff2_w, *ff2_b;                 // (C,feedforward), (C)
    const bex_param *ln1_w, *ln1_b, *ln2_w, *ln2_b; // (C)
} bex_block;

bex_block bex_block_add(bex_params *params, const char *prefix, int i, int C, int feedforward);

/* W2 drop(gelu(W1 x)) */
bex_tensor *bex_block_feedforward(bex_tape *tape, const bex_block *b, bex_tensor *x,
                                  double dropout);

#endif
