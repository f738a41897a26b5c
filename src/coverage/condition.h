/* coverage/condition.h - from cov(h u tau) to the number the policy is conditioned on.
 *
 *   global    (log cov - mean) / std over the training distribution: the paper's plain reading
 *   history   (log cov(h u tau) - mean_h) / std_h over a bank of dataset futures tau' and the same
 *             h: how good this future is among those possible given what was seen. The stronger one
 *   rank      sqrt(3) (2 u - 1), u the share of alternatives that cov(h u tau) exceeds: of the futures that
 *             demonstrators took from nearly the same state, for the same h. Uniform, variance 1, the same
 *             in every state; needs no bank. Who labels finds u, and bex_condition_value passes it through
 *
 * The statistics, a 101-point quantile table of the training values, and the bank are stored with
 * the model as tensors `coverage.*`. A future of relative features enters the bank as seen from its
 * own first state.
 *
 *     bex_condition *c = bex_condition_new(BEX_NORMALISE_HISTORY, shape, lambda, bank, M);
 *     bex_label(log_cov, moments, ...)            coverage/label.h, on a sample of training windows
 *     bex_condition_fit(c, log_cov, moments, n)   then save; at deployment coverage/target.h
 *
 * std_h has a floor of 5 % of its typical value: a history that leaves nothing to choose gives
 * small numbers, not infinite ones. Immutable after fit: share it between threads. */
#ifndef BEX_COVERAGE_CONDITION_H
#define BEX_COVERAGE_CONDITION_H

#include "coverage/gram.h"
#include "nn/safetensors.h"

enum { BEX_QUANTILES = 101 };

typedef enum {
    BEX_NORMALISE_GLOBAL,
    BEX_NORMALISE_HISTORY,
    BEX_NORMALISE_RANK,
    BEX_NORMALISES
} bex_normalise;

typedef struct bex_moments {
    double mean, std; // of log cov
} bex_moments;

typedef struct bex_condition bex_condition;

const char *bex_normalise_name(bex_normalise n);
int bex_normalise_parse(bex_normalise *n, const char *name); // negative with a message

/* bank (M, bex_gram_size(shape)) is copied; global needs none (M 0), history at least 2. NULL with
 * a message if lambda is not positive or M is too small. */
bex_condition *bex_condition_new(bex_normalise normalise, bex_gram_shape shape, double lambda,
                                 const double *bank, int M);
void bex_condition_free(bex_condition *c);

bex_normalise bex_condition_normalise(const bex_condition *c);
bex_gram_shape bex_condition_shape(const bex_condition *c);
double bex_condition_lambda(const bex_condition *c);
int bex_condition_bank(const bex_condition *c); // M

/* Mean and standard deviation of log cov(h u tau') over the bank, h given as its sum: M
 * factorisations. NaN if a matrix is not positive definite. */
bex_moments bex_condition_moments(const bex_condition *c, const double *history);

/* The input for a rank of `below` alternatives of n - 1 exceeded; ties count half. */
double bex_condition_of_rank(double below, int n);

/* From n training labels (rank: inputs already); moments (n) for history normalisation, else NULL. Negative
 * with a message if a label is not finite or all are equal. */
int bex_condition_fit(bex_condition *c, const double *log_cov, const bex_moments *moments,
                      size_t n);

/* The policy's input for a label; moments NULL for global. Needs a fit. */
double bex_condition_value(const bex_condition *c, double log_cov, const bex_moments *moments);

double bex_condition_quantile(const bex_condition *c,
                              double q); // q in [0, 1], linear between points
double bex_condition_rank(const bex_condition *c,
                          double value);                    // the share of training values below it
bex_moments bex_condition_training(const bex_condition *c); // of log cov, for reports

/* Adds the tensors to w, which borrows them: keep c until bex_st_save. Needs a fit. */
void bex_condition_save(const bex_condition *c, bex_st_writer *w);
bex_condition *bex_condition_load(const bex_st_file *file); // NULL with a message

#endif
