/* cli/world_picture.h - a world from above with trajectories in it, as a figure or as a GIF.
 *
 * The picture is laid out as the maze is written: rows downwards, columns to the right. */
#ifndef BEX_CLI_WORLD_PICTURE_H
#define BEX_CLI_WORLD_PICTURE_H

#include "env/env.h"

typedef struct bex_paths {
    int count;
    const bex_real *const *obs; // (count): first row of each, rows of `stride` values
    const int *length;          // (count) rows
    int stride;
    const bex_real *all; // (all_rows,stride) what the occupancy map counts; NULL: no map
    int all_rows;
} bex_paths;

/* Left the trajectories, right how often each place was visited. path: .png, .svg or .pdf, several by
 * commas. paths NULL: the empty world. */
int bex_world_picture(const bex_world *world, const bex_paths *paths, const char *title,
                      const char *path);

/* The trajectories together, each from its first row, `every` rows a frame. */
int bex_world_animation(const bex_world *world, const bex_paths *paths, const char *title,
                        int every, const char *path);

#endif
