/* tests/kernel/buffers.h - arrays for kernel tests.
 *
 * An input ends exactly where its allocation ends, so AddressSanitizer sees a read past it. An output
 * is a matrix with guard values before it, after it and in the gap between its width and its leading
 * dimension; guards_intact() finds any that changed. Both may start one element off alignment.
 * release_all() at the end of a case frees everything. */
#ifndef BEX_TESTS_KERNEL_BUFFERS_H
#define BEX_TESTS_KERNEL_BUFFERS_H

#include "base/real.h"
#include "base/rng.h"

#include "test.h"

#include <float.h>

#ifdef BEX_F64
#define EPS DBL_EPSILON
#else
#define EPS ((double)FLT_EPSILON)
#endif

#define GUARD R(-1234567)
enum { MARGIN = 64, MOST_BUFFERS = 64 };

#if defined(__SANITIZE_ADDRESS__)
enum { SLOW = 1 }; // a hint for sweeps to take longer steps
#else
enum { SLOW = 0 };
#endif

typedef struct {
    bex_real *p;
    int rows, columns, ld;
} matrix;

static void *pool[MOST_BUFFERS];
static int pooled;
static bex_rng source;

static inline void *pool_take(size_t bytes) {
    assert_true(pooled < MOST_BUFFERS);
    pool[pooled] = malloc(bytes ? bytes : 1);
    assert_non_null(pool[pooled]);
    return pool[pooled++];
}

static inline void release_all(void) {
    while (pooled) free(pool[--pooled]);
}

static inline bex_real draw(double low, double high) {
    return (bex_real)(low + (high - low) * bex_rng_uniform(&source));
}

// n values uniform in [-1, 1], `offset` elements off the allocation's alignment
static inline bex_real *input(size_t n, int offset) {
    bex_real *p = (bex_real *)pool_take((n + (size_t)offset) * sizeof *p) + offset;
    for (size_t i = 0; i < n; i++) p[i] = draw(-1, 1);
    return p;
}

static inline bex_real *input_copy(const bex_real *x, size_t n, int offset) {
    bex_real *p = input(n, offset);
    memcpy(p, x, n * sizeof *p);
    return p;
}

static inline size_t span(matrix m) {
    return (size_t)m.rows * (size_t)m.ld;
}

static inline bex_real *at(matrix m, int i, int j) {
    return m.p + (ptrdiff_t)i * m.ld + j;
}

// guards everywhere, uniform values in [-1, 1] where the matrix is
static inline matrix output(int rows, int columns, int ld, int offset) {
    matrix m = {.rows = rows, .columns = columns, .ld = ld};
    size_t n = span(m) + 2 * MARGIN + (size_t)offset;
    bex_real *base = pool_take(n * sizeof *base);
    for (size_t i = 0; i < n; i++) base[i] = GUARD;
    m.p = base + MARGIN + offset;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) *at(m, i, j) = draw(-1, 1);
    return m;
}

static inline matrix copy_of(matrix m, int offset) {
    matrix c = output(m.rows, m.columns, m.ld, offset);
    memcpy(c.p, m.p, span(m) * sizeof *c.p);
    return c;
}

static inline void guards_intact(matrix m) {
    ptrdiff_t n = (ptrdiff_t)span(m);
    for (ptrdiff_t i = -MARGIN; i < n + MARGIN; i++) {
        int inside = i >= 0 && i < n && i % m.ld < m.columns;
        if (!inside && m.p[i] != GUARD)
            fail_msg("guard %td of a (%d,%d) ld %d output changed to %g", i, m.rows, m.columns,
                     m.ld, (double)m.p[i]);
    }
}

static inline int close_to(double got, double want, double tolerance) {
    if (isnan(want)) return isnan(got);
    if (isinf(want)) return got == want;
    return fabs(got - want) <= tolerance;
}

// every element within `tolerance` of its twin's, and the guards in place
static inline void assert_close(matrix got, matrix want, double tolerance, const char *what) {
    for (int i = 0; i < got.rows; i++)
        for (int j = 0; j < got.columns; j++) {
            double g = (double)*at(got, i, j), w = (double)*at(want, i, j);
            if (!close_to(g, w, tolerance))
                fail_msg("%s: (%d,%d) of (%d,%d) is %.9g, the twin has %.9g", what, i, j, got.rows,
                         got.columns, g, w);
        }
    guards_intact(got);
}

static inline void assert_same_bits(const bex_real *a, const bex_real *b, size_t n,
                                    const char *what) {
    for (size_t i = 0; i < n; i++)
        if (memcmp(a + i, b + i, sizeof *a) != 0)
            fail_msg("%s: bits differ at %zu of %zu: %.9g, %.9g", what, i, n, (double)a[i],
                     (double)b[i]);
}

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

#endif
