/* env/maze/maze_world.h - what worlds in grid mazes share: the grid and its cells out of the options. */
#ifndef BEX_ENV_MAZE_MAZE_WORLD_H
#define BEX_ENV_MAZE_MAZE_WORLD_H

#include "env/env.h"
#include "env/maze/maze.h"

/* The grid of a class: its own layout (text), or, where that is NULL, the file of the options. Both or
 * neither is a message; `family` is the class that takes a file, e.g. "maze2d". Caller frees. */
int bex_maze_world_load(bex_maze **out, const bex_env_class *class, const char *layout,
                        const bex_world_options *options, const char *family);

/* A cell named by the caller (row, column), or `otherwise` for -1,-1. `what` is "start" or "goal",
 * `name` what messages call the maze. */
int bex_maze_world_cell(int *cell, const bex_maze *maze, const int at[2], int otherwise,
                        const char *what, const char *name);

/* By options and class: steps per episode, 0 for none; parts of a cell's side that are regions. */
int bex_maze_world_limit(const bex_env_class *class, const bex_world_options *options);
int bex_maze_world_splits(const bex_env_class *class, const bex_world_options *options);

#endif
