/* data/transitions.h - transitions (s, a, r, m, s'), one array a field: what methods learn from that
 * bootstrap.
 *
 *   m   0 where the world ended the episode, else 1: a time limit is no end (the value goes on)
 *   s'  the state the action led to, at an episode's end its last state, not the next one's first */
#ifndef BEX_DATA_TRANSITIONS_H
#define BEX_DATA_TRANSITIONS_H

#include "data/dataset.h"
#include "data/step.h"

/* Every array of n transitions, once: member, reals per transition. */
#define BEX_TRANSITION_FIELDS(X, t)                                                                \
    X(obs, (t)->O)                                                                                 \
    X(act, (t)->A)                                                                                 \
    X(reward, 1)                                                                                   \
    X(mask, 1)                                                                                     \
    X(next, (t)->O)

typedef struct bex_transitions {
    int n, O, A;
    bex_real *obs, *act, *reward, *mask, *next; // (n,O), (n,A), (n), (n), (n,O)
} bex_transitions;

/* Zeros. 0, or negative with a message naming the size. */
int bex_transitions_init(bex_transitions *t, int O, int A, int n);
void bex_transitions_fini(bex_transitions *t); // zeroed memory is fine

/* Transition i becomes this step, copied. */
void bex_transitions_set(bex_transitions *t, int i, const bex_step *step);

/* All of the demonstrations', in their order, m from terminals row by row. The last row of an episode is left
 * out: the state after it is not kept (data/dataset.h). *t is made here, in the units of the data; needs fini
 * either way.
 * Negative with a message: no rewards, no episode of two rows, no memory. */
int bex_transitions_from(bex_transitions *t, const bex_dataset *d);

#endif
