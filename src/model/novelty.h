/* model/novelty.h - random network distillation: what a trained network cannot yet say of a fixed random one.
 *
 *   f, f_bar    x -> [linear -> ReLU] per hidden width -> linear -> R^F; f learns, f_bar never does
 *   error(x) = mean over F of (f(x) - f_bar(x))^2
 *
 * Parameter names: predictor.0.weight .. in one block, target.0.weight .. in the other. */
#ifndef BEX_MODEL_NOVELTY_H
#define BEX_MODEL_NOVELTY_H

#include "model/mlp.h"

typedef struct bex_novelty_options {
    int in, features;
    int hidden[BEX_MLP_LAYERS - 1]; // widths, ending in 0
} bex_novelty_options;

typedef struct bex_novelty {
    bex_novelty_options o;
    bex_params *params, *targets; // the second gets no gradient
    bex_mlp predictor, target;
} bex_novelty;

/* Xavier weights, zero biases, drawn apart. 0, or negative with a message: no memory. */
int bex_novelty_init(bex_novelty *n, bex_novelty_options options, int blocks, bex_rng rng);
void bex_novelty_fini(bex_novelty *n); // zeroed memory is fine

/* x (M,in) -> (M): the error of each row. */
bex_tensor *bex_novelty_error(bex_tape *tape, const bex_novelty *n, bex_tensor *x);

#endif
