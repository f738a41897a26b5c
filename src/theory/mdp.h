/* theory/mdp.h - finite deterministic worlds with a tabular behaviour policy.
 *
 * An episode begins in `start`, draws actions from the behaviour policy beta(a | s), moves to
 * next(s, a), and ends in a terminal state after at most `horizon` steps. Ending early is read as
 * staying there: the state at step K, which is what the paper's proposition looks at, is the same.
 *
 * As text (`bex theory WORLD.txt`), one statement a line, '#' starts a comment:
 *
 *     states 5                 # ids 0..4
 *     actions 2                # ids 0..1
 *     horizon 2                # the most steps an episode may take
 *     start 0
 *     terminal 3 4             # ids; the line may be repeated
 *     move 0 0  1  0.95        # from state 0, action 0 leads to state 1; beta takes it with 0.95
 *     move 0 1  2  1/20        # a probability may be a fraction
 *     ...
 *
 * Every non-terminal state has one move per action (probability 0 for what beta never does). Sizes
 * come before what uses them. Probabilities of a state sum to 1 within 1e-9: wide enough for
 * decimals of ten digits, narrow enough that no action can be missing. */
#ifndef BEX_THEORY_MDP_H
#define BEX_THEORY_MDP_H

#include "base/rng.h"

#include <stdbool.h>
#include <stdio.h>

enum { BEX_MDP_STATES = 20000, BEX_MDP_ACTIONS = 1000, BEX_MDP_MOVES = 200000 }; // limits

typedef struct bex_mdp {
    int states, actions, horizon, start; // S, A
    int *next;                           // (S, A); -1 where no move is set
    double *beta;                        // (S, A) behaviour policy
    bool *terminal;                      // (S)
    // from seal:
    int *order;    // (reachable) what beta can reach, every state before its successors
    int reachable; //
    int *omega;    // (n_beta) terminal states beta can reach, ascending
    int n_beta;
    int longest; // steps of the longest episode of beta
} bex_mdp;

/* No moves yet. NULL with a message: sizes beyond the limits, memory. */
bex_mdp *bex_mdp_new(int states, int actions, int horizon, int start);
void bex_mdp_free(bex_mdp *world); // NULL is fine
void bex_mdp_set(bex_mdp *world, int state, int action, int next, double probability);

/* Check the world and fill in order, omega, n_beta, longest. Negative with a message; *state and
 * *action then say where (-1: nowhere in particular). Afterwards the world is constant and may be
 * shared between threads. */
int bex_mdp_seal(bex_mdp *world, int *state, int *action);

/* A sealed world from text or a file; messages begin with name:line. NULL with a message. */
bex_mdp *bex_mdp_parse(const char *text, size_t size, const char *name);
bex_mdp *bex_mdp_load(const char *path);

/* The same format, readable back to an equal world. Write errors stay in the stream. */
void bex_mdp_write(const bex_mdp *world, FILE *out);

/* A sealed random world: 1-6 steps, 1-5 actions, up to 24 terminals of which some beta cannot
 * reach, paths that join, behaviour from uniform to nearly deterministic. NULL: memory. */
bex_mdp *bex_mdp_random(bex_rng rng);

/* The paper's illustration: two goals, each at the end of its own path; beta goes to the second
 * with probability p in (0, 1). NULL: memory. */
bex_mdp *bex_mdp_two_goals(double p);

/* One action of beta in `state`; never one of probability 0. */
int bex_mdp_behave(const bex_mdp *world, int state, bex_rng *rng);

#endif
