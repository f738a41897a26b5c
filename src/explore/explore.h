/* explore/explore.h - the exploration protocol: N trials, each of E episodes or of a budget of steps.
 *
 * Episodes follow each other until the trial has played E of them, or used its steps: then the last
 * episode is cut where the budget ends, and every trial has exactly that many steps whatever the
 * lengths of its episodes.
 *
 * No trial sees another, so each runs in a thread of its own: one episode of every trial is a round. In a
 * world that is a machine (bex_world.realtime, or fewer instances than trials) there is one instance and a
 * round is one episode of the first trial that is not complete: trials follow each other, and nothing is
 * stepped twice at once.
 * Episode k of trial i draws from bex_env_stream(seed, i, k), its actor from what its maker gave it:
 * same bits for any number of threads. Hence an exploration can stop after any episode and go on: episodes
 * kept in a store (explore/store.h) are told to the actors, and the next ones are what they would have
 * been. */
#ifndef BEX_EXPLORE_EXPLORE_H
#define BEX_EXPLORE_EXPLORE_H

#include "agent/actors/actor.h"
#include "explore/store.h"
#include "host/progress.h"

typedef struct bex_explore_options {
    const bex_world *world;   // with a time limit: the episode length
    bex_actor *const *actors; // (trials), borrowed
    int trials;
    int episodes, steps; // of a trial: the other is 0
    bool until;          // and its end as soon as the world's own task is done
    uint64_t seed;
    int threads;              // 0: all
    bex_progress *progress;   // counts steps of all trials; NULL: none
    bex_explore_store *store; // begins with its episodes, saves others after rounds; NULL: none
    double save_seconds;      // at least, between two saves; 0: after every round
    bool (*stop)(void);       // asked after every step, in any thread: true stops; NULL: never
} bex_explore_options;

/* What the actor of a trial is made with. */
static inline bex_rng bex_explore_stream(uint64_t seed, int trial) {
    return bex_rng_split(bex_rng_seed(seed), "actor", (uint64_t)trial);
}

enum { BEX_EXPLORE_STOPPED = 1 };

/* 0: complete. BEX_EXPLORE_STOPPED: episodes that had ended are in the store, those under way are lost.
 * Negative with a message naming the trial. The result needs bex_explored_fini either way. */
int bex_explore(bex_explored *out, const bex_explore_options *options);

#endif
