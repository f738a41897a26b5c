#include "policy/normaliser.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

static const double CONSTANT = 1e-6; // a std below this share of the largest value is no change

static int allocate(bex_normaliser *n, int O, int A, const bex_column_names *columns) {
    *n = (bex_normaliser){.O = O, .A = A, .columns = columns};
    n->mean = calloc((size_t)O, sizeof *n->mean);
    n->std = calloc((size_t)O, sizeof *n->std);
    n->low = calloc((size_t)A, sizeof *n->low);
    n->high = calloc((size_t)A, sizeof *n->high);
    if (n->mean && n->std && n->low && n->high) return 0;
    bex_normaliser_fini(n);
    return bex_fail("out of memory for a normaliser");
}

void bex_normaliser_fini(bex_normaliser *n) {
    free(n->mean);
    free(n->std);
    free(n->low);
    free(n->high);
    *n = (bex_normaliser){0};
}

// two passes in double: positions far from the origin keep their digits
static void moments(const bex_real *x, int64_t rows, int stride, double *mean, double *std,
                    double *top) {
    *mean = *std = *top = 0;
    for (int64_t i = 0; i < rows; i++) *mean += (double)x[i * stride] / (double)rows;
    for (int64_t i = 0; i < rows; i++) {
        double d = (double)x[i * stride] - *mean;
        *std += d * d / (double)rows;
        *top = fmax(*top, fabs((double)x[i * stride]));
    }
    *std = sqrt(*std);
}

// of actions; the network's units are differences over them
static int check_ranges(const bex_normaliser *n) {
    for (int j = 0; j < n->A; j++) {
        if (n->low[j] > n->high[j])
            return bex_fail("action dim %d: 'normaliser.action.low' is above 'high'", j);
        if (!isfinite(n->high[j] - n->low[j]))
            return bex_fail("action dim %d: the range %g to %g overflows", j, (double)n->low[j],
                            (double)n->high[j]);
    }
    return 0;
}

void bex_normaliser_widen(bex_normaliser *n, double least) {
    for (int j = 0; j < n->O; j++)
        if (n->std[j] > 0 && (double)n->std[j] < least) n->std[j] = (bex_real)least;
}

int bex_normaliser_fit(bex_normaliser *n, const bex_real *s, const bex_real *a, int64_t rows, int O,
                       int A, bool drop_constant) {
    char label[BEX_COLUMN_LABEL];
    if (allocate(n, O, A, n->columns) < 0) return -1;
    for (int j = 0; j < O; j++) {
        double mean, std, top;
        moments(s + j, rows, O, &mean, &std, &top);
        bool constant = std <= CONSTANT * fmax(top, 1e-3);
        if (constant && !drop_constant) {
            bex_fail("observation dim %s is constant (%g)", bex_column_label(label, n->columns, j),
                     mean);
            bex_normaliser_fini(n);
            return bex_fail_hint("--data.drop_constant=true leaves such dims out");
        }
        n->mean[j] = (bex_real)mean;
        n->std[j] = (bex_real)(constant ? 0 : std);
    }
    for (int j = 0; j < A; j++) {
        n->low[j] = n->high[j] = a[j];
        for (int64_t i = 1; i < rows; i++) {
            bex_real x = a[i * A + j];
            n->low[j] = x < n->low[j] ? x : n->low[j];
            n->high[j] = x > n->high[j] ? x : n->high[j];
        }
    }
    if (check_ranges(n) == 0) return 0;
    bex_normaliser_fini(n);
    return -1;
}

int bex_normaliser_check(const bex_normaliser *n, const bex_real *s, double farthest) {
    char label[BEX_COLUMN_LABEL];
    for (int j = 0; j < n->O; j++) {
        double x = (double)s[j], mean = (double)n->mean[j], unit = (double)n->std[j];
        bex_column_label(label, n->columns, j);
        if (!isfinite(x)) return bex_fail("observation %s of %d is not finite", label, n->O);
        if (unit == 0) unit = fmax(1, fabs(mean));
        if (fabs(x - mean) <= farthest * unit) continue;
        bex_fail("observation %s of %d is %g, %.2g standard deviations from the demonstrations",
                 label, n->O, x, fabs(x - mean) / unit);
        return bex_fail_hint(farthest < BEX_FARTHEST ? "no reading? deploy.farthest allows more"
                                                     : "no reading?");
    }
    return 0;
}

void bex_normalise_states(const bex_normaliser *n, bex_real *out, const bex_real *s, int rows) {
    for (int i = 0; i < rows; i++, s += n->O, out += n->O)
        for (int j = 0; j < n->O; j++)
            out[j] = n->std[j] > 0 ? (s[j] - n->mean[j]) / n->std[j] : R(0);
}

void bex_normalise_actions(const bex_normaliser *n, bex_real *out, const bex_real *a, int rows) {
    for (int i = 0; i < rows; i++, a += n->A, out += n->A)
        for (int j = 0; j < n->A; j++) {
            bex_real range = n->high[j] - n->low[j];
            out[j] = range > 0 ? R(2) * (a[j] - n->low[j]) / range - R(1) : R(0);
        }
}

void bex_denormalise_actions(const bex_normaliser *n, bex_real *out, const bex_real *a, int rows) {
    for (int i = 0; i < rows; i++, a += n->A, out += n->A)
        for (int j = 0; j < n->A; j++) {
            bex_real x = n->low[j] + (a[j] + R(1)) * R(0.5) * (n->high[j] - n->low[j]);
            // rounding must not leave the range
            if (a[j] <= R(1) && x > n->high[j]) x = n->high[j];
            if (a[j] >= R(-1) && x < n->low[j]) x = n->low[j];
            out[j] = x;
        }
}

static bool near(const bex_real *x, const bex_real *y, int n) {
    for (int i = 0; i < n; i++)
        if (fabs((double)(x[i] - y[i])) > 1e-5 * (1 + fabs((double)y[i]))) return false;
    return true;
}

bool bex_normaliser_same(const bex_normaliser *a, const bex_normaliser *b) {
    return a->O == b->O && a->A == b->A && near(a->mean, b->mean, a->O) &&
           near(a->std, b->std, a->O) && near(a->low, b->low, a->A) && near(a->high, b->high, a->A);
}

void bex_normaliser_save(const bex_normaliser *n, bex_st_writer *w) {
    int64_t O = n->O, A = n->A;
    bex_st_add_real(w, "normaliser.state.mean", 1, &O, n->mean);
    bex_st_add_real(w, "normaliser.state.std", 1, &O, n->std);
    bex_st_add_real(w, "normaliser.action.low", 1, &A, n->low);
    bex_st_add_real(w, "normaliser.action.high", 1, &A, n->high);
}

int bex_normaliser_load(bex_normaliser *n, const bex_st_file *f, int O, int A) {
    int64_t o = O, a = A;
    if (allocate(n, O, A, NULL) < 0) return -1;
    int code = bex_st_read_real(f, "normaliser.state.mean", n->mean, 1, &o);
    if (!code) code = bex_st_read_real(f, "normaliser.state.std", n->std, 1, &o);
    if (!code) code = bex_st_read_real(f, "normaliser.action.low", n->low, 1, &a);
    if (!code) code = bex_st_read_real(f, "normaliser.action.high", n->high, 1, &a);
    for (int j = 0; !code && j < O; j++)
        if (n->std[j] < 0) code = bex_fail("tensor 'normaliser.state.std' is negative");
    if (!code) code = check_ranges(n);
    if (code) bex_normaliser_fini(n);
    return code;
}
