/* kernel/reduce.h - sums in a fixed order: 32 accumulators, then a tree. The order depends on n alone,
 * so the bits are the same at any alignment, vector width and thread count (products are fused or not
 * per source file: one build, one set of bits); and it is several times as fast as one chain. */
#ifndef BEX_KERNEL_REDUCE_H
#define BEX_KERNEL_REDUCE_H

#include "base/real.h"

enum { BEX_REDUCE = 32 };

static inline bex_real bex_reduce_tree(bex_real *a) {
    for (int half = BEX_REDUCE / 2; half; half /= 2)
        for (int j = 0; j < half; j++) a[j] += a[j + half];
    return a[0];
}

#define BEX_REDUCE_LOOP(term)                                                                      \
    bex_real a[BEX_REDUCE] = {0};                                                                  \
    size_t i = 0;                                                                                  \
    for (; i + BEX_REDUCE <= n; i += BEX_REDUCE)                                                   \
        for (size_t j = 0; j < BEX_REDUCE; j++) a[j] += term(i + j);                               \
    for (size_t j = 0; i + j < n; j++) a[j] += term(i + j);                                        \
    return bex_reduce_tree(a)

static inline bex_real bex_sum(const bex_real *x, size_t n) {
#define TERM(k) x[k]
    BEX_REDUCE_LOOP(TERM);
#undef TERM
}

static inline bex_real bex_dot(const bex_real *x, const bex_real *y, size_t n) {
#define TERM(k) (x[k] * y[k])
    BEX_REDUCE_LOOP(TERM);
#undef TERM
}

// sum of (x - m)^2
static inline bex_real bex_sum_squares(const bex_real *x, bex_real m, size_t n) {
#define TERM(k) ((x[k] - m) * (x[k] - m))
    BEX_REDUCE_LOOP(TERM);
#undef TERM
}

static inline bex_real bex_max(const bex_real *x, size_t n) {
    bex_real a[BEX_REDUCE];
    for (int j = 0; j < BEX_REDUCE; j++) a[j] = x[0];
    size_t i = 0;
    for (; i + BEX_REDUCE <= n; i += BEX_REDUCE)
        for (size_t j = 0; j < BEX_REDUCE; j++) a[j] = x[i + j] > a[j] ? x[i + j] : a[j];
    for (size_t j = 0; i + j < n; j++) a[j] = x[i + j] > a[j] ? x[i + j] : a[j];
    bex_real m = a[0];
    for (int j = 1; j < BEX_REDUCE; j++) m = a[j] > m ? a[j] : m;
    return m;
}

#undef BEX_REDUCE_LOOP

#endif
