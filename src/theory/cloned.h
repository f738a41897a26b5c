/* theory/cloned.h - behavioural cloning in a finite world, which is beta itself: what it covers,
 * exactly. w(i) = P_beta[s_K = i] over the n_beta terminals it can reach.
 *
 *   distinct terminals after t episodes     sum_i 1 - (1 - w(i))^t
 *   episodes until all are seen             integral over t > 0 of 1 - prod_i (1 - e^{-w(i) t})
 *
 * The second is the coupon collector with unequal coupons: draws at the times of a Poisson process
 * of rate 1 make coupons independent, and as many draws as time passes are expected. */
#ifndef BEX_THEORY_CLONED_H
#define BEX_THEORY_CLONED_H

#include "theory/mdp.h"

/* w (n_beta) in order of world->omega. Negative with a message: memory. */
int bex_cloned_terminals(const bex_mdp *world, double *w);

double bex_cloned_distinct(const double *w, int n, double episodes);
double bex_cloned_episodes(const double *w, int n); // to 1e-9 of itself; INFINITY where a w is 0

/* One episode of beta: its terminal state. */
int bex_cloned_episode(const bex_mdp *world, bex_rng *rng);

#endif
