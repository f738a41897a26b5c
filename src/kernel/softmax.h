/* kernel/softmax.h - softmax over the last dimension of (M,N); the row maximum is taken out first. */
#ifndef BEX_KERNEL_SOFTMAX_H
#define BEX_KERNEL_SOFTMAX_H

#include "base/real.h"

/* y = softmax(x); y may be x. */
void bex_softmax_fwd(bex_real *y, const bex_real *x, int M, int N);

/* dx = y (dy - sum(y dy)), or += if add. dx may be dy. */
void bex_softmax_bwd(bex_real *dx, const bex_real *dy, const bex_real *y, int M, int N, int add);

/* Rows of attention, before their division: p = exp(scale s - top) of (rows,n) in place, top (rows) = scale
 * max s, sum (rows) = sum(p). log(sum(exp(scale s))) = top + log(sum). */
void bex_softmax_rows(bex_real *s, int rows, int n, bex_real scale, bex_real *top, bex_real *sum);

#endif
