/* record/attempts.h - how soon tasks are done, over many worlds: tasks.json of an exploration that was
 * played in each scene or for each task of a world (explore/suite.h).
 *
 *   first (trials)   the attempt at which a trial first did the task, from 1; 0: in none of them
 *   success at k     the share of trials with 1 <= first <= k; the mean over tasks is what papers report
 *
 * Where one run tells of all tasks of a scene (`shared`), its tasks succeed and fail together: the
 * standard error is over trials of a scene then, else over trials of a task; tasks and scenes themselves
 * are given, not drawn:
 *
 *   error^2 = 1 / tasks^2  sum over scenes of  var over trials(tasks of the scene done) / trials
 *
 * Several may be joined: the same agent trained with other seeds brings more trials of the same tasks. */
#ifndef BEX_RECORD_ATTEMPTS_H
#define BEX_RECORD_ATTEMPTS_H

#include "host/json.h"
#include "host/statistics.h"

#include <stdbool.h>

typedef struct bex_attempt_task {
    char scene[64], task[160];
    int trials, *first; // (trials)
} bex_attempt_task;

typedef struct bex_attempts {
    bool shared;
    int attempts; // of a trial
    bex_attempt_task *task;
    int tasks;
} bex_attempts;

/* Trials of a task, behind those there are of it; first[i * stride] is trial i's. Negative with a message: no
 * memory, an attempt that is none. */
int bex_attempts_add(bex_attempts *a, const char *scene, const char *task, const int *first,
                     int trials, int stride);
/* All of b's. Negative with a message: another number of attempts, another way to play. */
int bex_attempts_join(bex_attempts *a, const bex_attempts *b);
void bex_attempts_fini(bex_attempts *a);

/* Mean over tasks after k attempts, with the standard error above (NAN where a task has one trial); of one
 * task: the share of its trials. */
bex_estimate bex_attempts_success(const bex_attempts *a, int k);
double bex_attempts_share(const bex_attempt_task *t, int k);
bex_interval bex_attempts_interval(const bex_attempt_task *t, int k); // Wilson's, 95 %

/* Tasks done in a trial of a scene, as a share of the scene's: the mean over scenes. Of `shared` alone. */
double bex_attempts_distinct(const bex_attempts *a, int k);

/* Attempts until success, a trial without any counting as attempts + 1; the mean over tasks. */
double bex_attempts_needed(const bex_attempts *a);

/* Into an object, and from one. Negative with a message naming the key. */
int bex_attempts_write(const bex_attempts *a, json_t *out);
int bex_attempts_read(bex_attempts *a, const json_t *from);

#endif
