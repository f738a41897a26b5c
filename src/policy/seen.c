/* policy/seen.c - principal directions by orthogonal iteration: V <- orthonormal(X^T X V), in double. */
#include "policy/seen.h"

#include "base/error.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 40 };
static const double LEAST = 1e-9; // a direction of less of the first one's spread is none

// columns of V (F,n) made orthonormal in their order, by Gram and Schmidt twice over; spread (n): lengths
static void orthonormalise(double *V, int F, int n, double *spread) {
    for (int j = 0; j < n; j++) {
        double length = 0;
        for (int again = 0; again < 2; again++)
            for (int i = 0; i < j; i++) {
                double dot = 0;
                for (int f = 0; f < F; f++) dot += V[f * n + i] * V[f * n + j];
                for (int f = 0; f < F; f++) V[f * n + j] -= dot * V[f * n + i];
            }
        for (int f = 0; f < F; f++) length += V[f * n + j] * V[f * n + j];
        spread[j] = sqrt(length);
        for (int f = 0; f < F && spread[j] > 0; f++) V[f * n + j] /= spread[j];
    }
}

// V <- sum over moments of (x - mean) (x - mean)^T V; W (F,n) and y (n) are scratch
static void turn(double *V, double *W, double *y, const bex_seen *s, const bex_real *const *x,
                 int moments) {
    int F = s->features, n = s->columns;
    memset(W, 0, (size_t)F * (size_t)n * sizeof *W);
    for (int m = 0; m < moments; m++) {
        memset(y, 0, (size_t)n * sizeof *y);
        for (int f = 0; f < F; f++)
            for (int j = 0; j < n; j++) y[j] += (double)(x[m][f] - s->mean[f]) * V[f * n + j];
        for (int f = 0; f < F; f++)
            for (int j = 0; j < n; j++) W[f * n + j] += (double)(x[m][f] - s->mean[f]) * y[j];
    }
    memcpy(V, W, (size_t)F * (size_t)n * sizeof *V);
}

// the largest part of a direction points upwards: one of its two signs, always the same
static void take(bex_seen *s, const double *V) {
    int F = s->features, n = s->columns;
    for (int j = 0; j < n; j++) {
        int most = 0;
        for (int f = 1; f < F; f++)
            if (fabs(V[f * n + j]) > fabs(V[most * n + j])) most = f;
        double sign = V[most * n + j] < 0 ? -1 : 1;
        for (int f = 0; f < F; f++) s->axis[j * F + f] = (bex_real)(sign * V[f * n + j]);
    }
}

static int find_axes(bex_seen *s, const bex_real *const *x, int moments) {
    int F = s->features, n = s->columns;
    size_t size = (size_t)F * (size_t)n;
    double *V = calloc(2 * size + 2 * (size_t)n, sizeof *V), *W = V + size, *y = W + size,
           *spread = y + n;
    if (!V) return bex_fail("out of memory");
    bex_rng g = bex_rng_split(bex_rng_seed(0), "directions", 0);
    for (size_t i = 0; i < size; i++) V[i] = bex_rng_normal(&g);
    orthonormalise(V, F, n, spread);
    for (int t = 0; t < TURNS; t++) turn(V, W, y, s, x, moments), orthonormalise(V, F, n, spread);
    int code = 0, there = 0;
    while (there < n && spread[there] > LEAST * spread[0] && spread[0] > 0) there++;
    if (there < n)
        code = bex_fail("what the network sees differs in %d directions, vision.columns is %d",
                        there, n);
    take(s, V);
    free(V);
    return code;
}

static int allocate(bex_seen *s, int columns, int features) {
    *s = (bex_seen){.columns = columns, .features = features};
    s->mean = calloc((size_t)features, sizeof *s->mean);
    s->axis = calloc((size_t)columns * (size_t)features, sizeof *s->axis);
    return s->mean && s->axis ? 0 : bex_fail("out of memory");
}

int bex_seen_fit(bex_seen *s, int columns, int features, const bex_real *const *x, int moments) {
    int code = allocate(s, columns, features);
    for (int f = 0; f < features && code == 0; f++) {
        double sum = 0;
        for (int m = 0; m < moments; m++) sum += (double)x[m][f];
        s->mean[f] = (bex_real)(sum / moments);
    }
    if (code == 0) code = find_axes(s, x, moments);
    if (code < 0) bex_seen_fini(s);
    return code;
}

void bex_seen_fini(bex_seen *s) {
    free(s->mean);
    free(s->axis);
    *s = (bex_seen){0};
}

void bex_seen_columns(const bex_seen *s, bex_real *out, const bex_real *x) {
    for (int j = 0; j < s->columns; j++) {
        const bex_real *axis = s->axis + (size_t)j * (size_t)s->features;
        double sum = 0;
        for (int f = 0; f < s->features; f++) sum += (double)axis[f] * (double)(x[f] - s->mean[f]);
        out[j] = (bex_real)sum;
    }
}

void bex_seen_save(const bex_seen *s, bex_st_writer *w) {
    if (!s->columns) return;
    const int64_t dim[2] = {s->columns, s->features};
    bex_st_add_real(w, "seen.mean", 1, dim + 1, s->mean);
    bex_st_add_real(w, "seen.axis", 2, dim, s->axis);
}

int bex_seen_load(bex_seen *s, const bex_st_file *f, int columns, int features) {
    const int64_t dim[2] = {columns, features};
    int code = allocate(s, columns, features);
    if (code == 0) code = bex_st_read_real(f, "seen.mean", s->mean, 1, dim + 1);
    if (code == 0) code = bex_st_read_real(f, "seen.axis", s->axis, 2, dim);
    if (code < 0) bex_seen_fini(s);
    return code;
}
