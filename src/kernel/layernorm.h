/* kernel/layernorm.h - layer norm over the last dimension, plain and modulated.
 *
 *   n = (x - mean) rstd,  rstd = 1 / sqrt(var + eps)          per row; var is the biased variance
 *   u = n w + b                                               w, b (C); both NULL: u = n
 *   y = u scale + shift                                       scale, shift (M/T, C): one row of them
 *                                                             for each T consecutive rows of x
 * scale is used as it is, not 1 + scale (as in DiT-Policy; not as in DiT). scale and shift both
 * NULL: y = u. */
#ifndef BEX_KERNEL_LAYERNORM_H
#define BEX_KERNEL_LAYERNORM_H

#include "base/real.h"

typedef struct bex_layernorm_dims {
    int M, C; // rows, width
    int T;    // rows per row of scale and shift; divides M
    bex_real eps;
} bex_layernorm_dims;

/* y (M,C); mean, rstd (M) are kept for the backward pass, NULL to skip. y may be x. */
void bex_layernorm_fwd(bex_real *y, bex_real *mean, bex_real *rstd, const bex_real *x,
                       const bex_real *w, const bex_real *b, const bex_real *scale,
                       const bex_real *shift, bex_layernorm_dims d);

/* dx is set, or added to if add_dx. dw, db (C) and dscale, dshift (M/T, C) are added to. Any gradient
 * may be NULL. dx may be dy. scratch: 2 C reals. */
void bex_layernorm_bwd(bex_real *dx, bex_real *dw, bex_real *db, bex_real *dscale, bex_real *dshift,
                       const bex_real *dy, const bex_real *x, const bex_real *mean,
                       const bex_real *rstd, const bex_real *w, const bex_real *b,
                       const bex_real *scale, bex_layernorm_dims d, int add_dx, bex_real *scratch);

#endif
