/* coverage/target.h - `exp`: how much to explore, as the user writes it, and as the policy's
 * coverage input.
 *
 *   q:0.95   the 0.95 quantile of the training values (101-point table in the model)
 *   z:2      two standard deviations above the mean: of the training data (global), or of the futures
 *            possible given this history (history)
 *   raw:x    the coverage x itself; under history normalisation its z depends on the history
 *
 * Constant within an episode. Values far beyond q:1 are outside what the policy was trained on. */
#ifndef BEX_COVERAGE_TARGET_H
#define BEX_COVERAGE_TARGET_H

#include "coverage/condition.h"

typedef enum { BEX_TARGET_QUANTILE, BEX_TARGET_Z, BEX_TARGET_RAW } bex_exp_form;

typedef struct bex_target {
    bex_exp_form form;
    double x;
} bex_target;

/* Negative with a message for another form, a bad number, q outside 0..1, a coverage not above 0. */
int bex_target_parse(bex_target *e, const char *text);

/* Whether the value changes with the history: resolve again when it grows. */
bool bex_target_needs_history(bex_target e, const bex_condition *c);

/* The policy's input. history: Lambda(h) in c's shape, NULL allowed unless bex_target_needs_history.
 * Negative with a message if the history's matrix is not positive definite. */
int bex_target_resolve(double *value, bex_target e, const bex_condition *c, const double *history);

#endif
