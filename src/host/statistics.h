/* host/statistics.h - what a table of trials says: means with standard errors, intervals, rank
 * correlation, differences. Trials are independent; nothing here assumes more than it names. */
#ifndef BEX_HOST_STATISTICS_H
#define BEX_HOST_STATISTICS_H

#include "base/rng.h"

/* error: of the mean, s / sqrt(n) with s over n - 1; NAN for n < 2. mean: NAN for n = 0. */
typedef struct bex_estimate {
    double mean, error, deviation; // deviation: s
    int n;
} bex_estimate;

bex_estimate bex_estimate_of(const double *values, int n);

typedef struct bex_interval {
    double low, high;
} bex_interval;

/* Student's interval of the mean: mean -+ t_{n-1} error; NAN for n < 2. confidence in (0, 1). */
bex_interval bex_interval_t(const double *values, int n, double confidence);

/* Percentile bootstrap of the mean, `draws` resamples; for skewed or bounded values. */
bex_interval bex_interval_bootstrap(const double *values, int n, double confidence, int draws,
                                    bex_rng rng);

/* a - b of independent trials after Welch: difference, its standard error, their ratio ("standard
 * errors"), degrees of freedom, and the two-sided p of Student's t. */
typedef struct bex_difference {
    double value, error, ratio, freedom, p;
} bex_difference;
bex_difference bex_difference_welch(bex_estimate a, bex_estimate b);

/* a - b of trials that were played in pairs (the same seed, the same start): the mean difference, its
 * standard error over pairs, and Student's t of it with n - 1 degrees of freedom. n < 2: error, p NAN. */
bex_difference bex_difference_paired(const double *a, const double *b, int n);

/* Wilson's interval of a rate, `hits` of n; never outside [0, 1], and of some width at 0 and n too. NAN
 * for n < 1.
 * confidence in (0, 1). */
bex_interval bex_interval_wilson(int hits, int n, double confidence);

/* Spearman's rank correlation, equal values sharing their mean rank; NAN for n < 2 or a constant. */
double bex_spearman(const double *x, const double *y, int n);

/* Ranks 1..n, ties the mean of theirs. */
void bex_ranks(double *rank, const double *values, int n);

/* P(T <= t) of Student's t, and the t for a probability in (0, 1). */
double bex_student_cdf(double t, double freedom);
double bex_student_quantile(double probability, double freedom);

#endif
