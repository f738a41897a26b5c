/* report/map.h - a maze seen from above: walls, start and goal under paths or over visits. Private to
 * report/. The second coordinate points down. */
#ifndef BEX_REPORT_MAP_H
#define BEX_REPORT_MAP_H

#include "draw/figure.h"
#include "report/exploration.h"

/* Walls, start, goal from results.map; square units, no axes. False without a map. */
bool bex_map_walls(bex_panel *p, const json_t *results);

/* Share of states in each square on a logarithmic scale, low..high; squares without any stay blank. */
void bex_map_visits(bex_panel *p, const bex_grid *grid, double low, double high);

/* [[right, down], ...] as a path. */
void bex_map_path(bex_panel *p, const json_t *points, const bex_mark *mark);

#endif
