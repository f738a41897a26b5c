/* data/step.h - one step of a world, and an episode of them: what is recorded, remembered and learned from.
 *
 *   s --a--> r, s'       terminal: the world ended the episode with this step; timeout: something else did
 *
 * The last step of an episode is one or the other. s' is then the episode's last state, never the next one's
 * first.
 * All pointers are borrowed, for as long as the call they are given to. */
#ifndef BEX_DATA_STEP_H
#define BEX_DATA_STEP_H

#include "base/real.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct bex_step {
    const bex_real *obs, *act; // (O), (A)
    bex_real reward;
    bool terminal, timeout;
    const bex_real *next; // (O)
} bex_step;

typedef struct bex_episode {
    int steps, O, A;
    const bex_real *obs, *act, *reward;      // (steps,O), (steps,A), (steps)
    const unsigned char *terminal, *timeout; // (steps)
    const bex_real *last;                    // (O) the state after the last step
} bex_episode;

static inline bex_step bex_episode_step(const bex_episode *e, int t) {
    size_t at = (size_t)t, O = (size_t)e->O;
    return (bex_step){.obs = e->obs + at * O,
                      .act = e->act + at * (size_t)e->A,
                      .reward = e->reward[t],
                      .terminal = e->terminal[t],
                      .timeout = e->timeout[t],
                      .next = t + 1 < e->steps ? e->obs + (at + 1) * O : e->last};
}

#endif
