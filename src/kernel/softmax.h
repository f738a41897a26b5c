/* kernel/softmax.h - softmax over the last dimension of (M,N); the row maximum is taken out first. */
#ifndef BEX_KERNEL_SOFTMAX_H
#define BEX_KERNEL_SOFTMAX_H

#include "base/real.h"

/* y = softmax(x); y may be x. */
void bex_softmax_fwd(bex_real *y, const bex_real *x, int M, int N);

/* dx = y (dy - sum(y dy)), or += if add. dx may be dy. */
void bex_softmax_bwd(bex_real *dx, const bex_real *dy, const bex_real *y, int M, int N, int add);

/* One row of attention: p[j] = exp(scale s[j] - m), m = scale max s, in place; returns log of
 * sum(exp(scale s)) and, in *sum, sum(p). */
bex_real bex_softmax_row(bex_real *s, int n, bex_real scale, bex_real *sum);

#endif
