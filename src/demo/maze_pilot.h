/* demo/maze_pilot.h - who made D4RL's Maze2D data: a planner, waypoints and a PD law, made again.
 *
 *   goal       a free cell by weight, + U(-0.1, 0.1)^2
 *   way        shortest in cells (env/maze/maze.h), from the rounded position to the rounded goal; planned
 *              anew only when the goal's cell changes
 *   waypoints  each cell of the way - U(0, 0.2)^2, the last one exactly the goal's cell
 *   action     clip(10 (waypoint - position) - velocity, -1, 1), + N(0, noise^2), clipped again
 *   onwards    at a waypoint when nearer than 0.1 and the last step moved less than 0.1; at the goal
 *              by the same two tests. A new goal then, or after `patience` steps. */
#ifndef BEX_DEMO_MAZE_PILOT_H
#define BEX_DEMO_MAZE_PILOT_H

#include "env/env.h"

typedef struct bex_maze_pilot bex_maze_pilot;

typedef struct bex_maze_pilot_options {
    double noise;          // standard deviation added to actions
    int patience;          // steps before a goal is given up; 0: the world's v1 time limit
    const double *weights; // (cells) how often each is a goal, not all 0; NULL: uniform. Borrowed
} bex_maze_pilot_options;

/* For Maze2D worlds only; anything else: a message. */
int bex_maze_pilot_new(bex_maze_pilot **out, const bex_world *world,
                       const bex_maze_pilot_options *options);
void bex_maze_pilot_free(bex_maze_pilot *d); // NULL is fine

/* A new run at `obs`: draws the first goal. */
void bex_maze_pilot_start(bex_maze_pilot *d, bex_rng rng, const bex_real *obs);

/* The action (2) at `obs` and the goal (2) it pursues. True if this goal is over, reached or given
 * up; the next call then has another. */
bool bex_maze_pilot_act(bex_maze_pilot *d, const bex_real *obs, bex_real *act, bex_real *goal);

#endif
