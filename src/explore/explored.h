/* explore/explored.h - what happened in an exploration: every row of every trial, and when regions and
 * goals were first met.
 *
 *     trial      an actor with an empty memory meets the world episode after episode
 *     step n     of a trial counts through its episodes; the state before any action is at step 0
 *     regions    what the world counts coverage in (env.splits of mazes)
 *     goals      what the world can be asked for besides (bex_world.goals)
 *
 * Every state counts: s_0 .. s_T of each episode, the last one included. Trials may have different
 * numbers of episodes: with a budget of steps they play until it is used. A trial is filled by
 *
 *     bex_explored_begin, then for each step bex_explored_step, then bex_explored_end
 *
 * in one thread at a time; different trials in different threads. */
#ifndef BEX_EXPLORE_EXPLORED_H
#define BEX_EXPLORE_EXPLORED_H

#include "data/step.h"
#include "env/env.h"

/* Row t is (s_t, a_t, r_t, flags) as in demonstrations. First times are -1 for never. */
typedef struct bex_trial {
    int steps, episodes;               // rows of all episodes; episodes that ended
    int *start;                        // (episodes + 1) first row of each episode
    bex_real *obs;                     // (room, O)
    bex_real *act;                     // (room, A)
    bex_real *reward;                  // (room)
    unsigned char *terminal, *timeout; // (room)
    bex_real *final_obs;               // (episodes, O) the state after the last action
    unsigned char *visited;            // (episodes, regions) 1: the episode was there
    int *first_step, *first_episode;   // (regions) a region's first visit; episodes from 0
    int *goal_step, *goal_episode;     // (goals) when a goal was first found
    unsigned *occupancy;               // (regions) states in each region
    int places;                        // episodes there is memory for
} bex_trial;

typedef struct bex_explored {
    const bex_world *world;
    int O, A, regions, goals; // the world's
    int budget;               // steps of a trial; 0: `limit` episodes
    int limit;                // episodes of a trial; 0: until the budget is used
    bool until;               // a trial is complete as soon as the world's own task is done
    int room;                 // rows a trial may have
    int trials;               // how many
    bex_trial *trial;         // (trials)
} bex_explored;

/* Either `episodes` or `steps` is 0. Negative with a message: a world without a time limit, too many
 * steps, no memory. Needs fini either way. */
int bex_explored_init(bex_explored *e, const bex_world *world, int trials, int episodes, int steps);
void bex_explored_fini(bex_explored *e);

/* Has this trial used its budget, or played its episodes? */
bool bex_explored_complete(const bex_explored *e, int trial);

/* A new episode of a trial that is not complete. Negative with a message: no memory. */
int bex_explored_begin(bex_explored *e, int trial);

/* A state of the running episode and what was done in it; `next` is not looked at. The last step of a budget
 * is a timeout, unless the world ended the episode there. True: the episode is over; the caller ends it. */
bool bex_explored_step(bex_explored *e, int trial, const bex_step *step);

/* The episode is over; its last state (O). */
void bex_explored_end(bex_explored *e, int trial, const bex_real *final_obs);

/* Episode k of a trial that has ended, borrowed. */
bex_episode bex_explored_episode(const bex_explored *e, int trial, int k);

/* Most and least episodes of a trial; least steps. */
int bex_explored_most_episodes(const bex_explored *e);
int bex_explored_least_episodes(const bex_explored *e);
int bex_explored_least_steps(const bex_explored *e);

/* Regions a trial has visited, and the share of the world's goals it has found (0 where there are
 * none), after so many steps; after so many episodes. */
int bex_explored_after_steps(const bex_explored *e, int trial, int steps);
int bex_explored_after_episodes(const bex_explored *e, int trial, int episodes);
double bex_explored_goals_after_steps(const bex_explored *e, int trial, int steps);
double bex_explored_goals(const bex_explored *e, int trial, int episodes);

/* The episode (from 1) in which a trial first got a reward above 0; 0: in none. */
int bex_explored_attempts(const bex_explored *e, int trial);

#endif
