/* agent/rl/replay_buffer.h - transitions (s, u, r, m, s') and a ring of them to draw minibatches from.
 *
 *   m   0 where the world ended the episode, else 1: a time limit is no end (the value goes on)
 *   s'  the state the action led to, at an episode's end its last state, not the next one's first
 *
 * Once full the oldest transition goes. Draws are uniform with replacement. One thread at a time. */
#ifndef BEX_AGENT_RL_REPLAY_BUFFER_H
#define BEX_AGENT_RL_REPLAY_BUFFER_H

#include "base/real.h"
#include "base/rng.h"
#include "nn/safetensors.h"

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

/* 0, or negative with a message naming the size. */
int bex_transitions_init(bex_transitions *t, int O, int A, int n);
void bex_transitions_fini(bex_transitions *t); // zeroed memory is fine

typedef struct bex_replay_buffer {
    bex_transitions rows; // n: the capacity
    int size;             // that hold one
    long long added;      // ever; the next goes to added % capacity
} bex_replay_buffer;

int bex_replay_buffer_init(bex_replay_buffer *r, int O, int A, int capacity);
void bex_replay_buffer_fini(bex_replay_buffer *r);

/* obs, next (O), act (A). */
void bex_replay_buffer_add(bex_replay_buffer *r, const bex_real *obs, const bex_real *act,
                           bex_real reward, bex_real mask, const bex_real *next);

/* Rows first..first+count-1 of `out`, of the same O and A. The replay must not be empty. */
void bex_replay_buffer_draw(const bex_replay_buffer *r, bex_rng *rng, bex_transitions *out,
                            int first, int count);

/* Tensors "replay.*", the filled rows only. The replay must outlive the save. Loading wants the same
 * sizes and capacity: negative with a message otherwise. */
void bex_replay_buffer_save(const bex_replay_buffer *r, bex_st_writer *w);
int bex_replay_buffer_load(bex_replay_buffer *r, const bex_st_file *f);

#endif
