/* coverage/state_sum.h - Lambda of states that are not rows of a data set: a deployment's history. */
#ifndef BEX_COVERAGE_STATE_SUM_H
#define BEX_COVERAGE_STATE_SUM_H

#include "coverage/feature.h"

/* g (wide shape) += sum over states (n, input). Negative with a message if a selected value is not
 * finite: g is then undefined. Allocates nothing; any thread. */
int bex_state_sum_add(const bex_feature *f, double *g, const bex_real *states, size_t n);

#endif
