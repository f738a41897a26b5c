/* explore/results.h - an exploration on disk: results.json for tables and reports. Its rows: explore/trajectories.h.
 *
 * results.json
 *   run/provenance.h, trials, episodes (most of a trial), environment {...}, agent {...}; budget: steps
 *                of a trial, if it was one
 *   by_episode   after episode 1 .. E: regions (mean, error, trials (E, N)), and repeated: the share
 *                of an episode's regions its trial had visited before (mean, error)
 *   by_step      after step n (about 200 points, all trials present): regions (mean, error); of a world that
 *                has goals: the share of them found (mean, error), each: the share of trials that have
 *                found goal g (G, points)
 *   final        regions at the end: mean, error; goals: the share found (mean, error)
 *   attempts     regions: share of trials that reached each, mean attempt (episode from 1) of those;
 *                goal: the same for a first reward, attempts of each trial (0: never)
 *   goals        of a world that has some: names; the share found at the end (mean, error) and after
 *                each episode; the share of trials that found each; first_step (N, G), null: never
 *   conduct      how well it moved, of a world that has a view on it (bex_env_class.conduct): of each number
 *                mean, error, trials
 *   overlap      with a history segment, if one was given: mean, error, trials
 *   occupancy    share of states in each region; and as a grid for a map, counts row by row
 *   map          walls, goal, start: [right, down, half width, half height]
 *   segment      that segment, [[right, down], ...]
 *   demonstrations  of those that were given: grid, their states in the same squares; conduct: the same
 *                numbers
 *   rollouts     the first trials' paths, [trial][episode][[right, down], ...], thinned
 * Errors are standard errors over trials. */
#ifndef BEX_EXPLORE_RESULTS_H
#define BEX_EXPLORE_RESULTS_H

#include "explore/explored.h"
#include "host/json.h"

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

/* Caller json_decrefs; NULL with a message. */
json_t *bex_explore_results(const bex_explored *e, const bex_explore_about *about);

#endif
