/* kernel/random.h - arrays of random numbers from a counter-based stream. */
#ifndef BEX_KERNEL_RANDOM_H
#define BEX_KERNEL_RANDOM_H

#include "base/real.h"
#include "base/rng.h"

/* Fill x[n]; the stream moves on to the next whole block of four words. */
void bex_random_normal(bex_real *x, size_t n, bex_rng *rng); // N(0,1)
void bex_random_uniform(bex_real *x, size_t n, bex_real low, bex_real high, bex_rng *rng);

#endif
