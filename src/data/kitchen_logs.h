/* data/kitchen_logs.h - the human teleoperation logs behind D4RL's kitchen data, from HDF5.
 *
 *   /friday_microwave_kettle_switch_slide/demo_000/{qpos (rows,30), qvel (rows,29), ctrl (rows,9)}
 *
 * A group of the root is named by the sub-tasks its logs perform; rows are 0.08 s apart. Logs are
 * taken group by group in byte order, inside in natural order: D4RL's own order of directories. */
#ifndef BEX_DATA_KITCHEN_LOGS_H
#define BEX_DATA_KITCHEN_LOGS_H

#include "base/real.h"
#include "data/names.h"

enum { BEX_KITCHEN_LOG_QPOS = 30, BEX_KITCHEN_LOG_QVEL = 29, BEX_KITCHEN_LOG_CTRL = 9 };

typedef struct bex_kitchen_logs {
    int count;
    bex_names groups;
    bex_names names; // (count) "friday_microwave_kettle_switch_slide/demo_000"
    int *group;      // (count) index into groups
    int *start;      // (count + 1): rows of log i are start[i] .. start[i + 1] - 1, at least 2
    bex_real *qpos, *qvel, *ctrl; // (rows, 30), (rows, 29), (rows, 9)
} bex_kitchen_logs;

/* Every `every`-th log of each group (1: all). A wrong shape, a number that is not finite, a log of
 * one row, no logs: a message naming file and key. */
int bex_kitchen_logs_load(bex_kitchen_logs *logs, const char *path, int every);
void bex_kitchen_logs_fini(bex_kitchen_logs *logs);

#endif
