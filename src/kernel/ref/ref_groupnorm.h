/* kernel/ref/ref_groupnorm.h - the plain twin of kernel/groupnorm.h, in double throughout. */
#ifndef BEX_KERNEL_REF_REF_GROUPNORM_H
#define BEX_KERNEL_REF_REF_GROUPNORM_H

#include "kernel/groupnorm.h"

void bex_ref_groupnorm_fwd(bex_real *y, const bex_real *x, const bex_real *w, const bex_real *b,
                           const bex_real *r, const bex_groupnorm_dims *d);

/* dx, dr are set, dw, db added to. */
void bex_ref_groupnorm_bwd(bex_groupnorm_gradients g, const bex_real *dy, const bex_real *y,
                           const bex_real *x, const bex_real *w, const bex_groupnorm_dims *d);

#endif
