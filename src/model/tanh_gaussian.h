/* model/tanh_gaussian.h - a policy over actions in (-1,1)^A: u = tanh(z),
 * z ~ N(mean(s), diag e^{2 log_std(s)}).
 *
 *   s -> [linear -> ReLU] per hidden width -> two linear heads: mean, log_std (clamped)
 *   log pi(u|s) = log N(z; mean, log_std) - sum_a log(1 - tanh(z_a)^2)
 *
 * Parameter names: fc0.weight, fc0.bias, fc1.., mean.weight, mean.bias, log_std.weight, log_std.bias: with
 * two hidden layers a file of them is laid out as D4RL's ant controller. */
#ifndef BEX_MODEL_TANH_GAUSSIAN_H
#define BEX_MODEL_TANH_GAUSSIAN_H

#include "model/mlp.h"

typedef struct bex_tanh_gaussian_options {
    int O, A;
    int hidden[BEX_MLP_LAYERS]; // widths, at least one, ending in 0
    double low, high;           // bounds of log_std; both 0: [-20, 2]
} bex_tanh_gaussian_options;

typedef struct bex_tanh_gaussian {
    bex_tanh_gaussian_options o;
    int layers; // hidden ones
    const bex_param *weight[BEX_MLP_LAYERS], *bias[BEX_MLP_LAYERS];
    const bex_param *mean_weight, *mean_bias, *std_weight, *std_bias;
} bex_tanh_gaussian;

/* Register in a block that is not built yet: Xavier weights, zero biases. */
bex_tanh_gaussian bex_tanh_gaussian_add(bex_params *params, bex_tanh_gaussian_options options);

/* s (M,O) -> mean, log_std (M,A); log_std NULL: not wanted. */
void bex_tanh_gaussian_heads(bex_tape *tape, const bex_tanh_gaussian *pi, bex_tensor *s,
                             bex_tensor **mean, bex_tensor **log_std);

/* u (M,A) from standard normal noise (M,A), reparameterised; *logp (M) = log pi(u|s) unless NULL.
 * Noise NULL: the most likely z, u = tanh(mean); logp must then be NULL. */
bex_tensor *bex_tanh_gaussian_sample(bex_tape *tape, const bex_tanh_gaussian *pi, bex_tensor *s,
                                     const bex_tensor *noise, bex_tensor **logp);

#endif
