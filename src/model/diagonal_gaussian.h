/* model/diagonal_gaussian.h - a network with two heads: mean and log standard deviation of a Gaussian, not
 * squashed.
 *
 *   x -> [linear -> ReLU] per hidden width -> mean; log_std, clamped, of x or (free) one number a dimension
 *
 * Parameter names: prefix.fc0.weight, prefix.fc0.bias, .., prefix.mean.weight, prefix.mean.bias,
 * prefix.log_std.weight, prefix.log_std.bias; free: prefix.log_std (A). */
#ifndef BEX_MODEL_DIAGONAL_GAUSSIAN_H
#define BEX_MODEL_DIAGONAL_GAUSSIAN_H

#include "model/mlp.h"

typedef struct bex_diagonal_gaussian_options {
    int in, out;
    int hidden[BEX_MLP_LAYERS]; // widths, at least one, ending in 0
    double low, high;           // bounds of log_std
    bool free;                  // log_std is no function of x; 0 to begin with
} bex_diagonal_gaussian_options;

typedef struct bex_diagonal_gaussian {
    bex_diagonal_gaussian_options o;
    int layers; // hidden ones
    const bex_param *weight[BEX_MLP_LAYERS], *bias[BEX_MLP_LAYERS];
    const bex_param *mean_weight, *mean_bias, *std_weight, *std_bias; // free: std_weight NULL
} bex_diagonal_gaussian;

/* Register in a block that is not built yet: Xavier weights, those of the heads with a hundredth of the
 * variance, zero biases. */
bex_diagonal_gaussian bex_diagonal_gaussian_add(bex_params *params, const char *prefix,
                                                bex_diagonal_gaussian_options options);

/* x (M,in) -> mean, log_std (M,out). */
void bex_diagonal_gaussian_run(bex_tape *tape, const bex_diagonal_gaussian *net, bex_tensor *x,
                               bex_tensor **mean, bex_tensor **log_std);

/* (M): the divergence KL(q || p) of two diagonal Gaussians, each by mean and log standard deviation (M,A). */
bex_tensor *bex_gaussian_divergence(bex_tape *tape, bex_tensor *q_mean, bex_tensor *q_log_std,
                                    bex_tensor *p_mean, bex_tensor *p_log_std);

#endif
