/* tests/coverage/sample.h - random inputs, and coverage in 113-bit arithmetic to compare with. */
#ifndef BEX_TESTS_COVERAGE_SAMPLE_H
#define BEX_TESTS_COVERAGE_SAMPLE_H

#include "base/error.h"
#include "base/real.h"
#include "base/rng.h"
#include "coverage/gram.h"

#include "test.h"

#include <math.h>

#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 quad;
#else
typedef long double quad; // where it has as many digits
#endif

static inline void *need(void *memory) {
    if (!memory) fail_msg("%s", *bex_error() ? bex_error() : "out of memory");
    return memory;
}

static inline bex_real *normals(size_t n, uint64_t seed) {
    bex_real *x = need(malloc(n * sizeof *x));
    bex_rng rng = bex_rng_seed(seed);
    for (size_t i = 0; i < n; i++) x[i] = R(bex_rng_normal(&rng));
    return x;
}

static inline double *empty_sum(bex_gram_shape shape) {
    return need(calloc(bex_gram_size(shape), sizeof(double)));
}

// 1 / tr(a^-1) by Gauss-Jordan elimination, a (d, d) symmetric positive definite, overwritten
static inline double quad_coverage(quad *a, int d) {
    quad *inverse = need(calloc((size_t)(d * d), sizeof *inverse)), trace = 0;
    for (int i = 0; i < d; i++) inverse[i * d + i] = 1;
    for (int p = 0; p < d; p++) {
        quad pivot = a[p * d + p];
        for (int j = 0; j < d; j++) a[p * d + j] /= pivot, inverse[p * d + j] /= pivot;
        for (int i = 0; i < d; i++) {
            quad m = a[i * d + p];
            for (int j = 0; j < d && i != p; j++)
                a[i * d + j] -= m * a[p * d + j], inverse[i * d + j] -= m * inverse[p * d + j];
        }
    }
    for (int i = 0; i < d; i++) trace += inverse[i * d + i];
    free(inverse);
    return (double)(1 / trace);
}

// from feature rows, everything in 113 bits; rows NULL: 0..n-1
static inline double quad_coverage_of(const bex_real *features, const int *rows, size_t n, int d,
                                      double lambda) {
    quad *a = need(calloc((size_t)(d * d), sizeof *a));
    for (int i = 0; i < d; i++) a[i * d + i] = lambda;
    for (size_t k = 0; k < n; k++) {
        const bex_real *x = features + (rows ? (size_t)rows[k] : k) * (size_t)d;
        for (int i = 0; i < d; i++)
            for (int j = 0; j < d; j++) a[i * d + j] += (quad)x[i] * (quad)x[j];
    }
    double cov = quad_coverage(a, d);
    free(a);
    return cov;
}

#define assert_close(a, b, tolerance)                                                              \
    do {                                                                                           \
        double x_ = (a), y_ = (b);                                                                 \
        if (!(fabs(x_ - y_) <= (tolerance)*fmax(fabs(x_), fabs(y_))))                              \
            fail_msg("%s: %.17g and %.17g differ by %.2g", #a, x_, y_, fabs(x_ / y_ - 1));         \
    } while (0)

#endif
