/* demo/tabletop/episodes.h - whole demonstrations of one task: attempts by script, each recorded,
 * successes kept.
 *
 * Attempt k of a task draws from (seed, task, k) alone, and the first `wanted` successes in order of k
 * are kept: the same demonstrations for any number of threads. */
#ifndef BEX_DEMO_TABLETOP_EPISODES_H
#define BEX_DEMO_TABLETOP_EPISODES_H

#include "data/libero_file.h"
#include "demo/tabletop/hand.h"

/* One attempt's rows, growing; all its arrays are its own. */
typedef struct bex_tabletop_episode {
    bool success;
    int rows, room, width, poses, objects, image;
    double *actions, *states, *robot_states, *joints, *fingers, *ee_pos, *ee_ori, *timestep, *pose,
        *object;
    unsigned char *agentview, *eye_in_hand;
    double *init_state;
} bex_tabletop_episode;

typedef struct bex_tabletop_job {
    const bex_world *world;
    int task, settle;
    uint64_t seed;
    double noise;
    int limit; // steps of an attempt, settling aside
} bex_tabletop_job;

/* Play attempt k. A simulation that becomes unstable is an attempt without success, with a warning. Negative
 * with a message: no memory. */
int bex_tabletop_attempt(bex_tabletop_episode *e, const bex_tabletop_job *job, int attempt);
void bex_tabletop_episode_fini(bex_tabletop_episode *e);

/* What came of a task. */
typedef struct bex_tabletop_tally {
    int attempts, successes, kept;
    long long steps; // of the successes
} bex_tabletop_tally;

/* Attempts, on all threads, until `wanted` succeeded or `most` were made; each kept one is handed to
 * `keep` in order of k, in the caller's thread; keep NULL: only counted. Negative with a message. */
int bex_tabletop_demonstrate(bex_tabletop_tally *tally, const bex_tabletop_job *job, int wanted,
                             int most, int (*keep)(const bex_tabletop_episode *, void *),
                             void *payload);

/* As a file wants it. */
bex_libero_demo bex_tabletop_demo(const bex_tabletop_episode *e, const char *model_file);

#endif
