#include "explore/metrics.h"

int bex_regions_mark(unsigned char *seen, const bex_world *world, const bex_real *states, int n) {
    int fresh = 0;
    for (int i = 0; i < n; i++) {
        int region = world->class->region(world, states + (size_t)i * (size_t)world->spec.state);
        if (region < 0) continue;
        fresh += !seen[region];
        seen[region] = 1;
    }
    return fresh;
}

double bex_overlap(const unsigned char *a, const unsigned char *b, int regions) {
    int visited = 0, shared = 0;
    for (int i = 0; i < regions; i++) {
        visited += a[i] != 0;
        shared += a[i] && b[i];
    }
    return visited ? (double)shared / visited : 0;
}
