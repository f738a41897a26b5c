/* agent/rl/prior_data.h - demonstrations as transitions that methods learn from beside their own: rows of
 * the data set by number, nothing copied but what was decided in them.
 *
 *   chunk        row t of an episode and the next H - 1, state t + H the next one: every t (they overlap)
 *   for which
 *                t + H is in the episode
 *   H = 1        also an episode's last row where the file calls it terminal: the state after is not kept,
 *   and
 *                stands for itself (docs/agents/explore.md)
 *   what was done  the row's action, or the skill that a method reads into the chunk */
#ifndef BEX_AGENT_RL_PRIOR_DATA_H
#define BEX_AGENT_RL_PRIOR_DATA_H

#include "base/arena.h"
#include "base/rng.h"
#include "data/dataset.h"
#include "data/transitions.h"

/* What was done in n chunks, by the rows of the first state of each and of the one after it: out (n,U).
 * Scratch from the arena; any thread. */
typedef void bex_prior_read_fn(const void *payload, bex_arena *arena, const bex_dataset *data,
                               const int *row, const int *next, int n, bex_real *out);

typedef struct bex_prior_data {
    const bex_dataset *data; // borrowed
    int S, U, H;             // first values of a row used, numbers of what was done, steps
    int n;                   // chunks
    int *row, *next;         // (n) where each begins; the row of the state after it
    bex_real *act;           // (n,U)
} bex_prior_data;

/* By as many threads as there are. Negative with a message: no chunk, no memory. Needs fini either way. */
int bex_prior_data_init(bex_prior_data *p, const bex_dataset *data, int S, int U, int H,
                        bex_prior_read_fn *read, const void *payload);
void bex_prior_data_fini(bex_prior_data *p); // zeroed memory is fine

/* seen: room for `bex_prior_seen(count)` ints; NULL: with replacement. Chunk numbers into out (count).
 * Without replacement wants count <= n. */
int bex_prior_seen(int count);
void bex_prior_data_draw(const bex_prior_data *p, bex_rng *rng, int *seen, int *out, int count);

/* Transition i of `to` becomes this chunk; reward and mask are left. */
void bex_prior_data_put(const bex_prior_data *p, int chunk, bex_transitions *to, int i);

#endif
