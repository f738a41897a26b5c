/* agent/skills/demonstration_rows.h - rows of demonstrations as skills' networks and learners take them:
 * the first S values of a state, and actions kept inside (-1, 1), where a squashed action can be, as
 * upstream keeps them. */
#ifndef BEX_AGENT_SKILLS_DEMONSTRATION_ROWS_H
#define BEX_AGENT_SKILLS_DEMONSTRATION_ROWS_H

#include "data/dataset.h"

/* out (n,S): states of n rows from `row` on. */
void bex_rows_states(bex_real *out, const bex_dataset *d, int row, int n, int S);

/* out (n,A): their actions, within 1 - 1e-5. */
void bex_rows_actions(bex_real *out, const bex_dataset *d, int row, int n);

#endif
