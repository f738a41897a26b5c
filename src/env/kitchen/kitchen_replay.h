/* env/kitchen/kitchen_replay.h - a logged teleoperation turned into rows of the kitchen's interface.
 *
 * As D4RL made its data: put the world at the log's first state; then, for every log row but the last,
 *   action = clip((logged servo target - observed position) / 0.08 s / 2, +-0.999)
 *   store (observation, action), step.
 * The observation's noise is in both terms, so the servo gets the logged target unless that is more
 * than 0.16 away. Nothing is corrected on the way: what moves is moved by our physics. */
#ifndef BEX_ENV_KITCHEN_KITCHEN_REPLAY_H
#define BEX_ENV_KITCHEN_KITCHEN_REPLAY_H

#include "env/kitchen/kitchen.h"

typedef struct bex_kitchen_log {
    int rows;             // 0.08 s apart; at least 2
    const bex_real *qpos; // (rows,30)
    const bex_real *qvel; // (rows,29)
    const bex_real *ctrl; // (rows,9) servo targets
} bex_kitchen_log;

typedef struct bex_kitchen_rows {
    bex_real *obs;    // (rows-1,60), the caller's
    bex_real *act;    // (rows-1,9)
    bex_real *reward; // (rows-1) how many of the world's four tasks the row's observation has done
    unsigned done, logged; // tasks done in some row: here, in the log
    double drift;          // mean |arm joint here - in the log|, rad, over rows
} bex_kitchen_rows;

/* `env` is of a kitchen world. Negative with a message. */
int bex_kitchen_replay(bex_env *env, bex_rng rng, const bex_kitchen_log *log,
                       bex_kitchen_rows *rows);

#endif
