/* kernel/softmax.c - the largest of a row is taken off before exponentials, so that none overflows. */
#include "kernel/softmax.h"

#include "kernel/reduce.h"
#include "kernel/vmath.h"

void bex_softmax_rows(bex_real *s, int rows, int n, bex_real scale, bex_real *top, bex_real *sum) {
    // three loops: what ends a sum or a search in one row overlaps with the next row
    for (int i = 0; i < rows; i++) top[i] = scale * bex_max(s + (ptrdiff_t)i * n, (size_t)n);
    for (int i = 0; i < rows; i++) {
        bex_real *p = s + (ptrdiff_t)i * n, m = top[i];
        for (int j = 0; j < n; j++) p[j] = bex_exp_low(scale * p[j] - m);
    }
    for (int i = 0; i < rows; i++) sum[i] = bex_sum(s + (ptrdiff_t)i * n, (size_t)n);
}

void bex_softmax_fwd(bex_real *y, const bex_real *x, int M, int N) {
    for (int i = 0; i < M; i++, x += N, y += N) {
        bex_real m = bex_max(x, (size_t)N);
        for (int j = 0; j < N; j++) y[j] = bex_exp(x[j] - m);
        bex_real r = R(1) / bex_sum(y, (size_t)N);
        for (int j = 0; j < N; j++) y[j] *= r;
    }
}

void bex_softmax_bwd(bex_real *dx, const bex_real *dy, const bex_real *y, int M, int N, int add) {
    for (int i = 0; i < M; i++, dx += N, dy += N, y += N) {
        bex_real s = bex_dot(y, dy, (size_t)N);
        if (add)
            for (int j = 0; j < N; j++) dx[j] += y[j] * (dy[j] - s);
        else
            for (int j = 0; j < N; j++) dx[j] = y[j] * (dy[j] - s);
    }
}
