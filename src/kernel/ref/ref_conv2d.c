/* kernel/ref/ref_conv2d.c - every element is one sum of products, gathered in double. */
#include "kernel/ref/ref_conv2d.h"

// x at tap (r,c) of output (i,j); NULL outside the picture
static const bex_real *seen(const bex_real *x, const bex_conv2d_dims *d, int b, int i, int j, int r,
                            int c) {
    int y = i * d->stride + r - d->pad, w = j * d->stride + c - d->pad;
    if (y < 0 || w < 0 || y >= d->H || w >= d->W) return NULL;
    return x + (((ptrdiff_t)b * d->H + y) * d->W + w) * d->C;
}

static const bex_real *tap(const bex_real *W, const bex_conv2d_dims *d, int n, int r, int c) {
    return W + (((ptrdiff_t)n * d->kh + r) * d->kw + c) * d->C;
}

#define EACH_OUTPUT(d)                                                                             \
    for (int b = 0; b < (d)->B; b++)                                                               \
        for (int i = 0; i < bex_conv2d_height(d); i++)                                             \
            for (int j = 0; j < bex_conv2d_width(d); j++)
#define EACH_TAP(d)                                                                                \
    for (int r = 0; r < (d)->kh; r++)                                                              \
        for (int c = 0; c < (d)->kw; c++)

void bex_ref_conv2d_fwd(bex_real *y, const bex_real *x, const bex_real *W, const bex_real *bias,
                        const bex_conv2d_dims *d) {
    EACH_OUTPUT(d)
    for (int n = 0; n < d->N; n++, y++) {
        double sum = bias ? (double)bias[n] : 0;
        EACH_TAP(d) {
            const bex_real *v = seen(x, d, b, i, j, r, c), *w = tap(W, d, n, r, c);
            for (int k = 0; v && k < d->C; k++) sum += (double)v[k] * (double)w[k];
        }
        *y = (bex_real)sum;
    }
}

// dx[at] = sum over the outputs whose taps meet it
void bex_ref_conv2d_bwd_x(bex_real *dx, const bex_real *dy, const bex_real *W,
                          const bex_conv2d_dims *d) {
    for (ptrdiff_t at = 0; at < (ptrdiff_t)d->B * d->H * d->W; at++)
        for (int k = 0; k < d->C; k++) {
            double sum = 0;
            const bex_real *g = dy;
            EACH_OUTPUT(d)
            for (int n = 0; n < d->N; n++, g++) EACH_TAP(d)
            if (seen(dx, d, b, i, j, r, c) == dx + at * d->C)
                sum += (double)*g * (double)tap(W, d, n, r, c)[k];
            dx[at * d->C + k] = (bex_real)sum;
        }
}

void bex_ref_conv2d_bwd_w(bex_real *dW, const bex_real *dy, const bex_real *x,
                          const bex_conv2d_dims *d) {
    for (int n = 0; n < d->N; n++) EACH_TAP(d)
    for (int k = 0; k < d->C; k++) {
        double sum = 0;
        const bex_real *g = dy + n;
        EACH_OUTPUT(d) {
            const bex_real *v = seen(x, d, b, i, j, r, c);
            if (v) sum += (double)*g * (double)v[k];
            g += d->N;
        }
        *dW++ = (bex_real)sum;
    }
}
