/* env/maze/maze2d.h - a force-driven ball in a grid maze.
 *
 * Equals D4RL's maze2d-{umaze,medium,large,open}-v1 (MazeEnv, pointmaze/maze_model.py) in model,
 * physics, interface, resets, rewards and time limits, with any other grid through `maze2d`.
 *
 *   observation (4)  x, y, vx, vy       x with rows, y with columns: see the trap in env/maze/maze.h
 *   action (2)       force / 100 N on x and y, clipped to [-1, 1]
 *   step (0.01 s)    clip qvel to [-5, 5], one mj_step, read the state (speed may pass 5 slightly)
 *   reset            a free cell, uniform, + U(-0.1, 0.1)^2; velocity N(0, 0.1^2)^2
 *   reward           1 within 0.5 of the goal after the step, else 0 (dense: exp(-distance))
 *   end              never; the time limit truncates
 *
 * Deliberate differences:
 *   - D4RL runs mj_forward once more when it sets the clipped state. mj_step begins with the same
 *     computation, so it changes nothing but the time (a test compares the two);
 *   - observations are bex_real (float), not double;
 *   - maze2d-open has no v1: its v0 limit of 150 is used. `maze2d --maze` has 600;
 *   - a maze without G has no goal: its reward is 0;
 *   - an action that is not finite is an error, not a silent zero. */
#ifndef BEX_ENV_MAZE_MAZE2D_H
#define BEX_ENV_MAZE_MAZE2D_H

#include "env/env.h"
#include "env/maze/maze.h"

extern const bex_env_class bex_maze2d_umaze, bex_maze2d_medium, bex_maze2d_large, bex_maze2d_open,
    bex_maze2d_any;

/* The grid of a Maze2D world, borrowed; NULL for any other world. */
const bex_maze *bex_maze2d_maze(const bex_world *world);

/* The model of a grid as MJCF text; malloced, NULL with a message. */
char *bex_maze2d_mjcf(const bex_maze *maze);

#endif
