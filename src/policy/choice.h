/* policy/choice.h - of several candidate futures, the one whose coverage is nearest the target.
 *
 * With model.waypoints a sample of the policy is (actions, waypoints): where the demonstrator would be
 * (k + 1) F / K steps on, k < K. In training, windows and histories are independent draws, so
 *     p(a | s, h, c) = p(a, tau | s) restricted to z(log cov(h u tau)) = c,
 * and n candidates of p(., tau | s, ...), of which the nearest to c is taken, sample that law with the
 * history entering exactly, through cov, not through what the network made of it. n = 1: the network alone.
 *
 * tau is read as its K waypoints, each counted (F + 1) / K times. With coverage.support a candidate of whose
 * waypoints more than a tenth are unsupported (policy/support.h) is taken only if all candidates are such:
 * then the one with the fewest. Nothing is allocated after new. */
#ifndef BEX_POLICY_CHOICE_H
#define BEX_POLICY_CHOICE_H

#include "policy/policy.h"

enum { BEX_CANDIDATES_MOST = 256 };

typedef struct bex_choice bex_choice;

/* Of up to `most` candidates. Borrows the policy, which must have waypoints and a coverage token and
 * no coverage.novelty. NULL with a message. */
bex_choice *bex_choice_new(const bex_policy *policy, int most);
void bex_choice_free(bex_choice *c); // NULL is fine

/* The history by its sum, of N states or as many as N (policy/past.c gives that of the whole memory, scaled),
 * relative features seen from the state acted from: M factorisations. */
int bex_choice_history(bex_choice *c, const double *gram);

/* x (n, K, columns) candidates in network units from `state` (O), world's units. Sets *best; ties go to the
 * first. Negative with a message. */
int bex_choice_make(bex_choice *c, const bex_real *x, int n, const bex_real *state, double target,
                    int *best);

/* The coverage input that states (n,O) seen since `from` (O) come to, counted as one future, with the history
 * last given: beside the value of the candidate that was followed. NaN: none, or no number. */
double bex_choice_value_of(bex_choice *c, const bex_real *states, int n, const bex_real *from);

/* Of the last make: */
double bex_choice_value(const bex_choice *c, int i); // coverage input of candidate i
/* whether at most a tenth of its waypoints are unsupported */
bool bex_choice_possible(const bex_choice *c, int i);
/* (n) |value - target|, and 1e6 more per waypoint beyond that tenth */
const double *bex_choice_distances(const bex_choice *c);

#endif
