/* explore/metrics.h - numbers about exploration: regions, overlap, and what a sample says of its mean. */
#ifndef BEX_EXPLORE_METRICS_H
#define BEX_EXPLORE_METRICS_H

#include "env/env.h"

typedef struct bex_spread {
    double mean;
    double error; // standard error of the mean; 0 for one value
} bex_spread;

/* Of n >= 1 values. */
bex_spread bex_spread_of(const double *values, int n);

/* seen[region] = 1 for the regions of states (n, O); others are left. Returns how many are new. */
int bex_regions_mark(unsigned char *seen, const bex_world *world, const bex_real *states, int n);

/* The share of the regions visited in a that are also in b; 0 if a has none. Flags (R). */
double bex_overlap(const unsigned char *a, const unsigned char *b, int R);

#endif
