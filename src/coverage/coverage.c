/* coverage/coverage.c - trace of the inverse of four symmetric matrices at a time. Element e of the
 * working triangle is coverage/gram.h's element e of all four. */
#include "coverage/coverage.h"
#include "coverage/double4.h"

#include "base/error.h"

#include <math.h>

typedef struct factor {
    int d, width;                                 // width: d padded to a multiple of four
    double4 *row[BEX_GRAM_WIDTH];                 // row[i] + j is element (i, j), j >= i
    _Alignas(64) double4 inverse[BEX_GRAM_WIDTH]; // 1 / D_j
    _Alignas(64) double4 a[BEX_GRAM_MOST];
} factor;

static void set_rows(factor *f, int d) {
    int blocks = (d + DOUBLE4_SIZE - 1) / DOUBLE4_SIZE;
    double4 *at = f->a;
    f->d = d, f->width = blocks * DOUBLE4_SIZE;
    for (int i = 0; i < f->width; i++) {
        int start = i / DOUBLE4_SIZE * DOUBLE4_SIZE;
        f->row[i] = at - start;
        at += f->width - start;
    }
}

static void interleave(factor *f, size_t size, const double *base,
                       const double *const g[DOUBLE4_SIZE], double lambda) {
    for (size_t e = 0; e < size; e++) f->a[e] = (double4){g[0][e], g[1][e], g[2][e], g[3][e]};
    if (base)
        for (size_t e = 0; e < size; e++) f->a[e] += double4_set(base[e]);
    // padding is an identity block: it meets only zeros and stays out of the trace
    for (int i = 0; i < f->width; i++) {
        f->row[i][i] += double4_set(i < f->d ? lambda : 1);
        f->inverse[i] = f->row[i][i]; // until decompose has seen it
    }
}

// rows i.. of the trailing triangle lose the rank-four part of rows k..k+3 (not yet divided by D)
static void update_trailing(factor *f, int k) {
    const double4 *x0 = f->row[k], *x1 = f->row[k + 1], *x2 = f->row[k + 2], *x3 = f->row[k + 3];
    int width = f->width;
    for (int i = k + DOUBLE4_SIZE; i < width; i++) {
        double4 m0 = x0[i] * f->inverse[k], m1 = x1[i] * f->inverse[k + 1];
        double4 m2 = x2[i] * f->inverse[k + 2], m3 = x3[i] * f->inverse[k + 3];
        double4 *row = f->row[i];
        for (int j = i; j < width; j++)
            row[j] = row[j] - m0 * x0[j] - m1 * x1[j] - m2 * x2[j] - m3 * x3[j];
    }
}

// A = U^T D U in place. Positive in the elements where every pivot is more than the rounding of its
// diagonal element; otherwise lambda was lost in it, and no digit of the result is right
static double4 decompose(factor *f) {
    double4 least = double4_set(INFINITY);
    int width = f->width;
    for (int k = 0; k < width; k += DOUBLE4_SIZE) {
        for (int p = k; p < k + DOUBLE4_SIZE; p++) {
            double4 pivot = f->row[p][p], margin = pivot - double4_set(1e-13) * f->inverse[p];
            for (int l = 0; l < DOUBLE4_SIZE; l++)
                if (!(margin[l] >= least[l])) least[l] = margin[l];
            f->inverse[p] = 1 / pivot;
            for (int i = p + 1; i < k + DOUBLE4_SIZE; i++) {
                const double4 *from = f->row[p];
                double4 *row = f->row[i], m = from[i] * f->inverse[p];
                for (int j = i; j < width; j++) row[j] -= m * from[j];
            }
        }
        update_trailing(f, k);
        for (int p = k; p < k + DOUBLE4_SIZE; p++) {
            double4 *row = f->row[p], inverse = f->inverse[p];
            for (int j = p + 1; j < width; j++) row[j] *= inverse;
        }
    }
    return least;
}

