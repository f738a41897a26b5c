/* policy/normaliser.h - between the world's units and the network's.
 *
 *   states:  (s - mean) / std              history states with the same statistics
 *   actions: min-max to [-1, 1]            a constant action dim maps to 0 and back to its value
 *
 * Statistics travel in the checkpoint: a policy never meets a file's or a robot's units raw. */
#ifndef BEX_POLICY_NORMALISER_H
#define BEX_POLICY_NORMALISER_H

#include "base/columns.h"
#include "nn/safetensors.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct bex_normaliser {
    int O, A;
    bex_real *mean, *std;            // (O); std 0: a constant dim, dropped: always 0 to the network
    bex_real *low, *high;            // (A)
    const bex_column_names *columns; // what messages call the state dims; borrowed, NULL: numbers
} bex_normaliser;

/* From rows of demonstrations; n->columns, NULL or set before, stays. A state dim that never changes is
 * refused with its number, or, if drop_constant, dropped. A range of actions that overflows is refused, here
 * and when loaded. Negative with a message; nothing is left allocated then. */
int bex_normaliser_fit(bex_normaliser *n, const bex_real *observations, const bex_real *actions,
                       int64_t rows, int O, int A, bool drop_constant);
void bex_normaliser_fini(bex_normaliser *n);

/* Deviations below `least` become it; dropped dims stay dropped. For a column that hardly moved in the
 * demonstrations and may well move in the world: a cup nobody touched, until somebody does. */
void bex_normaliser_widen(bex_normaliser *n, double least);

/* Whether a state (O) can be one: every value finite and within `farthest` standard deviations of the mean
 * (where std is 0: of the mean's own size, or 1). A sensor that has nothing to say often says FLT_MAX or
 * 1e30, which would overflow in the network and, remembered, in all that follows: nothing further than
 * BEX_FARTHEST is ever a reading. Negative with a message naming the value. */
#define BEX_FARTHEST 1e6
int bex_normaliser_check(const bex_normaliser *n, const bex_real *state, double farthest);

/* out may be the rows themselves. */
void bex_normalise_states(const bex_normaliser *n, bex_real *out, const bex_real *states, int rows);
void bex_normalise_actions(const bex_normaliser *n, bex_real *out, const bex_real *actions,
                           int rows);
/* What is within [-1, 1] stays within low and high, to the last bit. */
void bex_denormalise_actions(const bex_normaliser *n, bex_real *out, const bex_real *actions,
                             int rows);

/* Of the same demonstrations, rounding aside. */
bool bex_normaliser_same(const bex_normaliser *a, const bex_normaliser *b);

/* As tensors "normaliser.*". The writer borrows. */
void bex_normaliser_save(const bex_normaliser *n, bex_st_writer *w);
int bex_normaliser_load(bex_normaliser *n, const bex_st_file *f, int O, int A);

#endif
