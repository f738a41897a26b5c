/* report/map.h - a maze seen from above: walls, start and goal under paths or over visits. Private to
 * report/. The second coordinate points down. */
#ifndef BEX_REPORT_MAP_H
#define BEX_REPORT_MAP_H

#include "draw/figure.h"
#include "report/exploration.h"

/* Walls, a single start, a single goal; square units, no axes. False without walls. */
bool bex_map_walls(bex_panel *p, const bex_exploration_summary *s);

/* Share of states in each square on a logarithmic scale, low..high; squares without any stay blank. */
void bex_map_visits(bex_panel *p, const bex_grid *grid, double low, double high);

void bex_map_path(bex_panel *p, const bex_path *path, const bex_mark *mark);

#endif
