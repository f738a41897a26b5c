/* show/world_picture.h - a world from above with trajectories in it, as a figure or as a GIF.
 *
 * The picture is laid out as the maze is written: rows downwards, columns to the right. */
#ifndef BEX_SHOW_WORLD_PICTURE_H
#define BEX_SHOW_WORLD_PICTURE_H

#include "env/env.h"

typedef struct bex_paths {
    int count;
    const bex_real *const *obs; // (count): first row of each, rows of `stride` values
    const int *length;          // (count) rows
    int stride;
    const bex_real *all; // (all_rows,stride) what the occupancy map counts; NULL: no map
    int all_rows;
    int behind; // values of a row before the pose a camera wants
} bex_paths;

/* Left the trajectories, right how often each place was visited. path: .png, .svg or .pdf, several by
 * commas. paths NULL: the empty world. */
int bex_world_picture(const bex_world *world, const bex_paths *paths, const char *title,
                      const char *path);

/* The trajectories together, each from its first row, `every` rows a frame. */
int bex_world_animation(const bex_world *world, const bex_paths *paths, const char *title,
                        int every, const char *path);

/* One of two explorations that are shown side by side: a trial's episodes, one after the other. */
typedef struct bex_racer {
    const char *name;
    const bex_real *obs; // (rows,stride), episode k from row start[k] on
    const int *start;    // (episodes + 1)
    int episodes, stride;
    const int *after; // (episodes) regions visited after each; NULL: as counted from the rows
} bex_racer;

/* A GIF of both in the same maze, `every` rows a frame, with the regions that each has visited so far: the
 * running episode clear, those before it faint. Negative with a message. */
int bex_world_race(const bex_world *world, const bex_racer racer[2], int every, const char *path);

/* A choice: futures that were proposed in a state, and what was then done. */
typedef struct bex_futures {
    char title[48];
    int n, K, W;
    const bex_real *places;        // (n,K,W)
    const int *dims;               // (W) entries of an observation
    const unsigned char *possible; // (n)
    int chosen, blind;             // blind: what would have been, knowing of no earlier episode
    const bex_real *obs;           // (rows,stride) done from the choice on
    int rows, stride;
} bex_futures;

/* A panel for each of `count` choices, at most four in a row. Negative with a message, a world that is not
 * seen from above or waypoints that do not tell where it is among them. */
int bex_world_futures(const bex_world *world, const bex_futures *choices, int count,
                      const char *title, const char *path);

#endif
