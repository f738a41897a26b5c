/* demo/ant_pilot.h - the high level of D4RL's AntMaze data: where the ant should head next.
 *
 *   start      a free cell without goal, uniform, middle + U(0, 1)^2
 *   goal       one of the data's goal cells, uniform, middle + U(0, 2 S / 3) + U(0, S / 3) on each axis;
 *              kept for the episode, also when reached. The spread S is 1.5 m in D4RL's script; the goals
 *              recorded in its files fit 3 m, some of them inside walls
 *   cells      row = floor(1 + max(y, 1e-4) / 4), column likewise: they begin at the middle of the walls'
 *   next cell  on a shortest way to the goal's cell, breadth first from there: left, right, down, up
 *   waypoint   the middle of the next cell + U(0, 1)^2, drawn anew every step; in the last one the goal
 *   out        the direction to it, norm 10, behind the ant's own state: the input of ant_controller.h */
#ifndef BEX_DEMO_ANT_PILOT_H
#define BEX_DEMO_ANT_PILOT_H

#include "env/env.h"

typedef struct bex_ant_pilot bex_ant_pilot;

/* For AntMaze worlds; anything else: a message. Where every cell has a goal, any is a start. */
int bex_ant_pilot_new(bex_ant_pilot **out, const bex_world *world, double goal_spread);
void bex_ant_pilot_free(bex_ant_pilot *p); // NULL is fine

/* A new episode: the start and the goal, metres. start: at a cell given (>= 0) instead of any. */
void bex_ant_pilot_begin(bex_ant_pilot *p, bex_rng *rng, int start_cell, double start[2],
                         double goal[2]);

/* in (29) for the controller at obs (29). */
void bex_ant_pilot_input(bex_ant_pilot *p, bex_rng *rng, const bex_real *obs, bex_real *in);

#endif
