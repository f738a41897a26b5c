/* explore/region_map.h - map, occupancy.grid, demonstrations, segment and rollouts of results.json. Private
 * to explore/results.c. */
#ifndef BEX_EXPLORE_REGION_MAP_H
#define BEX_EXPLORE_REGION_MAP_H

#include "explore/results.h"

/* Nothing where the world has no picture from above. `results` has occupancy. Negative with a message. */
int bex_explore_add_map(json_t *results, const bex_explored *e, const bex_explore_about *about);

#endif
