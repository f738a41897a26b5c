/* explore/metrics.h - numbers about exploration: regions visited, and their overlap. */
#ifndef BEX_EXPLORE_METRICS_H
#define BEX_EXPLORE_METRICS_H

#include "env/env.h"

/* seen[region] = 1 for the regions of states (n, O); others are left. Returns how many are new. */
int bex_regions_mark(unsigned char *seen, const bex_world *world, const bex_real *states, int n);

/* The share of the regions visited in a that are also in b; 0 if a has none. Flags (regions). */
double bex_overlap(const unsigned char *a, const unsigned char *b, int regions);

#endif
