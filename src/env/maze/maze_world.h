/* env/maze/maze_world.h - what worlds in grid mazes share: their options, the grid and its cells. */
#ifndef BEX_ENV_MAZE_MAZE_WORLD_H
#define BEX_ENV_MAZE_MAZE_WORLD_H

#include "env/env.h"
#include "env/maze/maze.h"

typedef struct bex_maze_options {
    char maze
        [BEX_CONFIG_TEXT_SIZE]; // path of a text grid (env/maze/maze.h); "": the class's own layout
    char start[16], goal[16];   // ROW,COLUMN; "": the class's own rule
    long long splits;           // a cell counts as splits^2 regions; 0: the class's own, mostly 1
    bool dense;                 // exp(-distance to the goal) instead of 0 / 1
} bex_maze_options;

extern const bex_config_row bex_maze_rows[];

/* The grid of a class: its own layout (text), or, where that is NULL, the file of the options. Both or
 * neither is a message. Caller frees. */
int bex_maze_world_load(bex_maze **out, const bex_env_class *class, const char *layout,
                        const bex_maze_options *options);

/* The cell at "ROW,COLUMN", or `otherwise` for "". `what` is "start" or "goal", `name` what messages call the
 * maze. */
int bex_maze_world_cell(int *cell, const bex_maze *maze, const char *at, int otherwise,
                        const char *what, const char *name);

/* The cell where an opened world was asked to start; -1: not asked. Only for worlds with a maze. */
int bex_maze_world_start(const bex_world *world);

/* By options and class: parts of a cell's side that are regions. */
int bex_maze_world_splits(const bex_env_class *class, const bex_world_options *options,
                          const bex_maze_options *own);

#endif
