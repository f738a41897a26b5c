/* policy/proposals.h - the noise that the proposals of a plan start from, and what of it the next plan takes over.
 *
 * Denoising is deterministic: from a state a few steps on, the noise of a proposal leads to the same future, continued.
 * So the better half of the proposals keep their noise, in the order of their rank, and only the others are drawn
 * anew. Without that every plan would have to find again, by chance, the rare future the one before it
 * set out for; with it the search goes on over an episode. One proposal is always drawn anew: the policy alone.
 * Only the columns that tell the future need be kept, `from` and behind: where those of the actions are drawn anew for
 * every plan, a body that is stuck is not held there by the same noise again and again.
 *
 *     forget             an episode begins
 *     draw(x)            the noise of a plan's n proposals: kept ones first, new ones behind
 *     ... denoise x, measure each proposal's distance to what is asked ...
 *     rank(distance)     what the next draw keeps
 *     follow(x)          the noise of a plan with one proposal, the best of the last rank
 *
 * Nothing is allocated after new. */
#ifndef BEX_POLICY_PROPOSALS_H
#define BEX_POLICY_PROPOSALS_H

#include "base/real.h"
#include "base/rng.h"

#include <stdbool.h>

typedef struct bex_proposals bex_proposals;

/* n proposals of (rows, columns), columns `from` and behind kept. NULL with a message. */
bex_proposals *bex_proposals_new(int n, int rows, int columns, int from);
void bex_proposals_free(bex_proposals *p); // NULL is fine

void bex_proposals_forget(bex_proposals *p);
void bex_proposals_draw(bex_proposals *p, bex_real *x, bex_rng *rng); // x (n,size)

/* x (size). Whether there is one to follow: else nothing is done. */
bool bex_proposals_follow(const bex_proposals *p, bex_real *x, bex_rng *rng);

/* distance (n) of the proposals drawn last; the smaller ones stay, ties to the first. */
void bex_proposals_rank(bex_proposals *p, const double *distance);

#endif