// columns c..c+3 of U^-1, two rows at a time from the diagonal up; y[i] holds row i's four
static double4 inverse_columns(const factor *f, int c, double4 (*y)[DOUBLE4_SIZE]) {
    for (int i = c + DOUBLE4_SIZE - 1; i >= c; i--)
        for (int v = 0; v < DOUBLE4_SIZE; v++) {
            double4 sum = double4_set(i == c + v);
            for (int k = i + 1; k < c + DOUBLE4_SIZE; k++) sum -= f->row[i][k] * y[k][v];
            y[i][v] = sum;
        }
    for (int i = c - 1; i > 0; i -= 2) {
        const double4 *low = f->row[i], *high = f->row[i - 1];
        double4 s[DOUBLE4_SIZE], t[DOUBLE4_SIZE];
        for (int v = 0; v < DOUBLE4_SIZE; v++) s[v] = t[v] = double4_set(0);
        for (int k = i + 1; k < c + DOUBLE4_SIZE; k++)
            for (int v = 0; v < DOUBLE4_SIZE; v++) {
                s[v] -= low[k] * y[k][v];
                t[v] -= high[k] * y[k][v];
            }
        for (int v = 0; v < DOUBLE4_SIZE; v++) {
            y[i][v] = s[v];
            y[i - 1][v] = t[v] - high[i] * s[v];
        }
    }
    double4 trace = double4_set(0);
    for (int v = 0; v < DOUBLE4_SIZE && c + v < f->d; v++) {
        double4 norm = double4_set(0);
        for (int i = 0; i <= c + v; i++) norm += y[i][v] * y[i][v];
        trace += norm * f->inverse[c + v];
    }
    return trace;
}

static void dense(double cov[DOUBLE4_SIZE], bex_gram_shape shape, const double *base,
                  const double *const g[DOUBLE4_SIZE], double lambda) {
    BEX_CHECK(shape.d > 0 && shape.d <= BEX_GRAM_WIDTH, "%d features", shape.d);
    factor f;
    _Alignas(64) double4 y[BEX_GRAM_WIDTH][DOUBLE4_SIZE];
    double4 trace = double4_set(0);
    set_rows(&f, shape.d);
    interleave(&f, bex_gram_size(shape), base, g, lambda);
    double4 least = decompose(&f);
    for (int c = 0; c < f.width; c += DOUBLE4_SIZE) trace += inverse_columns(&f, c, y);
    for (int l = 0; l < DOUBLE4_SIZE; l++) cov[l] = least[l] > 0 ? 1 / trace[l] : (double)NAN;
}

static double diagonal(int d, const double *base, const double *g, double lambda) {
    double trace = 0;
    for (int i = 0; i < d; i++) trace += 1 / (g[i] + (base ? base[i] : 0) + lambda);
    return 1 / trace;
}

double bex_coverage(bex_gram_shape shape, const double *g, double lambda) {
    double cov;
    bex_coverage_batch(&cov, shape, NULL, g, 1, lambda);
    return cov;
}

void bex_coverage_batch(double *cov, bex_gram_shape shape, const double *base, const double *grams,
                        size_t n, double lambda) {
    size_t size = bex_gram_size(shape);
    if (shape.diagonal) {
        for (size_t m = 0; m < n; m++) cov[m] = diagonal(shape.d, base, grams + m * size, lambda);
        return;
    }
    for (size_t first = 0; first < n; first += DOUBLE4_SIZE) {
        size_t count = n - first < DOUBLE4_SIZE ? n - first : DOUBLE4_SIZE;
        const double *g[DOUBLE4_SIZE];
        double out[DOUBLE4_SIZE];
        for (size_t l = 0; l < DOUBLE4_SIZE; l++)
            g[l] = grams + (first + (l < count ? l : count - 1)) * size;
        dense(out, shape, base, g, lambda);
        for (size_t l = 0; l < count; l++) cov[first + l] = out[l];
    }
}

int bex_coverage_fail(double lambda) {
    return bex_fail("the coverage matrix is not positive definite in double precision: features "
                    "too large for lambda %g (standardise phi's input or raise lambda)",
                    lambda);
}
