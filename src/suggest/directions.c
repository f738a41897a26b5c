/* suggest/directions.c - small dense linear algebra over a sample: least squares, one generalised
 * eigenproblem. */
#include "suggest/directions.h"

#include "base/error.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 6000, SWEEPS = 30 };
static const double RIDGE = 1e-6,
                    QUIET =
                        0.05; // of least squares; added to W: what hardly varies is no direction

/* ---- the sample ---- */

static void standardise(double *x, int n, int O) {
    for (int j = 0; j < O; j++) {
        double mean = 0, v = 0, top = 0;
        for (int i = 0; i < n; i++) mean += x[i * O + j] / n, top = fmax(top, fabs(x[i * O + j]));
        for (int i = 0; i < n; i++) v += pow(x[i * O + j] - mean, 2) / n;
        double unit = sqrt(v) > 1e-6 * fmax(top, 1e-3) ? 1 / sqrt(v) : 0;
        for (int i = 0; i < n; i++) x[i * O + j] = (x[i * O + j] - mean) * unit;
    }
}

static long long usable(const bex_dataset *d, int step) {
    long long n = 0;
    for (int e = 0; e < d->episodes; e += step) n += bex_dataset_length(d, e) - 1;
    return n;
}

int bex_sample_take(bex_sample *s, const bex_dataset *d, int step) {
    long long all = usable(d, step);
    int apart = (int)(all / ROWS) + 1;
    size_t most = (size_t)(all / apart) + (size_t)d->episodes + 1, O = (size_t)d->O;
    *s = (bex_sample){.O = d->O};
    s->x = calloc(most * O, sizeof *s->x), s->change = calloc(most * O, sizeof *s->change);
    s->row = calloc(most, sizeof *s->row), s->episode = calloc(most, sizeof *s->episode);
    if (!s->x || !s->change || !s->row || !s->episode) return bex_fail("out of memory");
    int wait = 0;
    for (int e = 0; e < d->episodes; e += step)
        for (int t = 0; t + 1 < bex_dataset_length(d, e); t++) {
            if (wait-- > 0) continue;
            wait = apart - 1;
            const bex_real *now = d->observations + (size_t)(d->start[e] + t) * O, *next = now + O;
            for (size_t j = 0; j < O; j++) {
                s->x[(size_t)s->n * O + j] = (double)now[j];
                s->change[(size_t)s->n * O + j] = (double)next[j] - (double)now[j];
            }
            s->row[s->n] = t, s->episode[s->n++] = e;
        }
    if (s->n < 2) return bex_fail("too few rows to judge columns by");
    standardise(s->x, s->n, s->O), standardise(s->change, s->n, s->O);
    return 0;
}

void bex_sample_fini(bex_sample *s) {
    free(s->x), free(s->change), free(s->row), free(s->episode);
    *s = (bex_sample){0};
}

static double product(const bex_sample *s, const double *a, int i, int j) {
    double sum = 0;
    for (int r = 0; r < s->n; r++) sum += a[r * s->O + i] * s->x[r * s->O + j];
    return sum / s->n;
}

double bex_sample_correlation(const bex_sample *s, int i, int j) {
    return product(s, s->x, i, j);
}

double bex_sample_rate(const bex_sample *s, int i, int j) {
    return product(s, s->change, i, j);
}

/* ---- least squares ---- */

// a (n,n) = L L'; false: not positive definite
static bool factor(double *a, int n) {
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
            if (i == j && !(sum > 0)) return false;
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
    return true;
}

static void solve_lower(const double *L, double *b, int n) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) b[i] -= L[i * n + k] * b[k];
        b[i] /= L[i * n + i];
    }
}

static void solve_upper(const double *L, double *b, int n) {
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) b[i] -= L[k * n + i] * b[k];
        b[i] /= L[i * n + i];
    }
}

// share of the variance of y (rows) that columns dims tell
static double explained(const bex_sample *s, const double *y, const int *dims, int n) {
    double *a = calloc((size_t)n * (size_t)n + (size_t)n + 1, sizeof *a),
           *b = a + (size_t)n * (size_t)n;
    BEX_CHECK(a, "out of memory");
    double all = 0, told = 0;
    for (int r = 0; r < s->n; r++) all += y[r] * y[r] / s->n;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k <= i; k++)
            a[i * n + k] = a[k * n + i] = product(s, s->x, dims[i], dims[k]);
        a[i * n + i] += RIDGE;
        for (int r = 0; r < s->n; r++) b[i] += s->x[r * s->O + dims[i]] * y[r] / s->n;
    }
    if (n && factor(a, n)) {
        solve_lower(a, b, n);
        for (int i = 0; i < n; i++) told += b[i] * b[i];
    }
    free(a);
    return all > 0 ? fmin(1, told / all) : 0;
}

double bex_sample_explained(const bex_sample *s, int j, const int *dims, int n) {
    double *y = malloc((size_t)s->n * sizeof *y);
    BEX_CHECK(y, "out of memory");
    for (int r = 0; r < s->n; r++) y[r] = s->x[r * s->O + j];
    double share = explained(s, y, dims, n);
    free(y);
    return share;
}

/* ---- directions ---- */

