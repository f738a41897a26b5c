/* model/block.c - the parameters, under PyTorch's names and in its order. */
#include "model/block.h"

bex_block bex_block_add(bex_params *p, const char *prefix, int i, int C, int feedforward) {
    bex_block b;
#define ADD(init, rank, dims, name) bex_param_add(p, init, rank, dims, "%s.%d." name, prefix, i)
    b.in_w = ADD(BEX_INIT_XAVIER, 2, BEX_DIMS(3 * C, C), "self_attn.in_proj_weight");
    b.in_b = ADD(BEX_INIT_ZERO, 1, BEX_DIMS(3 * C), "self_attn.in_proj_bias");
    b.out_w = ADD(BEX_INIT_XAVIER, 2, BEX_DIMS(C, C), "self_attn.out_proj.weight");
    b.out_b = ADD(BEX_INIT_ZERO, 1, BEX_DIMS(C), "self_attn.out_proj.bias");
    b.ff1_w = ADD(BEX_INIT_XAVIER, 2, BEX_DIMS(feedforward, C), "linear1.weight");
    b.ff1_b = ADD(BEX_INIT_UNIFORM(C), 1, BEX_DIMS(feedforward), "linear1.bias");
    b.ff2_w = ADD(BEX_INIT_XAVIER, 2, BEX_DIMS(C, feedforward), "linear2.weight");
    b.ff2_b = ADD(BEX_INIT_UNIFORM(feedforward), 1, BEX_DIMS(C), "linear2.bias");
    b.ln1_w = ADD(BEX_INIT_ONE, 1, BEX_DIMS(C), "norm1.weight");
    b.ln1_b = ADD(BEX_INIT_ZERO, 1, BEX_DIMS(C), "norm1.bias");
    b.ln2_w = ADD(BEX_INIT_ONE, 1, BEX_DIMS(C), "norm2.weight");
    b.ln2_b = ADD(BEX_INIT_ZERO, 1, BEX_DIMS(C), "norm2.bias");
#undef ADD
    return b;
}

bex_tensor *bex_block_feedforward(bex_tape *tape, const bex_block *b, bex_tensor *x,
                                  double dropout) {
    bex_tensor *h =
        bex_linear(tape, x, b->ff1_w, b->ff1_b, BEX_ACTIVATION_GELU); // (..,feedforward)
    return bex_linear(tape, bex_dropout(tape, h, dropout), b->ff2_w, b->ff2_b, BEX_ACTIVATION_ID);
}
