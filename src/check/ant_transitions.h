/* check/ant_transitions.h - is our ant D4RL's? Every recorded transition of an AntMaze file, one step at a
 * time:
 *
 *     state of row t into the simulator, its action, one step; |our qpos - qpos of row t+1|, largest entry
 *
 * Rows before a reset are left out: where x, y move more than 1 m, or where the next row stands as only a
 * reset stands (all joints within 0.1 of 0: the ankles' limits keep them beyond 30 degrees otherwise).
 * Flags are not used: D4RL's first files misplace them. */
#ifndef BEX_CHECK_ANT_TRANSITIONS_H
#define BEX_CHECK_ANT_TRANSITIONS_H

#include "data/dataset.h"
#include "env/env.h"

typedef struct bex_ant_transitions {
    int rows;                // transitions compared
    int resets;              // transitions left out
    double median, p99, max; // of the largest entry of qpos, metres and radians; NAN without rows
    double speed_median;     // the same of qvel
} bex_ant_transitions;

/* The transitions of a data set whose observations are the ant's 29, in an AntMaze world. */
int bex_ant_transitions_run(bex_ant_transitions *out, const bex_world *world,
                            const bex_dataset *data);

/* The world a file is about: by its name ("medium", "big-maze" ...), else the one in whose free cells
 * most rows are. A name of the table in env.c; NULL with a message if nothing tells. */
const char *bex_ant_transitions_world(const char *path, const bex_dataset *data);

#endif
