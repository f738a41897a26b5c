/* explore/plans.h - what an exploration chose from: at every choice the candidate futures, and which was
 * taken.
 *
 * An exploration keeps its states, not its plans, and need not: actors made in the same way that are given
 * the recorded states again make the same plans. Each choice is also made once more as if no earlier episode
 * were known (history: the episode's first state, as with --history first), from the same candidates and for
 * the same coverage: what the past is worth to it.
 *
 *     made   = the state `length` steps on, when the next choice is made or the episode ends
 *     region = what the world counts; known: the share of a trial's earlier episodes that were there */
#ifndef BEX_EXPLORE_PLANS_H
#define BEX_EXPLORE_PLANS_H

#include "agent/actors/actor.h"
#include "explore/trajectories.h"
#include "host/json.h"
#include "host/progress.h"
#include "policy/policy.h"

typedef struct bex_plans_trial {
    int count;                    // choices
    int *episode, *step, *length; // (count) from 0; steps it was followed for
    int *chosen;                  // (count) candidate taken
    int *blind;                   // (count) that would have been, knowing of no earlier episode
    bex_real *from, *made;        // (count,O) the state it was made in; made
    bex_real *places;             // (count,n,K,W) waypoints, the world's units
    bex_real *coverage, *unaware; // (count,n) as the token holds it; knowing of no earlier episode
    unsigned char *possible;      // (count,n) at most a tenth of its waypoints are unsupported
    int rows, same;               // actions played, and how many of them came out as recorded
    int room;                     // choices there is memory for
} bex_plans_trial;

typedef struct bex_plans {
    const bex_policy *policy;
    int n, K, W, O; // candidates of a choice, waypoints of each, their dims, size of a state
    int trials;
    bex_plans_trial *trial; // (trials)
} bex_plans;

typedef struct bex_plans_options {
    const bex_policy *policy;
    bex_actor *const *actors;     // (trials) of that policy, made as the exploration's were
    const bex_trajectories *rows; // of which the first `trials` are planned again
    int trials;
    int candidates;         // which they choose among: more than one
    int threads;            // 0: all
    bex_progress *progress; // counts steps; NULL: none
} bex_plans_options;

/* Negative with a message. Needs fini either way. */
int bex_plans_run(bex_plans *p, const bex_plans_options *options);
void bex_plans_fini(bex_plans *p);

typedef struct bex_plans_ends { // where futures end: means over choices
    double nowhere;             // in no region: a wall
    double fresh;               // in a region no earlier episode of the trial was in
    double known;               // share of the earlier episodes that were there
} bex_plans_ends;

/* Means over choices. */
typedef struct bex_plans_summary {
    int trials, proposals;
    long long choices;
    double actions_as_recorded;   // share of the actions played
    double possible;              // share of the candidates
    double apart;                 // distance of the ends of possible ones from their mean
    double planned, made, missed; // distances until the next choice: meant, made, between the two
    struct {
        double chosen, mean, spread; // mean and standard deviation of the possible ones
    } coverage;
    struct { // after a trial's first episode
        long long choices;
        double same_choice; // share of the choices that are the same without the past
        double alike;       // correlation of the coverages with those without the past
        bex_plans_ends chosen, blind, mean, newest; // blind: chosen without the past
    } later;
} bex_plans_summary;

/* t, world: of the exploration. Negative with a message. */
int bex_plans_summarise(bex_plans_summary *out, const bex_plans *p, const bex_trajectories *t,
                        const bex_world *world);

/* The same with these names as keys, "ends" round the last four. Caller json_decrefs; NULL with a message. */
json_t *bex_plans_summary_json(const bex_plans_summary *s);

/* HDF5, a row per choice: trial, episode, step, length, chosen, blind, state, made; places (n K W), coverage,
 * unaware, possible (n). The path must not exist. Negative with a message. */
int bex_plans_save(const bex_plans *p, const char *path);

#endif
