/* explore/results.h - what an exploration came to: record/exploration_summary.h filled, and the same as
 * results.json. Its rows on disk: explore/trajectories.h. */
#ifndef BEX_EXPLORE_RESULTS_H
#define BEX_EXPLORE_RESULTS_H

#include "explore/explored.h"
#include "record/exploration_summary.h"

typedef struct bex_explore_about {
    const char *command; // bex_command_line(), UTF-8
    const char *started; // bex_time_now when the exploration began; NULL: now
    long long seed;
    json_t *agent; // borrowed: how it was made
    // a history segment whose overlap is wanted; NULL: none
    const bex_real *segment; // (segment_rows, O)
    int segment_rows;
    // demonstrations to draw beside it; NULL: none
    const bex_real *demonstrations; // (demonstration_rows, O)
    int demonstration_rows;
    const int *demonstration_start; // (demonstration_episodes + 1)
    int demonstration_episodes;
} bex_explore_about;

/* Needs fini either way. Negative with a message: states that cannot be judged, no memory. */
int bex_explore_summarise(bex_exploration_summary *s, const bex_explored *e,
                          const bex_explore_about *about);

/* results.json of a summary; caller json_decrefs. */
json_t *bex_explore_results(const bex_exploration_summary *s, const bex_explore_about *about);

#endif
