/* base/clock.h - monotonic seconds, for progress, latency and benchmarks; never for seeds. */
#ifndef BEX_BASE_CLOCK_H
#define BEX_BASE_CLOCK_H

#include <time.h>

static inline double bex_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
