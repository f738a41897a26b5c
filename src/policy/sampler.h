/* policy/sampler.h - noise to an action chunk: DDIM, eta = 0, with classifier-free guidance.
 *
 *   for k in the list:   eps = eps_null + w (eps_cond - eps_null)      w = 1: eps_cond alone
 *     x0 = clamp((x - sqrt(1 - a_k) eps) / sqrt(a_k), -1, 1)           a_k = alpha_bar_k
 *     x  = sqrt(a_prev) x0 + sqrt(1 - a_prev) eps                      a_prev = 1 after the last
 *
 * A network that tells the chunk (noise_schedule.h) gives eps = (x - sqrt(a_k) told) / sqrt(1 - a_k).
 *
 * Where columns are given (waypoints, diffusion.lead) the network is told so by its step: k + the number of noise levels.
 *
 * All conditions, the pooled vectors at every k, with and without the coverage, are known beforehand: what
 * they tell the network is computed in one product a weight; then each step is one pass over the windows
 * of both. eps is used as predicted, not recomputed from the clamped x0. The result is in [-1, 1] and is a
 * function of the first noise alone. The reverse-process formulas exist only here. */
#ifndef BEX_POLICY_SAMPLER_H
#define BEX_POLICY_SAMPLER_H

#include "model/dit.h"
#include "policy/noise_schedule.h"

typedef struct bex_sampler {
    const bex_noise_schedule *schedule;
    int steps;            // DDIM steps
    double guidance;      // w
    const bex_real *time; // (steps,C) by bex_sampler_time; NULL: computed in each call
    int given;            // columns of x from here on are given without noise and stay; 0: none
} bex_sampler;

/* The embeddings of the steps: of the weights alone, so once a policy. Neither keeps anything in the arena. */
void bex_sampler_time(bex_tape *tape, const bex_dit *dit, const bex_sampler *sampler,
                      bex_real *time);

/* Columns `given` and behind of so many rows of A: from those of `from`. */
void bex_sampler_give(bex_real *x, const bex_real *from, int rows, int A, int given);

/* x (B,K,A): noise in, chunk out. pooled[i] (G,C): chunks b of one group follow each other, B/G to a
 * group. null: the same with the coverage hidden; may be NULL if w = 1. The tape must not record. */
void bex_sample(bex_tape *tape, const bex_dit *dit, const bex_sampler *sampler, bex_real *x, int B,
                bex_tensor **pooled, bex_tensor **null);

#endif
