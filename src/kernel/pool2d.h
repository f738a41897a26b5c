/* kernel/pool2d.h - pooling of pictures (B,H,W,C), channels last: y (B,OH,OW,C), or a place per channel.
 *
 *   max       the largest of a k x k window; outside the picture there is nothing
 *   mean      the sum of a k x k window over k^2; outside the picture there are zeros
 *   places    spatial softmax: p = softmax over the pixels of a channel; y (B,2,C) = the mean column and the
 *             mean row under p, -1 at the left or top pixel, 1 at the right or bottom one */
#ifndef BEX_KERNEL_POOL2D_H
#define BEX_KERNEL_POOL2D_H

#include "base/real.h"

typedef struct bex_pool2d_dims {
    int B, H, W, C;
    int k, stride, pad; // pad <= k / 2, k at most 15
} bex_pool2d_dims;

static inline int bex_pool2d_size(int size, int k, int stride, int pad) {
    return (size + 2 * pad - k) / stride + 1;
}

/* which (B,OH,OW,C) or NULL: the tap that was taken, the first of equals. The gradient goes there. */
void bex_maxpool_fwd(bex_real *y, unsigned char *which, const bex_real *x,
                     const bex_pool2d_dims *d);
void bex_maxpool_bwd(bex_real *dx, const bex_real *dy, const unsigned char *which,
                     const bex_pool2d_dims *d, int add);

void bex_meanpool_fwd(bex_real *y, const bex_real *x, const bex_pool2d_dims *d);
void bex_meanpool_bwd(bex_real *dx, const bex_real *dy, const bex_pool2d_dims *d, int add);

/* p (B,H,W,C) is kept for the gradient. */
void bex_spatial_softmax_fwd(bex_real *y, bex_real *p, const bex_real *x, int B, int H, int W,
                             int C);
void bex_spatial_softmax_bwd(bex_real *dx, const bex_real *dy, const bex_real *y, const bex_real *p,
                             int B, int H, int W, int C, int add);

#endif
