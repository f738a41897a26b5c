/* kernel/ref/ref_conv2d.h - the plain twin of kernel/conv2d.h: the sum as it is written, in double. W is
 * (N,kh,kw,C), not packed. Gradients are set. */
#ifndef BEX_KERNEL_REF_REF_CONV2D_H
#define BEX_KERNEL_REF_REF_CONV2D_H

#include "kernel/conv2d.h"

void bex_ref_conv2d_fwd(bex_real *y, const bex_real *x, const bex_real *W, const bex_real *bias,
                        const bex_conv2d_dims *d);
void bex_ref_conv2d_bwd_x(bex_real *dx, const bex_real *dy, const bex_real *W,
                          const bex_conv2d_dims *d);
void bex_ref_conv2d_bwd_w(bex_real *dW, const bex_real *dy, const bex_real *x,
                          const bex_conv2d_dims *d);

#endif