// eigenvectors of symmetric a (n,n) into the columns of v, values into its diagonal: Jacobi's rotations
static void rotate(double *a, double *v, int n, int p, int q) {
    double apq = a[p * n + q];
    if (fabs(apq) < 1e-14) return;
    double theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)),
           c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < n; k++) {
        double x = a[k * n + p], y = a[k * n + q];
        a[k * n + p] = c * x - s * y, a[k * n + q] = s * x + c * y;
    }
    for (int k = 0; k < n; k++) {
        double x = a[p * n + k], y = a[q * n + k];
        a[p * n + k] = c * x - s * y, a[q * n + k] = s * x + c * y;
    }
    for (int k = 0; k < n; k++) {
        double x = v[k * n + p], y = v[k * n + q];
        v[k * n + p] = c * x - s * y, v[k * n + q] = s * x + c * y;
    }
}

// rows of one future: they follow each other in the sample
static int future_end(const bex_sample *s, int first, int F) {
    int last = first;
    while (last < s->n && s->episode[last] == s->episode[first] &&
           s->row[last] / F == s->row[first] / F)
        last++;
    return last;
}

// covariances of futures' means and within futures, of the m columns `at`
static void covariances(double *B, double *W, const bex_sample *s, const int *at, int m, int F,
                        double *mean) {
    for (int first = 0, last; first < s->n; first = last) {
        last = future_end(s, first, F);
        int rows = last - first;
        double share = (double)rows / s->n;
        for (int i = 0; i < m; i++) {
            mean[i] = 0;
            for (int r = first; r < last; r++) mean[i] += s->x[r * s->O + at[i]] / rows;
        }
        for (int i = 0; i < m; i++)
            for (int k = 0; k <= i; k++) {
                double sum = 0;
                for (int r = first; r < last; r++)
                    sum += (s->x[r * s->O + at[i]] - mean[i]) * (s->x[r * s->O + at[k]] - mean[k]);
                B[i * m + k] += share * mean[i] * mean[k];
                W[i * m + k] += sum / s->n;
            }
    }
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < i; k++) B[k * m + i] = B[i * m + k], W[k * m + i] = W[i * m + k];
        W[i * m + i] += QUIET;
    }
}

// B becomes L^-1 B L^-T, W its factor L
static void whiten(double *B, double *W, int m, double *b) {
    BEX_CHECK(factor(W, m), "a covariance that is not positive definite");
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < m; k++) {
            for (int i = 0; i < m; i++) b[i] = pass ? B[k * m + i] : B[i * m + k];
            solve_lower(W, b, m);
            for (int i = 0; i < m; i++) B[pass ? k * m + i : i * m + k] = b[i];
        }
}

// the largest directions of B in the columns' own coordinates
static void take_directions(bex_directions *d, const bex_sample *s, double *B, const double *L,
                            const int *at, int m, double *V, double *b) {
    for (int i = 0; i < m; i++) V[i * m + i] = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int p = 0; p < m; p++)
            for (int q = p + 1; q < m; q++) rotate(B, V, m, p, q);
    for (; d->count < BEX_DIRECTIONS && d->count < m; d->count++) {
        int best = 0;
        for (int i = 1; i < m; i++)
            if (B[i * m + i] > B[best * m + best]) best = i;
        double value = B[best * m + best];
        if (!(value > 0)) return;
        for (int i = 0; i < m; i++) b[i] = V[i * m + best];
        solve_upper(L, b, m);
        for (int i = 0; i < m; i++) d->v[d->count * s->O + at[i]] = b[i];
        d->weight[d->count] = value / (1 + value);
        B[best * m + best] = -1;
    }
}

int bex_directions_find(bex_directions *d, const bex_sample *s, const unsigned char *use, int F) {
    size_t O = (size_t)s->O;
    double *all = calloc(3 * O * O + 2 * O, sizeof *all);
    int *at = calloc(O, sizeof *at), m = 0;
    *d = (bex_directions){.v = calloc(BEX_DIRECTIONS * O, sizeof *d->v)};
    if (!all || !at || !d->v)
        return free(all), free(at), bex_fail("out of memory: %d columns", s->O);
    for (int j = 0; j < s->O; j++)
        if (use[j]) at[m++] = j;
    double *B = all, *W = B + O * O, *V = W + O * O, *b = V + O * O;
    if (m) {
        covariances(B, W, s, at, m, F, b);
        whiten(B, W, m, b);
        take_directions(d, s, B, W, at, m, V, b);
    }
    free(all), free(at);
    return 0;
}

void bex_directions_fini(bex_directions *d) {
    free(d->v);
    *d = (bex_directions){0};
}

double bex_directions_explained(const bex_directions *d, const bex_sample *s, const int *dims,
                                int n) {
    double *y = malloc((size_t)s->n * sizeof *y), sum = 0, weight = 0;
    BEX_CHECK(y, "out of memory");
    for (int k = 0; k < d->count; k++) {
        for (int r = 0; r < s->n; r++) {
            y[r] = 0;
            for (int j = 0; j < s->O; j++) y[r] += d->v[k * s->O + j] * s->x[r * s->O + j];
        }
        sum += d->weight[k] * explained(s, y, dims, n), weight += d->weight[k];
    }
    free(y);
    return weight > 0 ? sum / weight : 0;
}
