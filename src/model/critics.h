/* model/critics.h - an ensemble of E value networks Q_e(s,u) and their slowly following targets.
 *
 *   [s,u] -> [linear -> (layer norm) -> ReLU] per hidden width -> linear -> Q_e
 *
 * Twin critics are E = 2. A target value is the minimum over a subset of the members, drawn anew for
 * each minibatch (all of them in SAC, one or two of ten in RLPD): only those are evaluated.
 * Parameter names: critic.0.weight (E,N,K) and so on, in both blocks. */
#ifndef BEX_MODEL_CRITICS_H
#define BEX_MODEL_CRITICS_H

#include "model/mlp.h"

typedef struct bex_critics_options {
    int O, A, E;
    int hidden[BEX_MLP_LAYERS - 1]; // widths, ending in 0
    bool layernorm;                 // eps 1e-6
} bex_critics_options;

typedef struct bex_critics {
    bex_critics_options o;
    bex_params *params, *targets; // equal layouts; targets get no gradient
    bex_mlp q, target;
} bex_critics;

/* Xavier weights, zero biases; the targets begin as a copy. `blocks` of gradients. */
void bex_critics_init(bex_critics *c, bex_critics_options options, int blocks, bex_rng rng);
void bex_critics_fini(bex_critics *c); // zeroed memory is fine

/* su (M,O+A) -> Q (E,M). */
bex_tensor *bex_critics_value(bex_tape *tape, const bex_critics *c, bex_tensor *su);

/* (M): the least of the target values of members subset[n], distinct. */
bex_tensor *bex_critics_target(bex_tape *tape, const bex_critics *c, bex_tensor *su,
                               const int *subset, int n);

/* targets += tau (values - targets) */
void bex_critics_follow(bex_critics *c, double tau, int threads);

#endif
