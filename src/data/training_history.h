/* data/training_history.h - the history states of a training window. (Those of a deployed policy:
 * policy/memory.h.)
 *
 *   m episodes drawn anywhere, N of their rows:  [ s s s s s s s s ]   a set, in no order
 *
 * m is uniform in 1..trajectories; m distinct episodes, uniform over the data; N rows uniform, with
 * replacement, from their union. With probability `repeat_probability` only 1..`repeat_most` (uniform)
 * distinct rows of that union fill all N places evenly: the first episodes of a deployment, when little has
 * been seen. The episode of the window itself may be among them by chance.
 *
 * History j of step t is a function of (seed, t, j) and of the data's episodes only: its stream is
 * split(split(seed, "window", t), "history", j). Windows that share a history share j. */
#ifndef BEX_DATA_TRAINING_HISTORY_H
#define BEX_DATA_TRAINING_HISTORY_H

#include "base/rng.h"
#include "data/dataset.h"

typedef struct bex_training_history {
    const bex_dataset *data;   // borrowed; its rows are not read
    int N;                     // states, >= 0
    int trajectories;          // m <= this
    double repeat_probability; // of few distinct states
    int repeat_most;           // so few
    uint64_t seed;
} bex_training_history;

#define BEX_TRAINING_HISTORY_INIT                                                                  \
    ((bex_training_history){.trajectories = 6, .repeat_probability = 0.1, .repeat_most = 3})

/* 0, or negative with a message: a member out of range. */
int bex_training_history_check(const bex_training_history *h);

/* rows (N), of the whole data set. Any number of threads. */
void bex_training_history_draw(const bex_training_history *h, uint64_t t, int j, int *rows);

#endif
