/* show/exploration_figures.h - pictures of an exploration, as SVG and PNG:
 *   coverage   regions visited against episodes and against steps, with the standard error as a band; where
 *              there are goals, the share of them found and of trials that have found each
 *   rollouts   one trial's episodes over the world, and where all trials went */
#ifndef BEX_SHOW_EXPLORATION_FIGURES_H
#define BEX_SHOW_EXPLORATION_FIGURES_H

#include "explore/explored.h"
#include "host/json.h"

/* Into directory `out`; results as bex_explore_results made them. Negative with a message. */
int bex_explore_draw(const bex_explored *e, const json_t *results, const char *name,
                     const char *out);

#endif
