/* explore/trajectories.h - every row of an exploration on disk, in D4RL's layout, so that they can be shown,
 * converted or trained on like any demonstrations: observations, actions, rewards, terminals, timeouts,
 * infos/trial, infos/episode (from 0). */
#ifndef BEX_EXPLORE_TRAJECTORIES_H
#define BEX_EXPLORE_TRAJECTORIES_H

#include "explore/explored.h"

/* The path must not exist. Negative with a message. */
int bex_trajectories_save(const bex_explored *e, const char *command, const char *path);

/* What acting was: states seen and what was done in them, trial after trial, their episodes in order. */
typedef struct bex_trajectories {
    int O, A, rows, trials, episodes;
    bex_real *obs, *act; // (rows,O), (rows,A)
    int *start;          // (episodes + 1) first row of each
    int *trial;          // (episodes) from 0
} bex_trajectories;

/* Negative with a message naming the file: not such a file, or rows out of order. Needs fini either way. */
int bex_trajectories_load(bex_trajectories *t, const char *path);
void bex_trajectories_fini(bex_trajectories *t);

#endif
