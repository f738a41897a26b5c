/* model/encoder.h - transformer encoder blocks, post-norm, every block's output kept (DETR style).
 *
 *   a = attention(q = x + pos, k = x + pos, v = x)        no mask, heads of C/H
 *   x = LN1(x + drop(out_proj a))
 *   x = LN2(x + drop(W2 drop(gelu(W1 x))))
 *
 * pos (T,C) goes to queries and keys only, in every block, never to the values or the residual.
 * Facts: docs/model.md. */
#ifndef BEX_MODEL_ENCODER_H
#define BEX_MODEL_ENCODER_H

#include "model/block.h"

enum { BEX_ENCODER_BLOCKS = BEX_STACK_BLOCKS };

typedef struct bex_encoder {
    bex_stack o;
    bex_block block[BEX_ENCODER_BLOCKS];
} bex_encoder;

/* Register the parameters. */
bex_encoder bex_encoder_add(bex_params *params, const char *prefix, bex_stack options);

/* x (B,T,C), pos (T,C) or NULL. out[i] (B,T,C) is block i's output, i < blocks. */
void bex_encoder_run(bex_tape *tape, const bex_encoder *e, bex_tensor *x, bex_tensor *pos,
                     bex_tensor **out);

/* ---- prefix mode: history tokens see the history only, query tokens see everything ----
 * So what the queries need of a history, its keys and values in every block, depends on the history
 * alone: computed once for all windows of a group, or once per episode at deployment. */

typedef struct bex_encoder_prefix {
    bex_columns k, v; // of one block: C columns of (G,N,..)
} bex_encoder_prefix;

/* history (G,N,C) -> prefix[i] for every block. The last block's own output is nobody's input and is
 * not computed. */
void bex_encoder_history(bex_tape *tape, const bex_encoder *e, bex_tensor *history,
                         bex_encoder_prefix *prefix);

/* query (B,Q,C), B a multiple of G -> out[i] (B,Q,C). */
void bex_encoder_query(bex_tape *tape, const bex_encoder *e, bex_tensor *query,
                       const bex_encoder_prefix *prefix, bex_tensor **out);

/* The fixed sinusoid: pos[p,2i] = sin(p 10000^(-2i/C)), pos[p,2i+1] = cos of the same. pos (T,C). */
void bex_sinusoid(bex_real *pos, int T, int C);

#endif
