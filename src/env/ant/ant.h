/* env/ant/ant.h - an ant that walks to goals on an endless floor: where a controller is trained.
 *
 * Equals D4RL's GoalReachingAntEnv (locomotion/ant.py, goal_reaching_env.py), the world in which the
 * low-level controller of its AntMaze data was trained.
 *
 *   observation (29)  qpos[2:15], qvel (14): all but x and y; then goal - (x, y), in metres
 *   action (8)        torques / 30 Nm, clipped to [-1, 1]
 *   reset             env/ant/ant_body.h, at the origin; the goal at angle U(0, 2 pi), distance U(0, 10)
 *   reward            -distance to the goal after the step
 *   end               never, also not for an ant on its back; the time limit truncates
 *
 * The data's controller is fed with the same 29 numbers, the last two being the direction to the next
 * waypoint scaled to norm 10 whatever its distance (demo/ant_pilot.h).
 *
 * Deliberate differences: float observations; the limit of 1000 steps is ours, D4RL registers none. */
#ifndef BEX_ENV_ANT_ANT_H
#define BEX_ENV_ANT_ANT_H

#include "env/env.h"

extern const bex_env_class bex_ant;

/* The goal of an instance of bex_ant, (x, y): where it is; put it elsewhere, from the next observation
 * on. Metres; the ant starts at the origin. */
const double *bex_ant_goal(const bex_env *env);
void bex_ant_goal_set(bex_env *env, double x, double y);

#endif
