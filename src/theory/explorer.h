/* theory/explorer.h - the exact explorer: P_beta[a | s, h, cov(h u tau) = max] in a finite world.
 *
 * h are the states of all episodes so far, tau is this episode, and the maximum is over the
 * trajectories that beta can produce (conditioning on an event of probability 0 has no meaning).
 *
 *     cov(h) = 1 / sum_i 1 / (count(i) + lambda)          count(i): visits to feature direction i
 *
 * Features (phi one-hot):
 *   TERMINAL  non-zero at the final state only, a direction for each terminal: the proposition's.
 *   STATE     e_s for every visited state: the proposition does not cover it, and fails there.
 *
 * Ties are exact. Adding tau raises coverage by lowering the sum by  sum_{s in tau} g(count(s)),
 * g(n) = 1/(n + lambda) - 1/(n + 1 + lambda): worlds have no cycles, so tau meets a state once. With
 * TERMINAL features only count(s_K) matters, and -count is compared. With STATE features g is rounded to
 * integer units of g(0) / 2^46: integer sums do not depend on order, equal visit counts tie.
 *
 *     best(s) = gain(s) + max_a best(s')                         a in the support of beta
 *     q(s)    = sum_{a: best(s') = max} beta(a|s) q(s')          P_beta[E | s], in scaled doubles
 *     policy  = beta(a|s) q(s') / q(s) on those a, else 0
 *
 * The world must outlive the explorer. One thread at a time. */
#ifndef BEX_THEORY_EXPLORER_H
#define BEX_THEORY_EXPLORER_H

#include "theory/mdp.h"

typedef enum { BEX_FEATURE_TERMINAL, BEX_FEATURE_STATE } bex_finite_feature;

/* LEAST conditions on the smallest coverage: an explorer broken on purpose, to test the checks. */
typedef enum { BEX_AIM_MOST, BEX_AIM_LEAST } bex_explorer_aim;

typedef struct bex_explorer bex_explorer;

/* lambda in [1e-6, 1e6]. NULL with a message. History is empty. */
bex_explorer *bex_explorer_new(const bex_mdp *world, bex_finite_feature feature, double lambda,
                               bex_explorer_aim aim);
void bex_explorer_free(bex_explorer *explorer); // NULL is fine

/* The policy in `state`, given that the episode so far kept to it: probability (A). */
void bex_explorer_policy(const bex_explorer *explorer, int state, double *probability);

/* The exact distribution of this episode's terminal: probability (n_beta), in order of omega; 0
 * only where the policy cannot go. */
void bex_explorer_terminals(bex_explorer *explorer, double *probability);

/* Play one episode and add it to the history; returns its terminal state. */
int bex_explorer_episode(bex_explorer *explorer, bex_rng *rng);

int bex_explorer_visits(const bex_explorer *explorer,
                        int state);                         // count(s); TERMINAL: terminals only
double bex_explorer_coverage(const bex_explorer *explorer); // cov(h)

#endif
