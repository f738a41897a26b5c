/* explore/region_map.h - an exploration seen from above: walls, visits in squares, paths. Private to
 * explore/results.c. */
#ifndef BEX_EXPLORE_REGION_MAP_H
#define BEX_EXPLORE_REGION_MAP_H

#include "explore/results.h"

/* Fills map, grids, segment and rollouts of the summary; nothing in a world that is not seen from above.
 * Negative with a message. */
int bex_explore_map(bex_exploration_summary *s, const bex_explored *e,
                    const bex_explore_about *about);

#endif
