/* agent/rl/replay_buffer.h - a ring of transitions (data/transitions.h) to draw minibatches from.
 *
 * Once full the oldest transition goes. Draws are uniform with replacement. One thread at a time. */
#ifndef BEX_AGENT_RL_REPLAY_BUFFER_H
#define BEX_AGENT_RL_REPLAY_BUFFER_H

#include "base/rng.h"
#include "data/transitions.h"
#include "nn/safetensors.h"

typedef struct bex_replay_buffer {
    bex_transitions rows; // n: the capacity
    int size;             // that hold one
    long long added;      // ever; the next goes to added % capacity
} bex_replay_buffer;

int bex_replay_buffer_init(bex_replay_buffer *r, int O, int A, int capacity);
void bex_replay_buffer_fini(bex_replay_buffer *r);

void bex_replay_buffer_add(bex_replay_buffer *r, const bex_step *step);

/* Rows first..first+count-1 of `out`, of the same O and A. The replay must not be empty. */
void bex_replay_buffer_draw(const bex_replay_buffer *r, bex_rng *rng, bex_transitions *out,
                            int first, int count);

/* Tensors "replay.*", the filled rows only. The replay must outlive the save. Loading wants the same
 * sizes and capacity: negative with a message otherwise. */
void bex_replay_buffer_save(const bex_replay_buffer *r, bex_st_writer *w);
int bex_replay_buffer_load(bex_replay_buffer *r, const bex_st_file *f);

#endif
