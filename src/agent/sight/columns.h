/* agent/sight/columns.h - what a frozen network sees of demonstrations, as columns of their states
 * (policy/seen.h). */
#ifndef BEX_AGENT_SIGHT_COLUMNS_H
#define BEX_AGENT_SIGHT_COLUMNS_H

#include "agent/sight/features.h"

/* policy->seen from features of the data's rows, evenly spaced ones of many; frames (rows). Negative with a
 * message. */
int bex_sight_fit_columns(bex_policy *policy, const bex_features *features, const int *frames,
                          int rows);

/* The last policy->seen.columns columns of the observations (rows, policy->O). */
void bex_sight_fill_columns(const bex_policy *policy, const bex_features *features,
                            const int *frames, bex_dataset *data);

#endif
