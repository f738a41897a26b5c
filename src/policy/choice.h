/* policy/choice.h - of several proposed futures, the one whose coverage is nearest the asked one.
 *
 * With model.waypoints a sample of the policy is (actions, waypoints): where the demonstrator would be
 * (k + 1) F / K steps on, k < K. In training windows and histories are independent draws, so
 *     p(a | s, h, c) = p(a, tau | s) restricted to z(log cov(h u tau)) = c,
 * and n proposals of p(., tau | s, ...) of which the nearest to c is taken sample that law, with
 * the history entering exactly, through cov, not through what the network made of it. n = 1: the network
 * alone.
 *
 * tau is read as its K waypoints, each counted (F + 1) / K times. With coverage.places a proposal of which more than a tenth of
 * the waypoints are where no demonstrator was (policy/support.h) is taken only if all are, the one with the fewest
 * such. Nothing is allocated after new. */
#ifndef BEX_POLICY_CHOICE_H
#define BEX_POLICY_CHOICE_H

#include "policy/policy.h"

typedef struct bex_choice bex_choice;

/* Of up to `most` proposals. Borrows the policy, which must have waypoints and a coverage token and
 * no coverage.novelty. NULL with a message. */
bex_choice *bex_choice_new(const bex_policy *policy, int most);
void bex_choice_free(bex_choice *c); // NULL is fine

/* The history by its sum, of N states or as many as N (control.c gives that of the whole memory, scaled),
 * relative features seen from the state acted from: M factorisations. */
int bex_choice_history(bex_choice *c, const double *gram);

/* x (n, K, dit.o.A) proposals in network units from `state` (O), world's units. Sets *best; ties go to the
 * first. Negative with a message. */
int bex_choice_make(bex_choice *c, const bex_real *x, int n, const bex_real *state, double target,
                    int *best);

/* Of proposal i of the last make: its coverage input; whether no more than a tenth of its waypoints are where nobody was; all of
 * them, how far that is from the target, or STRANGE more for each waypoint too many where nobody was. */
double bex_choice_value(const bex_choice *c, int i);
bool bex_choice_possible(const bex_choice *c, int i);
const double *bex_choice_distances(const bex_choice *c);

#endif
