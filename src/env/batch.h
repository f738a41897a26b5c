/* env/batch.h - B instances of one world stepped together.
 *
 *     bex_env_batch *b;
 *     bex_env_batch_new(&b, world, 64, seed);          all instances are reset
 *     for (...) { fill b->act; bex_env_batch_step(b); read b->obs, b->reward, ... }
 *
 * The batch owns the arrays; instances write into their rows. When an episode ends in instance i
 * (terminated: the world ended it; truncated: the time limit did, never both), this step has
 *     final_obs[i]  the last state of that episode,
 *     obs[i]        the first state of the next one, already reset,
 *     final_*[i]    length, return, regions, occupancy and measures of the episode that ended.
 * Elsewhere final_* keep their old values.
 *
 * Episode e of instance i draws from the stream (seed, "env", i, "episode", e) alone. Instances are
 * the pieces of bex_try_parallel, and share nothing they write: same seed, same bits for any
 * number of threads. Stepping allocates nothing. */
#ifndef BEX_ENV_BATCH_H
#define BEX_ENV_BATCH_H

#include "env/env.h"

typedef struct bex_env_batch {
    const bex_world *world; // borrowed
    int B, O, A, regions;   // instances, observation, action; of the world
    bex_real *obs;          // (B,O) states
    bex_real *act;          // (B,A), the caller's to fill
    bex_real *reward;       // (B)
    bool *terminated;       // (B)
    bool *truncated;        // (B)
    bex_real *final_obs;    // (B,O)

    // pictures of camera c beside them, (B,height,width,3) of world->spec; NULL: no such camera
    unsigned char *images[BEX_CAMERAS], *final_images[BEX_CAMERAS];

    // the running episode; the state after reset counts as visited
    int *length;         // (B) steps so far
    double *sum;         // (B) rewards so far
    int *visited;        // (B) distinct regions so far
    unsigned *occupancy; // (B,regions) states seen in each

    // the episode that ended last
    int *final_length;
    double *final_sum;
    int *final_visited;
    unsigned *final_occupancy; // (B,regions)
    double *final_measures;    // (B,BEX_ENV_MEASURES), if the class has any

    long long *episodes; // (B) ended so far
    uint64_t seed;
    bex_env **env; // (B)
} bex_env_batch;

/* The stream of episode e of instance i: for whoever steps an instance alone. */
bex_rng bex_env_stream(uint64_t seed, int instance, long long episode);

/* B >= 1. All instances come out reset. Negative with a message, as for more than world->instances_most. */
int bex_env_batch_new(bex_env_batch **out, const bex_world *world, int B, uint64_t seed);
void bex_env_batch_free(bex_env_batch *b); // NULL is fine

/* Start every instance over, at episode 0: the same states again as after `new`. */
int bex_env_batch_reset(bex_env_batch *b);

/* One step of every instance. Negative with a message naming the first instance that failed; the
 * batch must then be reset or freed. */
int bex_env_batch_step(bex_env_batch *b);

/* Bring instance i to step length[i] of its episode episodes[i] by taking the actions of that episode
 * again, acts (B,most,A): an episode is a function of its stream and its actions, so this is the way
 * back into a saved run. Negative with a message: an action that fails, or ends the episode. */
int bex_env_batch_replay(bex_env_batch *b, const long long *episodes, const int *length,
                         const bex_real *acts, int most);

#endif
