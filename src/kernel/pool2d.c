/* kernel/pool2d.c - windows are walked pixel by pixel, all channels of a pixel side by side. */
#include "kernel/pool2d.h"

#include "base/error.h"

#include <string.h>

typedef struct {
    int low[2], high[2]; // taps inside the picture: rows, columns
    ptrdiff_t at;        // of tap (0,0), which may be outside
} window;

static void check(const bex_pool2d_dims *d) {
    BEX_CHECK(d->H > 0 && d->W > 0 && d->C > 0 && d->k > 0 && d->k <= 15 && d->stride > 0 &&
                  d->pad >= 0 && 2 * d->pad <= d->k && d->H + 2 * d->pad >= d->k &&
                  d->W + 2 * d->pad >= d->k,
              "pooling of (%d,%d,%d,%d) by %d, stride %d, pad %d", d->B, d->H, d->W, d->C, d->k,
              d->stride, d->pad);
}

static window window_of(const bex_pool2d_dims *d, int b, int i, int j) {
    int y = i * d->stride - d->pad, x = j * d->stride - d->pad;
    window w = {.at = (((ptrdiff_t)b * d->H + y) * d->W + x) * d->C};
    w.low[0] = y < 0 ? -y : 0, w.low[1] = x < 0 ? -x : 0;
    w.high[0] = d->H - y < d->k ? d->H - y : d->k;
    w.high[1] = d->W - x < d->k ? d->W - x : d->k;
    return w;
}

static size_t count(const bex_pool2d_dims *d) {
    return (size_t)d->B * (size_t)d->H * (size_t)d->W * (size_t)d->C;
}

#define EACH_OUTPUT(d)                                                                             \
    for (int b = 0; b < (d)->B; b++)                                                               \
        for (int i = 0; i < bex_pool2d_size((d)->H, (d)->k, (d)->stride, (d)->pad); i++)           \
            for (int j = 0; j < bex_pool2d_size((d)->W, (d)->k, (d)->stride, (d)->pad); j++)
#define EACH_TAP(w)                                                                                \
    for (int r = (w).low[0]; r < (w).high[0]; r++)                                                 \
        for (int t = (w).low[1]; t < (w).high[1]; t++)

void bex_maxpool_fwd(bex_real *y, unsigned char *which, const bex_real *x,
                     const bex_pool2d_dims *d) {
    check(d);
    const int C = d->C;
    EACH_OUTPUT(d) {
        window w = window_of(d, b, i, j);
        int first = 1;
        EACH_TAP(w) {
            const bex_real *restrict in = x + w.at + (ptrdiff_t)(r * d->W + t) * C;
            unsigned char tap = (unsigned char)(r * d->k + t);
            if (first) {
                memcpy(y, in, (size_t)C * sizeof *y);
                if (which) memset(which, tap, (size_t)C);
            } else if (which) {
                for (int c = 0; c < C; c++) which[c] = in[c] > y[c] ? tap : which[c];
            }
            // not (in <= y), so that NaN stays NaN
            for (int c = 0; c < C && !first; c++)
                y[c] = in[c] <= y[c] || y[c] != y[c] ? y[c] : in[c];
            first = 0;
        }
        y += C;
        if (which) which += C;
    }
}

void bex_maxpool_bwd(bex_real *dx, const bex_real *dy, const unsigned char *which,
                     const bex_pool2d_dims *d, int add) {
    check(d);
    const int C = d->C;
    if (!add) memset(dx, 0, count(d) * sizeof *dx);
    EACH_OUTPUT(d) {
        window w = window_of(d, b, i, j);
        EACH_TAP(w) {
            bex_real *to = dx + w.at + (ptrdiff_t)(r * d->W + t) * C;
            unsigned char tap = (unsigned char)(r * d->k + t);
            for (int c = 0; c < C; c++) to[c] += which[c] == tap ? dy[c] : R(0);
        }
        dy += C, which += C;
    }
}

void bex_meanpool_fwd(bex_real *y, const bex_real *x, const bex_pool2d_dims *d) {
    check(d);
    const int C = d->C;
    const bex_real share = R(1) / (bex_real)(d->k * d->k);
    EACH_OUTPUT(d) {
        window w = window_of(d, b, i, j);
        memset(y, 0, (size_t)C * sizeof *y);
        EACH_TAP(w)
        for (int c = 0; c < C; c++) y[c] += x[w.at + (ptrdiff_t)(r * d->W + t) * C + c];
        for (int c = 0; c < C; c++) y[c] *= share;
        y += C;
    }
}

void bex_meanpool_bwd(bex_real *dx, const bex_real *dy, const bex_pool2d_dims *d, int add) {
    check(d);
    const int C = d->C;
    const bex_real share = R(1) / (bex_real)(d->k * d->k);
    if (!add) memset(dx, 0, count(d) * sizeof *dx);
    EACH_OUTPUT(d) {
        window w = window_of(d, b, i, j);
        EACH_TAP(w)
        for (int c = 0; c < C; c++) dx[w.at + (ptrdiff_t)(r * d->W + t) * C + c] += share * dy[c];
        dy += C;
    }
}

// -1 .. 1 over n pixels
static bex_real place(int i, int n) {
    return n > 1 ? R(2) * (bex_real)i / (bex_real)(n - 1) - R(1) : R(0);
}

// softmax over the P pixels of each channel
static void softmax_pixels(bex_real *p, const bex_real *x, int P, int C) {
    for (int c = 0; c < C; c++) {
        bex_real most = x[c], sum = 0;
        for (int i = 1; i < P; i++) most = bex_fmax(most, x[(ptrdiff_t)i * C + c]);
        for (int i = 0; i < P; i++) {
            bex_real e = (bex_real)exp((double)(x[(ptrdiff_t)i * C + c] - most));
            p[(ptrdiff_t)i * C + c] = e, sum += e;
        }
        for (int i = 0; i < P; i++) p[(ptrdiff_t)i * C + c] /= sum;
    }
}

void bex_spatial_softmax_fwd(bex_real *y, bex_real *p, const bex_real *x, int B, int H, int W,
                             int C) {
    const ptrdiff_t picture = (ptrdiff_t)H * W * C;
    for (int b = 0; b < B; b++, x += picture, p += picture, y += 2 * C) {
        softmax_pixels(p, x, H * W, C);
        memset(y, 0, 2 * (size_t)C * sizeof *y);
        for (int i = 0; i < H * W; i++)
            for (int c = 0; c < C; c++) {
                y[c] += p[(ptrdiff_t)i * C + c] * place(i % W, W);
                y[C + c] += p[(ptrdiff_t)i * C + c] * place(i / W, H);
            }
    }
}

void bex_spatial_softmax_bwd(bex_real *dx, const bex_real *dy, const bex_real *y, const bex_real *p,
                             int B, int H, int W, int C, int add) {
    const ptrdiff_t picture = (ptrdiff_t)H * W * C;
    for (int b = 0; b < B; b++, dx += picture, p += picture, y += 2 * C, dy += 2 * C)
        for (int i = 0; i < H * W; i++)
            for (int c = 0; c < C; c++) {
                bex_real g =
                    (place(i % W, W) - y[c]) * dy[c] + (place(i / W, H) - y[C + c]) * dy[C + c];
                bex_real *to = dx + (ptrdiff_t)i * C + c;
                *to = (add ? *to : R(0)) + p[(ptrdiff_t)i * C + c] * g;
            }
}
