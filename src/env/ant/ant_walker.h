/* env/ant/ant_walker.h - an ant that is told a direction and learns to walk: where a controller of our own is
 * trained. D4RL's was trained in env/ant/ant.h, on minus the distance to goals within 10 m; this world asks
 * for the same controller with a reward that tells every step, and meets what AntMaze data will: walls,
 * waypoints that jump, noise.
 *
 *   observation (29)  qpos[2:15], qvel (14), then the direction to the target, scaled to norm 10
 *   action (8)        torques / 30 Nm, clipped to [-1, 1], after noise: see below
 *   walls             nine pillars of one cell (4 m), a cell apart, and a border; not observed
 *   target            middle + U(-1, 1)^2 of a free cell beside the ant's; a new one within 0.5 m of it, and
 *                     with probability 1/40 a step. Half of them are waypoints: shown with U(-0.5, 0.5)^2
 *                     added, drawn anew every step, as D4RL's pilot does
 *   noise             N(0, d^2) is added to every action; d ~ U(0, 0.25) an episode (the data has 0.2)
 *   reset             env/ant/ant_body.h, in any free cell, middle + U(0, 1)^2
 *   reward            progress + upright - effort:
 *                       progress  approach to the target / 1.5 m/s, within [-2, 2]
 *                       upright   w^2 / 4, w of the unit quaternion: 1/4 as put down, less turned or tipped
 *                       effort    mean squared action / 50
 *   end               when it falls: the torso's own up points down. D4RL's ants lie on their backs for
 *                     the rest of the episode; here a fall costs all reward to come
 *   measures          speed: metres a step; progress: metres nearer a step; fell: 1 if so */
#ifndef BEX_ENV_ANT_ANT_WALKER_H
#define BEX_ENV_ANT_ANT_WALKER_H

#include "env/env.h"

extern const bex_env_class bex_ant_walker;

#endif
