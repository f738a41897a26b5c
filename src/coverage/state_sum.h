/* coverage/state_sum.h - Lambda of states that are not rows of a data set: a deployment's history. */
#ifndef BEX_COVERAGE_STATE_SUM_H
#define BEX_COVERAGE_STATE_SUM_H

#include "coverage/feature.h"

/* g (wide shape) += sum over states (n, input). Negative with a message if a selected value is not
 * finite: g is then undefined. Allocates nothing; any thread. */
int bex_state_sum_add(const bex_feature *f, double *g, const bex_real *states, size_t n);

/* A finished sum g (wide shape) as seen from `state` (input): g (shape), in place. Nothing to do where f is
 * not relative. Negative with a message: the state is not finite. */
int bex_state_sum_from(const bex_feature *f, double *g, const bex_real *state);

/* Both: g (wide shape) = Lambda of states (n, input) as seen from `state`. */
int bex_state_sum_of(const bex_feature *f, double *g, const bex_real *states, size_t n,
                     const bex_real *state);

#endif
