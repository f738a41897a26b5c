/* policy/proposals.h - the noise that the proposals of a plan start from, and what of it the next plan takes over.
 *
 * Denoising is deterministic: from a state a few steps on, the noise of a proposal leads to the same future, continued.
 * So the better half of the proposals keep their noise, in the order of their rank, and only the others are drawn
 * anew. Without that every plan would have to find again, by chance, the rare future the one before it
 * set out for; with it the search goes on over an episode. One proposal is always drawn anew: the policy alone.
 *
 *     forget             an episode begins
 *     draw(x)            the noise of a plan's n proposals: kept ones first, new ones behind
 *     ... denoise x, measure each proposal's distance to what is asked ...
 *     rank(distance)     what the next draw keeps
 *
 * Nothing is allocated after new. */
#ifndef BEX_POLICY_PROPOSALS_H
#define BEX_POLICY_PROPOSALS_H

#include "base/real.h"
#include "base/rng.h"

typedef struct bex_proposals bex_proposals;

/* n proposals of `size` numbers. NULL with a message. */
bex_proposals *bex_proposals_new(int n, size_t size);
void bex_proposals_free(bex_proposals *p); // NULL is fine

void bex_proposals_forget(bex_proposals *p);
void bex_proposals_draw(bex_proposals *p, bex_real *x, bex_rng *rng); // x (n,size)

/* distance (n) of the proposals drawn last; the smaller ones stay, ties to the first. */
void bex_proposals_rank(bex_proposals *p, const double *distance);

#endif
