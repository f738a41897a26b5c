/* demo/kitchen_import.h - human kitchen logs replayed into a data set, on all cores, and what of their
 * sub-tasks our physics completes.
 *
 *   data/kitchen_logs.h -> env/kitchen/kitchen_replay.h, a log a piece of work -> data/dataset.h, an
 *   episode a log
 *
 * Log i draws its noise from (seed, "log", i) alone: the same rows for any number of threads. */
#ifndef BEX_DEMO_KITCHEN_IMPORT_H
#define BEX_DEMO_KITCHEN_IMPORT_H

#include "data/dataset.h"
#include "demo/demonstrator.h"
#include "env/kitchen/kitchen.h"

#include <stdint.h>
#include <stdio.h>

typedef struct bex_kitchen_import {
    bex_dataset *data;       // tasks: the logs' groups; terminal on each last row
    bex_names names;         // (episodes) of the logs
    unsigned *labelled;      // (episodes) tasks in the group's name, as bits
    unsigned *done, *logged; // (episodes) tasks done in the replay, in the log itself
    double *drift;           // (episodes) mean |arm joint - logged|, rad
    int task_labelled[BEX_KITCHEN_TASKS];
    int task_done[BEX_KITCHEN_TASKS]; // of those labelled
    int task_logged[BEX_KITCHEN_TASKS];
} bex_kitchen_import;

/* `every`: of each group every n-th log. For kitchen-complete only logs that perform exactly its four
 * tasks. `progress` NULL: silent. On failure nothing is left to free. */
int bex_kitchen_import_run(bex_kitchen_import *import, const bex_world *world, const char *path,
                           int every, uint64_t seed, FILE *progress);
void bex_kitchen_import_fini(bex_kitchen_import *import);

/* The kitchen's row among demonstrators: people, by `bex data import-kitchen`. */
extern const bex_demonstrator_class bex_kitchen_demonstrator;

#endif
