/* model/mlp.h - a multi-layer perceptron, single or as an ensemble of E independent ones.
 *
 *   x -> [linear -> (layernorm) -> act] per hidden width -> linear -> y        names: prefix.0.weight ..
 *
 * Parameter names per layer i: prefix.i.weight (N,K) or (E,N,K), prefix.i.bias, prefix.i.norm.weight,
 * prefix.i.norm.bias, (N) or (E,N). With layer norm the activation follows it (critics: dense, norm,
 * ReLU), or with norm_last comes before it (HILP: dense, GELU, norm). */
#ifndef BEX_MODEL_MLP_H
#define BEX_MODEL_MLP_H

#include "nn/ops.h"

enum { BEX_MLP_LAYERS = 8 };

typedef struct bex_mlp_options {
    int in, out;
    int hidden[BEX_MLP_LAYERS - 1]; // widths, ending in 0
    int members;                    // ensemble size; 0: a single network, tensors without the E
    bex_activation act;
    bool layernorm, norm_last;
    double eps;  // of the norm
    bool xavier; // Xavier weights and zero biases; else uniform fan-in for both
} bex_mlp_options;

typedef struct bex_mlp {
    bex_mlp_options options;
    int layers;
    const bex_param *weight[BEX_MLP_LAYERS], *bias[BEX_MLP_LAYERS];
    const bex_param *norm_weight[BEX_MLP_LAYERS], *norm_bias[BEX_MLP_LAYERS];
} bex_mlp;

/* Register the parameters in a block that is not built yet. */
bex_mlp bex_mlp_add(bex_params *params, const char *prefix, bex_mlp_options options);

/* x (..,in) -> (..,out); ensemble: (M,in) or (E,M,in) -> (E,M,out). */
bex_tensor *bex_mlp_run(bex_tape *tape, const bex_mlp *mlp, bex_tensor *x);

/* Member e of an ensemble as a network of its own, over the same values and gradients. */
typedef struct bex_mlp_member {
    bex_mlp mlp;
    bex_param view[4][BEX_MLP_LAYERS];
} bex_mlp_member;

const bex_mlp *bex_mlp_take_member(bex_mlp_member *out, const bex_mlp *ensemble, int e);

#endif
