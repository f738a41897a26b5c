/* kernel/reduce.h - sums in a fixed order: 32 accumulators, then a tree. The order depends on n alone,
 * so the bits are the same at any alignment, vector width and thread count (products are fused or not
 * per source file: one build, one set of bits); and it is several times as fast as one chain. */
#ifndef BEX_KERNEL_REDUCE_H
#define BEX_KERNEL_REDUCE_H

#include "kernel/simd.h"

#include <string.h>

enum { BEX_REDUCE = 32, BEX_REDUCE_VECTORS = BEX_REDUCE / BEX_LANES };

static inline bex_real bex_reduce_tree(bex_real *a) {
#pragma GCC unroll 5
    for (int half = BEX_REDUCE / 2; half; half /= 2)
        for (int j = 0; j < half; j++) a[j] += a[j + half];
    return a[0];
}

/* Chain j adds terms j, j + 32, ...: whole blocks in registers, the rest on an array. VECTOR(k) is
 * BEX_LANES terms from k on, TERM(k) one. */
#define BEX_REDUCE_BODY(VECTOR, TERM)                                                              \
    bex_vec v[BEX_REDUCE_VECTORS];                                                                 \
    bex_real a[BEX_REDUCE];                                                                        \
    size_t i = 0;                                                                                  \
    for (int j = 0; j < BEX_REDUCE_VECTORS; j++) v[j] = (bex_vec){0};                              \
    for (; i + BEX_REDUCE <= n; i += BEX_REDUCE)                                                   \
        for (int j = 0; j < BEX_REDUCE_VECTORS; j++) v[j] += VECTOR(i + (size_t)(j * BEX_LANES));  \
    memcpy(a, v, sizeof a);                                                                        \
    for (size_t j = 0; i + j < n; j++) a[j] += TERM(i + j);                                        \
    return bex_reduce_tree(a)

static inline bex_real bex_sum(const bex_real *x, size_t n) {
#define VECTOR(k) bex_vec_load(x + (k))
#define TERM(k)   x[k]
    BEX_REDUCE_BODY(VECTOR, TERM);
#undef VECTOR
#undef TERM
}

static inline bex_real bex_dot(const bex_real *x, const bex_real *y, size_t n) {
#define VECTOR(k) (bex_vec_load(x + (k)) * bex_vec_load(y + (k)))
#define TERM(k)   (x[k] * y[k])
    BEX_REDUCE_BODY(VECTOR, TERM);
#undef VECTOR
#undef TERM
}

// sum of (x - m)^2
static inline bex_real bex_sum_squares(const bex_real *x, bex_real m, size_t n) {
#define VECTOR(k) ((bex_vec_load(x + (k)) - m) * (bex_vec_load(x + (k)) - m))
#define TERM(k)   ((x[k] - m) * (x[k] - m))
    BEX_REDUCE_BODY(VECTOR, TERM);
#undef VECTOR
#undef TERM
}

#undef BEX_REDUCE_BODY

// n > 0; a NaN counts only if it comes first
static inline bex_real bex_max(const bex_real *x, size_t n) {
    bex_real a[BEX_REDUCE];
    size_t i = 0;
    for (int j = 0; j < BEX_REDUCE; j++) a[j] = x[0];
    for (; i + BEX_REDUCE <= n; i += BEX_REDUCE)
        for (size_t j = 0; j < BEX_REDUCE; j++) a[j] = x[i + j] > a[j] ? x[i + j] : a[j];
    for (size_t j = 0; i + j < n; j++) a[j] = x[i + j] > a[j] ? x[i + j] : a[j];
#pragma GCC unroll 5
    for (int half = BEX_REDUCE / 2; half; half /= 2)
        for (int j = 0; j < half; j++) a[j] = a[j + half] > a[j] ? a[j + half] : a[j];
    return a[0];
}

#endif
