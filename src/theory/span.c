/* theory/span.c - eigenvectors of Lambda_beta, and sums seen through them. */
#include "theory/span.h"
#include "coverage/coverage.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bex_span {
    bex_gram_shape shape, projected;
    double *values;  // (d)
    double *vectors; // (d, d), columns as the values; dense
    int *cells;      // (r) visited cells; diagonal
};

/* ---- cyclic Jacobi ---- */

// the rotation of plane (p, q) that makes a[p][q] zero, applied to both sides and to the vectors
static void rotate(double *a, double *v, int n, int p, int q) {
    double apq = a[p * n + q];
    if (apq == 0) return;
    double theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + hypot(theta, 1));
    double c = 1 / hypot(t, 1), s = t * c;
    for (int k = 0; k < n; k++) {
        double x = a[k * n + p], y = a[k * n + q];
        a[k * n + p] = c * x - s * y, a[k * n + q] = s * x + c * y;
    }
    for (int k = 0; k < n; k++) {
        double x = a[p * n + k], y = a[q * n + k];
        a[p * n + k] = c * x - s * y, a[q * n + k] = s * x + c * y;
    }
    a[p * n + q] = a[q * n + p] = 0;
    for (int k = 0; k < n; k++) {
        double x = v[k * n + p], y = v[k * n + q];
        v[k * n + p] = c * x - s * y, v[k * n + q] = s * x + c * y;
    }
}

static void sort_descending(double *values, double *vectors, int n) {
    for (int i = 0; i < n; i++) {
        int best = i;
        for (int j = i + 1; j < n; j++)
            if (values[j] > values[best]) best = j;
        double t = values[i];
        values[i] = values[best], values[best] = t;
        for (int k = 0; k < n && best != i; k++) {
            t = vectors[k * n + i];
            vectors[k * n + i] = vectors[k * n + best], vectors[k * n + best] = t;
        }
    }
}

void bex_eigen_symmetric(double *values, double *vectors, double *a, int n) {
    enum { SWEEPS = 60 }; // about ten are used; convergence is quadratic
    memset(vectors, 0, (size_t)n * (size_t)n * sizeof *vectors);
    for (int i = 0; i < n; i++) vectors[i * n + i] = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0, diagonal = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) *(i == j ? &diagonal : &off) += a[i * n + j] * a[i * n + j];
        if (off <= 1e-32 * diagonal || off == 0) break;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) rotate(a, vectors, n, p, q);
    }
    for (int i = 0; i < n; i++) values[i] = a[i * n + i];
    sort_descending(values, vectors, n);
}

/* ---- the span ---- */

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static int span_cells(bex_span *s, const double *g, double epsilon) {
    int d = s->shape.d;
    s->cells = malloc((size_t)d * sizeof *s->cells);
    if (!s->cells) return bex_fail("out of memory");
    memcpy(s->values, g, (size_t)d * sizeof *g);
    for (int i = 0; i < d; i++)
        if (g[i] >= epsilon) s->cells[s->projected.d++] = i;
    qsort(s->values, (size_t)d, sizeof *s->values, descending);
    return 0;
}

static int span_directions(bex_span *s, const double *g, double epsilon) {
    int d = s->shape.d;
    size_t square = (size_t)d * (size_t)d;
    double *a = malloc(square * sizeof *a);
    s->vectors = malloc(square * sizeof *s->vectors);
    if (!a || !s->vectors) return free(a), bex_fail("out of memory");
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) a[i * d + j] = bex_gram_at(s->shape, g, i, j);
    bex_eigen_symmetric(s->values, s->vectors, a, d);
    free(a);
    // a zero eigenvalue comes out as rounding of either sign: epsilon 0 means all directions
    while (s->projected.d < d && (epsilon == 0 || s->values[s->projected.d] >= epsilon))
        s->projected.d++;
    return 0;
}

static int make(bex_span *s, const double *g, double epsilon) {
    if (!(epsilon >= 0)) return bex_fail("epsilon %g is negative", epsilon);
    for (size_t e = 0; e < bex_gram_size(s->shape); e++)
        if (!isfinite(g[e])) return bex_fail("the features of the data are not finite");
    s->values = malloc((size_t)s->shape.d * sizeof *s->values);
    if (!s->values) return bex_fail("out of memory");
    if ((s->shape.diagonal ? span_cells : span_directions)(s, g, epsilon) < 0) return -1;
    if (s->projected.d) return 0;
    return bex_fail("no direction of the data reaches epsilon %g (the largest has %g)", epsilon,
                    s->values[0]);
}

bex_span *bex_span_new(bex_gram_shape shape, const double *g, double epsilon) {
    bex_span *s = calloc(1, sizeof *s);
    if (!s) return bex_fail("out of memory"), NULL;
    s->shape = shape, s->projected = (bex_gram_shape){0, shape.diagonal};
    if (make(s, g, epsilon) < 0) {
        bex_span_free(s);
        bex_fail_in("behaviour span");
        return NULL;
    }
    return s;
}

bex_span *bex_span_from(const bex_prefix *p, int64_t episodes, double epsilon) {
    const bex_feature *f = bex_prefix_feature(p);
    BEX_CHECK(episodes > 0, "%lld episodes", (long long)episodes);
    if (bex_feature_relative(f))
        return bex_fail("behaviour span: relative features have no fixed span"), NULL;
    double g[BEX_GRAM_MOST];
    bex_gram_shape shape = bex_feature_shape(f);
    bex_gram_zero(shape, g);
    bex_prefix_add_window(p, g, 0, bex_prefix_rows(p));
    bex_gram_scale(shape, g, 1 / (double)episodes);
    return bex_span_new(shape, g, epsilon);
}

void bex_span_free(bex_span *s) {
    if (!s) return;
    free(s->values);
    free(s->vectors);
    free(s->cells);
    free(s);
}

int bex_span_rank(const bex_span *s) {
    return s->projected.d;
}

const double *bex_span_eigenvalues(const bex_span *s) {
    return s->values;
}

bex_gram_shape bex_span_shape(const bex_span *s) {
    return s->projected;
}

void bex_span_project(const bex_span *s, double *out, const double *g) {
    int d = s->shape.d, r = s->projected.d;
    if (s->shape.diagonal) {
        for (int i = 0; i < r; i++) out[i] = g[s->cells[i]];
        return;
    }
    double packed[BEX_GRAM_WIDTH * (BEX_GRAM_WIDTH + 1) / 2], *at = packed;
    double column[BEX_GRAM_WIDTH]; // Lambda u_i
    for (int i = 0; i < r; i++) {
        for (int k = 0; k < d; k++) {
            column[k] = 0;
            for (int l = 0; l < d; l++)
                column[k] += bex_gram_at(s->shape, g, k, l) * s->vectors[l * d + i];
        }
        for (int j = i; j < r; j++) {
            double sum = 0;
            for (int k = 0; k < d; k++) sum += s->vectors[k * d + j] * column[k];
            *at++ = sum;
        }
    }
    bex_gram_unpack(s->projected, out, packed);
}

double bex_span_coverage(const bex_span *s, const double *g, double lambda) {
    double projected[BEX_GRAM_MOST];
    bex_span_project(s, projected, g);
    return bex_coverage(s->projected, projected, lambda);
}
