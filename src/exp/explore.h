/* exp/explore.h - the exploration protocol: N trials of E episodes each, all trials in one batch.
 *
 *     trial      an actor with an empty memory meets the world E times in a row; its history grows
 *     step n     of a trial counts through its episodes; the state before any action is at step 0
 *     regions    what the world counts coverage in (bex_world_options.region_splits)
 *
 * Every state counts: s_0 .. s_T of each episode, the last one included. Trial i's environment draws
 * from (seed, "env", i), its actor from what its maker gave it. Acting and physics run over trials in
 * parallel, and no trial sees another: same bits for any number of threads. */
#ifndef BEX_EXP_EXPLORE_H
#define BEX_EXP_EXPLORE_H

#include "agent/actor.h"
#include "base/progress.h"
#include "env/env.h"

typedef struct bex_explore_options {
    const bex_world *world;   // with a time limit: the episode length
    bex_actor *const *actors; // (trials), borrowed
    int trials, episodes;
    uint64_t seed;
    int threads;            // 0: all
    bex_progress *progress; // counts steps of all trials; NULL: none
} bex_explore_options;

/* What happened. Row t of a trial is (s_t, a_t, r_t, flags) as in demonstrations. */
typedef struct bex_explored {
    const bex_world *world;
    int trials, episodes, O, A, R;
    int G;      // goals of the world
    int length; // most steps of an episode
    int room;   // rows a trial may have: episodes * length

    int *steps;                        // (trials) rows used
    int *start;                        // (trials, episodes + 1) first row of each episode
    bex_real *obs;                     // (trials, room, O)
    bex_real *act;                     // (trials, room, A)
    bex_real *reward;                  // (trials, room)
    unsigned char *terminal, *timeout; // (trials, room)
    bex_real *final_obs;               // (trials, episodes, O) the state after the last action
    int *first_step;                   // (trials, R) when a region was first visited; -1: never
    int *first_episode;                // (trials, R) 0-based; -1: never
    int *first_goal;        // (trials, G + 1) episode a goal was first found in; -1: never
    unsigned *occupancy;    // (trials, R) states in each region
    unsigned char *visited; // (trials, episodes, R) 1: the episode was there
} bex_explored;

/* 0, or negative with a message naming the trial. The result needs bex_explored_fini either way. */
int bex_explore(bex_explored *out, const bex_explore_options *options);
void bex_explored_fini(bex_explored *e);

/* Regions a trial has visited after so many steps; after so many episodes. */
int bex_explored_after_steps(const bex_explored *e, int trial, int steps);
int bex_explored_after_episodes(const bex_explored *e, int trial, int episodes);

/* The share of the world's goals a trial has found after so many episodes; 0 where it has none. */
double bex_explored_goals(const bex_explored *e, int trial, int episodes);

/* The episode (from 1) in which a trial first got a reward above 0; 0: in none. */
int bex_explored_attempts(const bex_explored *e, int trial);

#endif
