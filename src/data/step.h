/* data/step.h - one step of a world, and an episode of them: what is recorded, remembered and learned from.
 *
 *   s --a--> r, s'       terminal: the world ended the episode with this step; timeout: something else did
 *
 * The last step of an episode is one or the other. s' is then the episode's last state, never the next one's
 * first. All pointers are borrowed, for as long as the call they are given to. What is kept of an episode are
 * its states: a step that is being played may have pictures, one of a record has none today. */
#ifndef BEX_DATA_STEP_H
#define BEX_DATA_STEP_H

#include "base/observation.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct bex_step {
    bex_observation obs;
    const bex_real *act; // (A)
    bex_real reward;
    bool terminal, timeout;
    bex_observation next;
} bex_step;

typedef struct bex_episode {
    int steps, O, A;
    const bex_real *obs, *act, *reward;      // states (steps,O), (steps,A), (steps)
    const unsigned char *terminal, *timeout; // (steps)
    const bex_real *last;                    // (O) the state after the last step
} bex_episode;

static inline bex_step bex_episode_step(const bex_episode *e, int t) {
    size_t at = (size_t)t, O = (size_t)e->O;
    const bex_real *next = t + 1 < e->steps ? e->obs + (at + 1) * O : e->last;
    return (bex_step){.obs = bex_observation_of(e->obs + at * O),
                      .act = e->act + at * (size_t)e->A,
                      .reward = e->reward[t],
                      .terminal = e->terminal[t],
                      .timeout = e->timeout[t],
                      .next = bex_observation_of(next)};
}

#endif
