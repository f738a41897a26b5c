/* base/clock.h - monotonic seconds, for progress, latency, deadlines and benchmarks; never for seeds. */
#ifndef BEX_BASE_CLOCK_H
#define BEX_BASE_CLOCK_H

#include <time.h>

/* Seconds from some beginning: bex_seconds, or a clock that a test winds itself. */
typedef double (*bex_clock)(void);

static inline double bex_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
