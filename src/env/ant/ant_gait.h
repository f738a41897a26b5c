/* env/ant/ant_gait.h - how an ant walks, in numbers: what D4RL's data and ours are compared by.
 *
 *     bex_ant_gait w = {0};
 *     for each episode: bex_ant_gait_add(&w, world, obs, goal, rows);
 *     w.reached / w.episodes ...
 *
 * Flipped: the torso's own up points down. Speed: metres a step over steps that begin upright. */
#ifndef BEX_ENV_ANT_ANT_GAIT_H
#define BEX_ENV_ANT_ANT_GAIT_H

#include "env/env.h"

typedef struct bex_ant_gait {
    long long episodes;
    long long reached;         // episodes with a state within 0.5 of their goal
    long long fell;            // episodes with a flipped state
    long long states, flipped; // states, flipped ones
    long long steps;           // steps that begin upright
    double metres;             // walked in them
    long long cells;           // distinct cells, summed over episodes
    long long cells2;          // their squares, for an error
} bex_ant_gait;

/* An episode of an AntMaze world: obs (rows,29), goal (2); NULL: none to reach. */
int bex_ant_gait_add(bex_ant_gait *w, const bex_world *world, const bex_real *obs,
                     const bex_real *goal, int rows);

/* `conduct` and `judge` of env/env.h: flipped_states (share), flipped_episodes (share),
 * metres_per_upright_step (0 where no step began upright). */
extern const char *const bex_ant_conduct[];
int bex_ant_judge(const bex_world *world, const bex_real *obs, const int *start, int episodes,
                  double *values);

bool bex_ant_flipped(const bex_real *obs);

#endif
