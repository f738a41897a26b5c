/* kernel/dropout.h - masks of one byte an element, and what they do to an array. */
#ifndef BEX_KERNEL_DROPOUT_H
#define BEX_KERNEL_DROPOUT_H

#include "base/real.h"
#include "base/rng.h"

/* keep[i] = 1 with probability 1 - p, else 0. Sixteen random bits decide, so p is rounded to a multiple of
 * 2^-16. The stream moves on by a multiple of BEX_PHILOX_BLOCKS blocks. Returns 1 / (1 - p) of that p: the
 * factor that makes the mean of keep times factor 1. */
bex_real bex_dropout_draw(unsigned char *keep, size_t n, double p, bex_rng *rng);

/* x[i] times keep[i] factor. */
void bex_dropout_apply(bex_real *x, const unsigned char *keep, bex_real factor, size_t n);

#endif
