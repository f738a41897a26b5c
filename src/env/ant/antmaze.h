/* env/ant/antmaze.h - an ant in a grid maze.
 *
 * Equals D4RL's antmaze-{umaze,medium-diverse,large-diverse}-v2 (AntMazeEnv, locomotion/) in physics
 * (replayed against D4RL's own data: `bex env check antmaze`), interface, resets, targets, rewards and
 * time limits, with any other grid through `antmaze`.
 *
 *   observation (29)  qpos (15), qvel (14): env/ant/ant_body.h; no goal in it
 *   action (8)        torques / 30 Nm, clipped to [-1, 1]
 *   coordinates       x with columns, y with rows, 4 m a cell; the middle of cell (1,1) is (0, 0)
 *   reset             the first free cell, or the one asked for, with the noise of env/ant/ant_body.h; a new
 *                     target in the goal's square
 *   goal              cell; its square is [middle, middle + 1.5 m]^2, where D4RL draws targets
 *   reward, end       1 and terminated within 0.5 of the target after the step, else 0; an ant on its
 *                     back stays there to the end of the episode
 *   regions           free cells
 *   goals             the four of SUPE in medium and large; found: within 0.5 of the square
 *
 * The exploration protocol (bex_world_options.explore; Behavioral Exploration, 2025): 500 steps in
 * medium, 750 in large; the reward is 1 while a goal is found; episodes never terminate.
 *
 * Deliberate differences: float observations; D4RL evaluates the forward dynamics once more after a
 * reset; `antmaze --maze` starts in its first free cell unless told, and keeps the origin at (1,1); an
 * action that is not finite is an error. */
#ifndef BEX_ENV_ANT_ANTMAZE_H
#define BEX_ENV_ANT_ANTMAZE_H

#include "env/env.h"
#include "env/maze/maze.h"

extern const bex_env_class bex_antmaze_umaze, bex_antmaze_medium, bex_antmaze_large,
    bex_antmaze_any;

/* The grid of an AntMaze world, borrowed; NULL for any other world. */
const bex_maze *bex_antmaze_maze(const bex_world *world);

/* The cells D4RL's data generator has goals in: *goals (count) of the world, borrowed. The worlds'
 * own differ; a maze from a file uses its goal, or every cell where it has none. */
int bex_antmaze_data_goals(const bex_world *world, const int **goals);

/* The middle of the first goal's square, where D4RL's files pay rewards; NaN without a goal. */
void bex_antmaze_test_goal(const bex_world *world, double goal[2]);

/* A reset at (x, y) exactly, otherwise as `reset`; obs (29). */
void bex_antmaze_put(bex_env *env, bex_rng rng, double x, double y, bex_real *obs);

#endif
