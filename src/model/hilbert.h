/* model/hilbert.h - HILP: a Hilbert space of states, and skills that move along its directions.
 *
 *   phi_1, phi_2    s -> R^Z: linear, GELU, layer norm per hidden width; V_i(s,g) = -|phi_i(s) - phi_i(g)|
 *   V(s,z), Q_1, Q_2(s,z,a)   skill values, of the same kind
 *   pi(a|s,z)       a diagonal Gaussian, ReLU, one deviation a dimension
 *
 *   representation  A = r + gamma m min_i Vt_i(s',g) - (Vt_1 + Vt_2)(s,g) / 2
 *                   L_i = expectile_0.95(A; r + gamma m Vt_i(s',g) - V_i(s,g))
 *   intrinsic       rho = (phi_1(s') - phi_1(s)) z, no gradient
 *   value           L_V = expectile_0.9 (min Qt(s,z,a) - V(s,z))
 *   critics         L_Q = sum_i (Q_i(s,z,a) - rho - gamma V(s',z))^2                 no end of an episode
 *   actor           L_pi = -min(exp(10 (min Qt - V)), 100) log pi(a|s,z)
 *
 * Vt, Qt: slowly following copies, a second block of the same layout. Parameter names: phi.0.weight (2,N,K)
 * .., value.*, critic.*, actor.*. */
#ifndef BEX_MODEL_HILBERT_H
#define BEX_MODEL_HILBERT_H

#include "model/diagonal_gaussian.h"

enum { BEX_HILBERT_HEADS = 2 };

/* What one step is told of its losses: sums over transitions times the factor given. */
typedef enum {
    BEX_HILBERT_FIRST, // of phi_1
    BEX_HILBERT_SECOND,
    BEX_HILBERT_VALUE,
    BEX_HILBERT_CRITICS,
    BEX_HILBERT_ACTOR,
    BEX_HILBERT_LOSSES,
} bex_hilbert_loss_kind;

typedef struct bex_hilbert_options {
    int O, A, Z;
    int hidden[BEX_MLP_LAYERS - 1]; // widths of every network, ending in 0
    double discount;
    double representation_expectile, value_expectile;
    double sharpness; // 10 of the actor's weights
} bex_hilbert_options;

typedef struct bex_hilbert {
    bex_hilbert_options o;
    bex_mlp phi, value, critic; // phi and critic: ensembles of two
    bex_diagonal_gaussian actor;
} bex_hilbert;

/* n transitions s --a--> s', each with a goal g and a skill z; reward -1 and mask 1, or 0 and 0 where g is
 * s. */
typedef struct bex_hilbert_batch {
    int n;
    const bex_real *obs, *act, *next, *goal, *skill; // (n,O), (n,A), (n,O), (n,O), (n,Z)
    const bex_real *reward, *mask;                   // (n)
} bex_hilbert_batch;

bex_hilbert bex_hilbert_add(bex_params *params, bex_hilbert_options options);

/* phi_1 of states (M,O): (M,Z). */
bex_tensor *bex_hilbert_place(bex_tape *tape, const bex_hilbert *net, bex_tensor *states);

/* The sum of all losses times `factor`, parts[BEX_HILBERT_LOSSES] of it; the tape records for `train` from
 * where the losses begin (NULL: it does not). target: the same networks over the following block. */
bex_tensor *bex_hilbert_loss(bex_tape *tape, const bex_hilbert *net, const bex_hilbert *target,
                             const bex_hilbert_batch *batch, const bex_params *train, double factor,
                             double parts[]);

#endif
