/* kernel/ref/ref_pool2d.h - the plain twin of kernel/pool2d.h, in double. Gradients are set; that of the
 * largest goes to the first of equals. */
#ifndef BEX_KERNEL_REF_REF_POOL2D_H
#define BEX_KERNEL_REF_REF_POOL2D_H

#include "kernel/pool2d.h"

void bex_ref_maxpool(bex_real *y, bex_real *dx, const bex_real *x, const bex_real *dy,
                     const bex_pool2d_dims *d);
void bex_ref_meanpool(bex_real *y, bex_real *dx, const bex_real *x, const bex_real *dy,
                      const bex_pool2d_dims *d);
void bex_ref_spatial_softmax(bex_real *y, bex_real *dx, const bex_real *x, const bex_real *dy,
                             int B, int H, int W, int C);

#endif
