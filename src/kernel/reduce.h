/* kernel/reduce.h - sums in a fixed order: 32 accumulators, then a tree. The order depends on n alone,
 * so the bits are the same at any alignment, vector width and thread count (products are fused or not
 * per source file: one build, one set of bits); and it is several times as fast as one chain. */
#ifndef BEX_KERNEL_REDUCE_H
#define BEX_KERNEL_REDUCE_H

#include "kernel/simd.h"

enum { BEX_REDUCE = 32, BEX_REDUCE_VECTORS = BEX_REDUCE / BEX_SIMD };

/* Chain j joins terms j, j + 32, ...: whole vectors in registers, a rest of less than a vector on an
 * array; then halves of the chains are joined until one is left. VECTOR(k) is BEX_SIMD terms from k
 * on, TERM(k) one; JOIN takes vectors, JOIN1 numbers. Loops over v are unrolled, which keeps it in
 * registers. */
#define BEX_REDUCE_EACH BEX_UNROLL for (int j = 0; j < BEX_REDUCE_VECTORS; j++)
#define BEX_REDUCE_HALVES(n)                                                                       \
    BEX_UNROLL for (int half = (n) / 2; half; half /= 2) BEX_UNROLL for (int j = 0; j < half; j++)
#define BEX_REDUCE_BODY(START, VECTOR, TERM, JOIN, JOIN1)                                          \
    bex_vec v[BEX_REDUCE_VECTORS];                                                                 \
    size_t i = 0;                                                                                  \
    BEX_REDUCE_EACH v[j] = bex_vec_all(START);                                                     \
    for (; i + BEX_REDUCE <= n; i += BEX_REDUCE)                                                   \
        BEX_REDUCE_EACH v[j] = JOIN(v[j], VECTOR(i + (size_t)(j * BEX_SIMD)));                     \
    BEX_REDUCE_EACH if (i + BEX_SIMD <= n) {                                                       \
        v[j] = JOIN(v[j], VECTOR(i));                                                              \
        i += BEX_SIMD;                                                                             \
    }                                                                                              \
    if (i < n) {                                                                                   \
        bex_real a[BEX_REDUCE];                                                                    \
        BEX_REDUCE_EACH bex_vec_store(a + j * BEX_SIMD, v[j]);                                     \
        for (; i < n; i++) a[i % BEX_REDUCE] = JOIN1(a[i % BEX_REDUCE], TERM(i));                  \
        BEX_REDUCE_EACH v[j] = bex_vec_load(a + j * BEX_SIMD);                                     \
    }                                                                                              \
    BEX_REDUCE_HALVES(BEX_REDUCE_VECTORS) v[j] = JOIN(v[j], v[j + half]);                          \
    bex_vec w = v[0];                                                                              \
    BEX_REDUCE_HALVES(BEX_SIMD) w[j] = JOIN1(w[j], w[j + half]);                                   \
    return w[0]

#define BEX_REDUCE_ADD(a, b) ((a) + (b))
#define BEX_REDUCE_MAX(a, b) ((b) > (a) ? (b) : (a))

static inline bex_real bex_sum(const bex_real *x, size_t n) {
#define VECTOR(k) bex_vec_load(x + (k))
#define TERM(k)   x[k]
    BEX_REDUCE_BODY(0, VECTOR, TERM, BEX_REDUCE_ADD, BEX_REDUCE_ADD);
}

// n > 0; a NaN counts only if it comes first
static inline bex_real bex_max(const bex_real *x, size_t n) {
    BEX_REDUCE_BODY(x[0], VECTOR, TERM, bex_vec_max, BEX_REDUCE_MAX);
#undef VECTOR
#undef TERM
}

static inline bex_real bex_dot(const bex_real *x, const bex_real *y, size_t n) {
#define VECTOR(k) (bex_vec_load(x + (k)) * bex_vec_load(y + (k)))
#define TERM(k)   (x[k] * y[k])
    BEX_REDUCE_BODY(0, VECTOR, TERM, BEX_REDUCE_ADD, BEX_REDUCE_ADD);
#undef VECTOR
#undef TERM
}

// sum of (x - m)^2
static inline bex_real bex_sum_squares(const bex_real *x, bex_real m, size_t n) {
#define VECTOR(k) ((bex_vec_load(x + (k)) - m) * (bex_vec_load(x + (k)) - m))
#define TERM(k)   ((x[k] - m) * (x[k] - m))
    BEX_REDUCE_BODY(0, VECTOR, TERM, BEX_REDUCE_ADD, BEX_REDUCE_ADD);
#undef VECTOR
#undef TERM
}

#undef BEX_REDUCE_BODY
#undef BEX_REDUCE_EACH
#undef BEX_REDUCE_HALVES
#undef BEX_REDUCE_ADD
#undef BEX_REDUCE_MAX

#endif
