/* kernel/ref/ref_layernorm.h - the plain twin of kernel/layernorm.h, in double throughout. */
#ifndef BEX_KERNEL_REF_REF_LAYERNORM_H
#define BEX_KERNEL_REF_REF_LAYERNORM_H

#include "kernel/layernorm.h"

void bex_ref_layernorm_fwd(bex_real *y, const bex_real *x, const bex_real *w, const bex_real *b,
                           const bex_real *scale, const bex_real *shift, bex_layernorm_dims d);

/* dx is set; the others are added to; any may be NULL. */
void bex_ref_layernorm_bwd(bex_real *dx, bex_real *dw, bex_real *db, bex_real *dscale,
                           bex_real *dshift, const bex_real *dy, const bex_real *x,
                           const bex_real *w, const bex_real *b, const bex_real *scale,
                           bex_layernorm_dims d);

#endif
