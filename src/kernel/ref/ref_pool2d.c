/* kernel/ref/ref_pool2d.c - one number of y at a time, and at once what its gradient adds to dx. */
#include "kernel/ref/ref_pool2d.h"

#include <stdbool.h>

static bool inside(const bex_pool2d_dims *d, int y, int x) {
    return y >= 0 && x >= 0 && y < d->H && x < d->W;
}

static ptrdiff_t pixel(int H, int W, int C, int b, int y, int x) {
    return (((ptrdiff_t)b * H + y) * W + x) * C;
}

// y of one window, and its gradient
static bex_real window(bex_real *dx, const bex_real *x, bex_real dy, const bex_pool2d_dims *d,
                       int b, int i, int j, int c, bool mean) {
    ptrdiff_t taken = -1;
    double sum = 0;
    for (int r = i * d->stride - d->pad; r < i * d->stride - d->pad + d->k; r++)
        for (int t = j * d->stride - d->pad; t < j * d->stride - d->pad + d->k; t++) {
            if (!inside(d, r, t)) continue;
            ptrdiff_t at = pixel(d->H, d->W, d->C, b, r, t) + c;
            sum += (double)x[at];
            if (taken < 0 || x[at] > x[taken]) taken = at;
            if (mean) dx[at] += dy / (bex_real)(d->k * d->k);
        }
    if (!mean) dx[taken] += dy;
    return mean ? (bex_real)(sum / (d->k * d->k)) : x[taken];
}

static void pool(bex_real *y, bex_real *dx, const bex_real *x, const bex_real *dy,
                 const bex_pool2d_dims *d, bool mean) {
    ptrdiff_t n = pixel(d->H, d->W, d->C, d->B, 0, 0);
    for (ptrdiff_t i = 0; i < n; i++) dx[i] = 0;
    for (int b = 0; b < d->B; b++)
        for (int i = 0; i < bex_pool2d_size(d->H, d->k, d->stride, d->pad); i++)
            for (int j = 0; j < bex_pool2d_size(d->W, d->k, d->stride, d->pad); j++)
                for (int c = 0; c < d->C; c++) *y++ = window(dx, x, *dy++, d, b, i, j, c, mean);
}

void bex_ref_maxpool(bex_real *y, bex_real *dx, const bex_real *x, const bex_real *dy,
                     const bex_pool2d_dims *d) {
    pool(y, dx, x, dy, d, false);
}

void bex_ref_meanpool(bex_real *y, bex_real *dx, const bex_real *x, const bex_real *dy,
                      const bex_pool2d_dims *d) {
    pool(y, dx, x, dy, d, true);
}

// of the pixel (i,j): its place along columns (axis 0) or rows
static double place(int axis, int i, int j, int H, int W) {
    int at = axis ? i : j, n = axis ? H : W;
    return n > 1 ? 2.0 * at / (n - 1) - 1 : 0;
}

#define EACH_PIXEL                                                                                 \
    for (int i = 0; i < H; i++)                                                                    \
        for (int j = 0; j < W; j++)

void bex_ref_spatial_softmax(bex_real *y, bex_real *dx, const bex_real *x, const bex_real *dy,
                             int B, int H, int W, int C) {
    for (int b = 0; b < B; b++)
        for (int c = 0; c < C; c++) {
            double most = -INFINITY, sum = 0, mean[2] = {0, 0};
            EACH_PIXEL {
                double value = (double)x[pixel(H, W, C, b, i, j) + c];
                if (value > most) most = value;
            }
            EACH_PIXEL sum += exp((double)x[pixel(H, W, C, b, i, j) + c] - most);
            for (int axis = 0; axis < 2; axis++) {
                EACH_PIXEL mean[axis] += exp((double)x[pixel(H, W, C, b, i, j) + c] - most) / sum *
                                         place(axis, i, j, H, W);
                y[(ptrdiff_t)b * 2 * C + axis * C + c] = (bex_real)mean[axis];
            }
            EACH_PIXEL {
                double p = exp((double)x[pixel(H, W, C, b, i, j) + c] - most) / sum, g = 0;
                for (int axis = 0; axis < 2; axis++)
                    g += p * (place(axis, i, j, H, W) - mean[axis]) *
                         (double)dy[(ptrdiff_t)b * 2 * C + axis * C + c];
                dx[pixel(H, W, C, b, i, j) + c] = (bex_real)g;
            }
        }
}
