/* host/statistics.c - two-pass moments; Student's t through the regularised incomplete beta. */
#include "host/statistics.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

bex_estimate bex_estimate_of(const double *values, int n) {
    double mean = 0, squares = 0;
    for (int i = 0; i < n; i++) mean += values[i] / n;
    if (n < 1) mean = (double)NAN;
    for (int i = 0; i < n; i++) squares += (values[i] - mean) * (values[i] - mean);
    double variance = n > 1 ? squares / (n - 1) : (double)NAN;
    return (bex_estimate){mean, sqrt(variance / n), sqrt(variance), n};
}

/* ---- Student's t ---- */
// continued fraction of the incomplete beta function, by Lentz's method
static double beta_fraction(double a, double b, double x) {
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double f = d;
    for (int m = 1; m < 500; m++) {
        double steps[2] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                           -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
        double before = f;
        for (int k = 0; k < 2; k++) {
            d = 1 + steps[k] * d, c = 1 + steps[k] / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            if (fabs(c) < tiny) c = tiny;
            f *= d * c;
        }
        if (fabs(f - before) < 1e-16 * fabs(f)) break;
    }
    return f;
}

// I_x(a, b)
static double incomplete_beta(double a, double b, double x) {
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    // the fraction converges fast on this side of the mode only
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double bex_student_cdf(double t, double freedom) {
    if (isnan(t) || !(freedom > 0)) return (double)NAN;
    if (isinf(t)) return t > 0;
    double tail = 0.5 * incomplete_beta(0.5 * freedom, 0.5, freedom / (freedom + t * t));
    return t > 0 ? 1 - tail : tail;
}

double bex_student_quantile(double probability, double freedom) {
    BEX_CHECK(probability > 0 && probability < 1, "probability %g", probability);
    if (!(freedom > 0)) return (double)NAN;
    if (probability == 0.5) return 0;
    // by symmetry on the lower side, where the tail keeps its digits
    double p = fmin(probability, 1 - probability), low = -1, high = 0;
    while (bex_student_cdf(low, freedom) > p && low > -1e300) high = low, low *= 2;
    for (int i = 0; i < 200 && high - low > 1e-15 * fabs(low); i++) {
        double middle = 0.5 * (low + high);
        if (bex_student_cdf(middle, freedom) > p)
            high = middle;
        else
            low = middle;
    }
    double t = 0.5 * (low + high);
    return probability < 0.5 ? t : -t;
}

/* ---- intervals ---- */
bex_interval bex_interval_t(const double *values, int n, double confidence) {
    bex_estimate e = bex_estimate_of(values, n);
    if (n < 2) return (bex_interval){(double)NAN, (double)NAN};
    double reach = -bex_student_quantile(0.5 * (1 - confidence), n - 1) * e.error;
    return (bex_interval){e.mean - reach, e.mean + reach};
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// linear interpolation between order statistics
static double quantile(const double *sorted, int n, double q) {
    double at = q * (n - 1);
    int i = (int)at;
    return i + 1 < n ? sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

bex_interval bex_interval_bootstrap(const double *values, int n, double confidence, int draws,
                                    bex_rng rng) {
    BEX_CHECK(draws > 0 && confidence > 0 && confidence < 1, "%d draws, confidence %g", draws,
              confidence);
    if (n < 2) return (bex_interval){(double)NAN, (double)NAN};
    double *means = malloc((size_t)draws * sizeof *means);
    BEX_CHECK(means, "out of memory for %d draws", draws);
    for (int k = 0; k < draws; k++) {
        double sum = 0;
        for (int i = 0; i < n; i++) sum += values[bex_rng_below(&rng, (uint64_t)n)];
        means[k] = sum / n;
    }
    qsort(means, (size_t)draws, sizeof *means, ascending);
    double tail = 0.5 * (1 - confidence);
    bex_interval interval = {quantile(means, draws, tail), quantile(means, draws, 1 - tail)};
    free(means);
    return interval;
}

bex_difference bex_difference_welch(bex_estimate a, bex_estimate b) {
    double va = a.error * a.error, vb = b.error * b.error;
    bex_difference d = {.value = a.mean - b.mean, .error = sqrt(va + vb)};
    d.ratio = d.value / d.error;
    d.freedom = (va + vb) * (va + vb) / (va * va / (a.n - 1) + vb * vb / (b.n - 1));
    d.p = 2 * bex_student_cdf(-fabs(d.ratio), d.freedom);
    return d;
}

/* ---- ranks ---- */
typedef struct ranked {
    double value;
    int index;
} ranked;

static int by_value(const void *a, const void *b) {
    return ascending(&((const ranked *)a)->value, &((const ranked *)b)->value);
}

void bex_ranks(double *rank, const double *values, int n) {
    ranked *order = malloc(((size_t)n + 1) * sizeof *order);
    BEX_CHECK(order, "out of memory for %d ranks", n);
    for (int i = 0; i < n; i++) order[i] = (ranked){values[i], i};
    qsort(order, (size_t)n, sizeof *order, by_value);
    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && order[end].value == order[i].value;) end++;
        for (int k = i; k < end; k++) rank[order[k].index] = 0.5 * (i + 1 + end);
    }
    free(order);
}

double bex_spearman(const double *x, const double *y, int n) {
    if (n < 2) return (double)NAN;
    double *rx = malloc(2 * (size_t)n * sizeof *rx), *ry = rx + n;
    BEX_CHECK(rx, "out of memory for %d ranks", n);
    bex_ranks(rx, x, n);
    bex_ranks(ry, y, n);
    double middle = 0.5 * (n + 1), xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < n; i++) {
        double a = rx[i] - middle, b = ry[i] - middle;
        xx += a * a, yy += b * b, xy += a * b;
    }
    free(rx);
    return xy / sqrt(xx * yy); // 0 / 0 for a constant
}

bex_difference bex_difference_paired(const double *a, const double *b, int n) {
    double mean = 0, squares = 0;
    for (int i = 0; i < n; i++) mean += (a[i] - b[i]) / n;
    for (int i = 0; i < n; i++) squares += (a[i] - b[i] - mean) * (a[i] - b[i] - mean);
    double none = (double)NAN;
    bex_difference d = {
        .value = n ? mean : none, .error = none, .ratio = none, .freedom = n - 1, .p = none};
    if (n < 2) return d;
    d.error = sqrt(squares / (n - 1) / n);
    if (d.error > 0) {
        d.ratio = d.value / d.error;
        d.p = 2 * (1 - bex_student_cdf(fabs(d.ratio), d.freedom));
    }
    return d;
}

bex_interval bex_interval_wilson(int hits, int n, double confidence) {
    if (n < 1) return (bex_interval){(double)NAN, (double)NAN};
    // many degrees of freedom: Student's t is the normal distribution
    double z = bex_student_quantile(0.5 + confidence / 2, 1e7), p = (double)hits / n, z2 = z * z;
    double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
    double half = z / (1 + z2 / n) * sqrt(p * (1 - p) / n + z2 / (4.0 * n * n));
    return (bex_interval){hits == 0 ? 0 : fmax(0, middle - half),
                          hits == n ? 1 : fmin(1, middle + half)};
}
