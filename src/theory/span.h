/* theory/span.h - coverage over what the demonstrators do: the paper's cov_beta.
 *
 *     Lambda_beta = mean over trajectories of sum_k phi(s_k) phi(s_k)^T = V diag(sigma) V^T
 *     U = columns of V with sigma >= epsilon                                               (d, r)
 *     cov_beta(S) = 1 / tr((U^T Lambda(S) U + lambda I)^-1)
 *
 * Directions the data never takes do not hold cov_beta down at lambda, as they do cov. A yardstick for
 * reports: the policy itself is conditioned on cov. With epsilon 0 the span is the whole space and
 * cov_beta = cov. One-hot: U selects the cells visited at least epsilon times a trajectory.
 * Eigenvalues by cyclic Jacobi rotations: small, accurate, no LAPACK. Immutable; any thread. */
#ifndef BEX_THEORY_SPAN_H
#define BEX_THEORY_SPAN_H

#include "coverage/prefix.h"

typedef struct bex_span bex_span;

/* From Lambda_beta. NULL with a message if no direction reaches epsilon, epsilon is negative, or
 * g is not finite. */
bex_span *bex_span_new(bex_gram_shape shape, const double *g, double epsilon);
/* From a dataset of `episodes` trajectories; NULL also for relative features, which have no one
 * Lambda_beta. */
bex_span *bex_span_from(const bex_prefix *p, int64_t episodes, double epsilon);
void bex_span_free(bex_span *s);

int bex_span_rank(const bex_span *s);                  // r
const double *bex_span_eigenvalues(const bex_span *s); // sigma (d), descending

/* out (r features) = U^T Lambda U; cov_beta of a sum g. */
bex_gram_shape bex_span_shape(const bex_span *s);
void bex_span_project(const bex_span *s, double *out, const double *g);
double bex_span_coverage(const bex_span *s, const double *g, double lambda);

/* Eigenvalues (n), descending, and eigenvectors (n, n), in columns, of the symmetric a (n, n),
 * which is overwritten. n at most BEX_GRAM_WIDTH. */
void bex_eigen_symmetric(double *values, double *vectors, double *a, int n);

#endif
