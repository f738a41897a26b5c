/* kernel/groupnorm.h - group norm of pictures, channels last, with what follows it in a residual network.
 *
 *   n = (x - mean) rstd,  rstd = 1 / sqrt(var + eps)     over the P pixels and C/G channels of a group of one
 *                                                        picture; var is the biased variance
 *   y = act(n w + b + r)                                 w, b (C); r (B,P,C) a residual or NULL;
 *                                                        act: nothing, or max(0,.) with `relu`
 * mean and rstd are (B,G). A picture's bits do not depend on the batch. */
#ifndef BEX_KERNEL_GROUPNORM_H
#define BEX_KERNEL_GROUPNORM_H

#include "base/real.h"

typedef struct bex_groupnorm_dims {
    int B, P, C, G; // pictures, pixels, channels, groups: divides C
    int relu;
    bex_real eps;
} bex_groupnorm_dims;

/* scratch: 2 C. y may be x or r. */
void bex_groupnorm_fwd(bex_real *y, bex_real *mean, bex_real *rstd, const bex_real *x,
                       const bex_real *w, const bex_real *b, const bex_real *r,
                       const bex_groupnorm_dims *d, bex_real *scratch);

/* dw, db are added to; dx, dr set, or added to where their flag says so; any may be NULL, and dx may be dy. y
 * is read with relu only. scratch: 7 C. */
typedef struct bex_groupnorm_gradients {
    bex_real *dx, *dr, *dw, *db;
    int add_dx, add_dr;
} bex_groupnorm_gradients;
void bex_groupnorm_bwd(bex_groupnorm_gradients g, const bex_real *dy, const bex_real *y,
                       const bex_real *x, const bex_real *mean, const bex_real *rstd,
                       const bex_real *w, const bex_groupnorm_dims *d, bex_real *scratch);

#endif
