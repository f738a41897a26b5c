/* explore/coverage_curve.h - what visited states come to, by a policy's own measure: no world is needed.
 *
 *   coverage   log cov of all states of a trial so far (coverage/coverage.h)
 *   novelty    what an episode added to that
 *   quantile   an episode is cut into futures of F + 1 states; each one's coverage together with the
 *              episodes before
 *              it, as the policy is told it (history counted as N states), as a quantile of the
 *              demonstrators' futures:
 *              0.5 is what they would typically add, 1 more than they ever did. Mean and best over the
 *              futures
 *
 * A first episode has its first state as history, as at deployment. */
#ifndef BEX_EXPLORE_COVERAGE_CURVE_H
#define BEX_EXPLORE_COVERAGE_CURVE_H

#include "data/recording.h"
#include "policy/policy.h"

typedef struct bex_coverage_point {
    int trial, episode, rows; // episode of its trial, from 0
    double coverage, novelty; // novelty of the first: NAN
    double quantile, best;
} bex_coverage_point;

/* point (visited->episodes), in order. The policy must have a coverage. Negative with a message. */
int bex_coverage_curve(bex_coverage_point *point, const bex_policy *policy,
                       const bex_recording *visited);

#endif
