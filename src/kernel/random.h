/* kernel/random.h - arrays of random numbers from a counter-based stream. */
#ifndef BEX_KERNEL_RANDOM_H
#define BEX_KERNEL_RANDOM_H

#include "base/real.h"
#include "base/rng.h"

/* Fill x[n]; the stream moves on to the next whole block of four words. */
void bex_random_normal(bex_real *x, size_t n, bex_rng *rng); // N(0,1)
void bex_random_uniform(bex_real *x, size_t n, bex_real low, bex_real high, bex_rng *rng);

/* keep[i] = 1/(1-p) with probability 1-p, else 0: a dropout mask with mean 1. */
void bex_random_keep(bex_real *keep, size_t n, bex_real p, bex_rng *rng);

#endif
