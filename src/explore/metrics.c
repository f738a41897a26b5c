#include "explore/metrics.h"

#include <math.h>

bex_spread bex_spread_of(const double *values, int n) {
    double mean = 0, square = 0;
    for (int i = 0; i < n; i++) mean += values[i] / n;
    for (int i = 0; i < n; i++) square += (values[i] - mean) * (values[i] - mean);
    return (bex_spread){mean, n > 1 ? sqrt(square / (n - 1) / n) : 0};
}

int bex_regions_mark(unsigned char *seen, const bex_world *world, const bex_real *states, int n) {
    int fresh = 0;
    for (int i = 0; i < n; i++) {
        int region = world->class->region(world, states + (size_t)i * (size_t)world->O);
        if (region < 0) continue;
        fresh += !seen[region];
        seen[region] = 1;
    }
    return fresh;
}

double bex_overlap(const unsigned char *a, const unsigned char *b, int R) {
    int visited = 0, shared = 0;
    for (int i = 0; i < R; i++) {
        visited += a[i] != 0;
        shared += a[i] && b[i];
    }
    return visited ? (double)shared / visited : 0;
}
