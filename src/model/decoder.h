/* model/decoder.h - the denoiser: transformer blocks over noised action tokens, modulated per block.
 *
 *   time:    t = W2 silu(W1 [cos(k w), sin(k w)])          k the diffusion step, w_i = 10000^(-i/(width/2-1))
 *   tokens:  x = W2 gelu(W1 a) + pos                       a (B,K,columns) noised chunks, pos (K,C) learned
 *   block i: s = silu(pooled_i + t)                        pooled_i (B,C) from encoder block i
 *            x = x + gate_1(s) drop(attention(LN1(x) scale_1(s) + shift_1(s)))
 *            x = x + gate_2(s) drop(W2 drop(gelu(W1 (LN2(x) scale_2(s) + shift_2(s)))))
 *   final:   s = silu(pooled_L + t),  eps = W (x scale(s) + shift(s))
 *
 * scale is not centred on one; gates start at zero, so each block starts as the identity; the final
 * layer does not, and has no norm (docs/model.md says why zero there would never learn). */
#ifndef BEX_MODEL_DECODER_H
#define BEX_MODEL_DECODER_H

#include "model/block.h"

enum { BEX_DECODER_BLOCKS = BEX_STACK_BLOCKS };

typedef struct bex_decoder_block {
    bex_block base;
    const bex_param *mod_w, *mod_b;   // (4,C,C), (4,C): scale_1, shift_1, scale_2, shift_2
    const bex_param *gate_w, *gate_b; // (2,C,C), (2,C): gate_1, gate_2
} bex_decoder_block;

typedef struct bex_decoder_options {
    bex_stack stack;
    int K, columns; // a chunk
    int time_width; // of the time embedding: even, at least 4
} bex_decoder_options;

typedef struct bex_decoder {
    bex_decoder_options o;
    const bex_param *time1_w, *time1_b, *time2_w, *time2_b;
    const bex_param *act1_w, *act1_b, *act2_w, *act2_b, *pos;
    const bex_param *final_mod_w, *final_mod_b; // (2,C,C), (2,C): shift, scale
    const bex_param *final_w, *final_b;         // (columns,C), (columns)
    bex_decoder_block block[BEX_DECODER_BLOCKS];
} bex_decoder;

/* Register the parameters. */
bex_decoder bex_decoder_add(bex_params *params, const char *prefix, bex_decoder_options options);

/* noised (B,K,columns), step (B) in 0..99, pooled[i] (B,C) -> eps (B,K,columns). */
bex_tensor *bex_decoder_run(bex_tape *tape, const bex_decoder *d, bex_tensor *noised,
                            const int *step, bex_tensor **pooled);

/* ---- the same in parts, for sampling: conditions are known before the first step is taken ---- */

/* step (n) -> t (n,C). */
bex_tensor *bex_decoder_time(bex_tape *tape, const bex_decoder *d, const int *step, int n);

/* What the blocks and the last layer are told in each of n conditions (a window at a step); rows
 * first..first+rows-1 are those in use. */
typedef struct bex_modulation {
    bex_tensor *mod[BEX_DECODER_BLOCKS], *gate[BEX_DECODER_BLOCKS]; // (4,n,C), (2,n,C)
    bex_tensor *last;                                               // (2,n,C)
    int first, rows; // all of them unless the tape does not record
} bex_modulation;

/* t (n,C), pooled[i] (n,C): one product a weight for all conditions. */
bex_modulation bex_decoder_condition(bex_tape *tape, const bex_decoder *d, bex_tensor *t,
                                     bex_tensor **pooled);

/* noised (B,K,columns) -> eps. Windows under one condition follow each other, B / m->rows of them. */
bex_tensor *bex_decoder_denoise(bex_tape *tape, const bex_decoder *d, bex_tensor *noised,
                                const bex_modulation *m);

/* out (n,width): the embedding of steps, cosines first. */
void bex_time_embedding(bex_real *out, const int *step, int n, int width);

#endif
