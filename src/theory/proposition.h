/* theory/proposition.h - the paper's proposition (appendix A), checked by playing.
 *
 * Claim: in a deterministic world with one-hot features at the final state, the exact explorer
 * reaches a new terminal in each of its first n_beta episodes, n_beta = terminals beta can reach.
 * Checked before every episode for all that may happen (the exact distribution of its terminal gives
 * none already seen a positive probability) and after it for what did.
 *
 * A trial is a random world, or a play of a given one. Trials run in parallel on their own random
 * streams; curves are integer sums and the rest is stored per trial, so the result is the same for
 * any number of threads. */
#ifndef BEX_THEORY_PROPOSITION_H
#define BEX_THEORY_PROPOSITION_H

#include "theory/explorer.h"

#include <stdint.h>

typedef struct bex_trials_setup {
    long long trials;
    uint64_t seed;
    int episodes; // length of the curves
    bex_finite_feature feature;
    double lambda;
    bex_explorer_aim aim;
    bool count_episodes; // play BC until it has seen all, and count
} bex_trials_setup;

typedef struct bex_trials {
    long long trials, violations;
    long long first_violation; // trial, -1 for none
    int violation_episode;     // of that trial, from 1
    int episodes;
    /* Sums over trials of distinct terminals after t episodes, and of their squares for BC: (episodes + 1).
     * The explorer plays n_beta episodes and then rests. */
    long long *explorer, *cloned, *cloned_square, *ideal;
    // per trial
    int *n_beta, *terminals; // reachable under beta; in the world
    int *explored, *seen;    // distinct terminals after n_beta episodes: explorer, BC
    double *seen_exact;      // BC: expectation of `seen`
    double *needed_exact;    // BC: expected episodes until all are seen; INFINITY: past double
    double *needed;          // BC: counted; NULL unless setup.count_episodes
} bex_trials;

/* world NULL: trial i plays bex_trials_world(seed, i). 0, or negative with a message (memory).
 * Free with bex_trials_fini either way. */
int bex_trials_run(bex_trials *result, const bex_trials_setup *setup, const bex_mdp *world);
void bex_trials_fini(bex_trials *result);

/* The random world of a trial; caller frees. */
bex_mdp *bex_trials_world(uint64_t seed, long long trial);

#endif
