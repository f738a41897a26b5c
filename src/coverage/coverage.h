/* coverage/coverage.h - cov(S) = 1 / tr((Lambda(S) + lambda I)^-1), the paper's equation for how
 * well a set of states spans feature space (A-optimal design).
 *
 * cov(empty) = lambda / d; cov never falls when states are added; one-hot features give
 * 1 / sum_s 1 / (count(s) + lambda). It has no natural unit: it scales with phi squared, so it is
 * quoted as a quantile or in standard deviations (coverage/condition.h), never bare.
 *
 * Four matrices are factored side by side, one per element of a double4 (A = U^T D U, U unit upper):
 *     tr(A^-1) = sum_j 1/D_j * sum_i (U^-1)_ij^2                      d^3 / 3 multiply-adds a matrix
 * An element never reads its neighbours: the value of a matrix is the same bits in any company.
 *
 * A matrix that is not positive definite in double gives NaN: features not finite, or so large
 * (beyond ~1e5 with lambda 0.01) that lambda is lost in rounding; bex_coverage_fail words that for
 * the user. Relative error below 1e-10 at condition 1e7 (tests). Nothing is allocated. */
#ifndef BEX_COVERAGE_COVERAGE_H
#define BEX_COVERAGE_COVERAGE_H

#include "coverage/gram.h"

double bex_coverage(bex_gram_shape shape, const double *g, double lambda);

/* cov[m] = coverage of base + grams[m] (bex_gram_size apart), m < n; base NULL: of grams[m]. */
void bex_coverage_batch(double *cov, bex_gram_shape shape, const double *base, const double *grams,
                        size_t n, double lambda);

/* Sets the message for a coverage that came out NaN; returns -1. */
int bex_coverage_fail(double lambda);

#endif
