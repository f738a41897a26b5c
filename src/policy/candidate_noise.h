/* policy/candidate_noise.h - the noise that the candidates of a plan are denoised from, and what of it the
 * next plan keeps.
 *
 * Denoising is deterministic: from a state a few steps on, the noise of a candidate leads to the same future,
 * continued. So the better half of the candidates keep their noise, in the order of their rank, and only the
 * others are drawn anew. Without that every plan would have to find again, by chance, the rare future the one
 * before it set out for; with it the search goes on over an episode. One candidate is always drawn anew: the
 * policy alone.
 * Only the columns that determine the future need be kept, `from` and behind: where those of the actions are
 * drawn anew for every plan, a body that is stuck is not held there by the same noise again and again.
 *
 *     forget             an episode begins
 *     draw(x)            the noise of a plan's n candidates: kept ones first, new ones behind
 *     ... denoise x, measure each candidate's distance to the target ...
 *     keep(distance)     the nearer half, for the next draw
 *     continue(x)        the noise of a plan with one candidate, the best of those kept
 *
 * Nothing is allocated after new. */
#ifndef BEX_POLICY_CANDIDATE_NOISE_H
#define BEX_POLICY_CANDIDATE_NOISE_H

#include "base/real.h"
#include "base/rng.h"

#include <stdbool.h>

typedef struct bex_candidate_noise bex_candidate_noise;

/* n candidates of (rows, columns), columns `from` and behind kept. NULL with a message. */
bex_candidate_noise *bex_candidate_noise_new(int n, int rows, int columns, int from);
void bex_candidate_noise_free(bex_candidate_noise *p); // NULL is fine

void bex_candidate_noise_forget(bex_candidate_noise *p);
void bex_candidate_noise_draw(bex_candidate_noise *p, bex_real *x, bex_rng *rng); // x (n,size)

/* x (size). Whether there is one to continue: else nothing is done. */
bool bex_candidate_noise_continue(const bex_candidate_noise *p, bex_real *x, bex_rng *rng);

/* distance (made) of the first of the candidates drawn last; the smaller ones stay, as many as half of all,
 * ties to the first. */
void bex_candidate_noise_keep(bex_candidate_noise *p, const double *distance, int made);

#endif
