/* policy/support.h - where demonstrators have been: some of their states, and how far from those a
 * demonstrated state is at most.
 *
 *     fit       P demonstrated states, as far from each other as can be; of others the largest distance to
 *               the nearest
 *     off(s)    distance of s to the nearest of the P, over that: above 1, s is unsupported
 *
 * In the dims of a future's waypoints (coverage.dims), each over its standard deviation. A network also
 * proposes impossible futures, through walls say, and those look most novel: of many candidates the most
 * covering is one of them. The choice (policy/choice.h) leaves them out. Immutable; any thread. */
#ifndef BEX_POLICY_SUPPORT_H
#define BEX_POLICY_SUPPORT_H

#include "base/rng.h"
#include "policy/normaliser.h"

typedef struct bex_support bex_support;

/* states (rows, n->O) in the world's units; dim (W) of them count. NULL with a message. */
bex_support *bex_support_fit(const bex_normaliser *n, const bex_real *states, int64_t rows,
                             const int *dim, int W, int places, bex_rng rng);
void bex_support_free(bex_support *s); // NULL is fine

double bex_support_off(const bex_support *s, const bex_real *state); // state (O), the world's units

/* As tensors "support.*". The writer borrows. */
void bex_support_save(const bex_support *s, bex_st_writer *w);
bex_support *bex_support_load(const bex_st_file *f, const bex_normaliser *n, const int *dim, int W,
                              int places);

#endif
