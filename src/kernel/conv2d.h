/* kernel/conv2d.h - convolution of pictures, channels last, on one thread.
 *
 *   y[b,i,j,n] = sum over r,c,k of x[b, i stride + r - pad, j stride + c - pad, k] W[n,r,c,k]
 *
 *   x (B,H,W,C)   W (N,kh,kw,C)   y (B,OH,OW,N),  OH = (H + 2 pad - kh) / stride + 1
 *
 * Outside the picture x is 0. Implicit products: no unfolded copy of all of x is made. A tile of output
 * pixels holds its sums in registers while it goes over the taps of the kernel, each of which is a row of C
 * numbers of x.
 * Pictures whose C is not a multiple of 16 (RGB) are copied once with a border, so that a row of the kernel,
 * kw C numbers, is one piece. Each output is one chain of additions over r, c, k: the same bits whatever the
 * batch. */
#ifndef BEX_KERNEL_CONV2D_H
#define BEX_KERNEL_CONV2D_H

#include "base/real.h"

typedef struct bex_conv2d_dims {
    int B, H, W, C;  // input
    int N;           // output channels
    int kh, kw;      // at most 64 taps
    int stride, pad; // the same both ways
} bex_conv2d_dims;

static inline int bex_conv2d_height(const bex_conv2d_dims *d) {
    return (d->H + 2 * d->pad - d->kh) / d->stride + 1;
}
static inline int bex_conv2d_width(const bex_conv2d_dims *d) {
    return (d->W + 2 * d->pad - d->kw) / d->stride + 1;
}

/* ---- weights as the tiles read them ---- */

/* Reals of the packed copy of W for the forward product, and for the gradient of x. */
size_t bex_conv2d_pack_size(int N, int taps, int C);
size_t bex_conv2d_pack_dx_size(int N, int taps, int C);
void bex_conv2d_pack(bex_real *packed, const bex_real *W, int N, int taps, int C);
void bex_conv2d_pack_dx(bex_real *packed, const bex_real *W, int N, int taps, int C);

/* ---- products ---- */

size_t bex_conv2d_scratch(const bex_conv2d_dims *d); // reals, of fwd and of bwd_w; may be 0

/* bias (N) or NULL. */
void bex_conv2d_fwd(bex_real *y, const bex_real *x, const bex_real *packed, const bex_real *bias,
                    const bex_conv2d_dims *d, bex_real *scratch);

/* dx = or += the gradient of x. */
void bex_conv2d_bwd_x(bex_real *dx, const bex_real *dy, const bex_real *packed_dx,
                      const bex_conv2d_dims *d, int add);

/* dW = or += the gradient of W (N,kh,kw,C). */
void bex_conv2d_bwd_w(bex_real *dW, const bex_real *dy, const bex_real *x, const bex_conv2d_dims *d,
                      int add, bex_real *scratch);

#endif
