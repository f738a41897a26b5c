/* policy/sampler.h - noise to an action chunk: DDIM (policy/diffusion.h) with classifier-free guidance.
 *
 *   for k in the list:   out = out_null + w (out_cond - out_null)      w = 1: out_cond alone
 *                        x   = one reverse step from k with out
 *
 * All conditions, the pooled vectors at every k, with and without the coverage, are known beforehand: what
 * they contribute is computed in one product per weight; then each step is one pass over the windows of both.
 * The result is in [-1, 1] and is a function of the first noise alone. */
#ifndef BEX_POLICY_SAMPLER_H
#define BEX_POLICY_SAMPLER_H

#include "model/dit.h"
#include "policy/diffusion.h"

typedef struct bex_sampler {
    const bex_noise_schedule *schedule;
    int steps;            // DDIM steps
    double guidance;      // w
    const bex_real *time; // (steps,C) by bex_sampler_time; NULL: computed in each call
    int given;            // columns of x from here on are shown without noise and stay; 0: none
} bex_sampler;

/* The embeddings of the steps: of the weights alone, so once per policy. Both leave the arena as it was. */
void bex_sampler_time(bex_tape *tape, const bex_dit *dit, const bex_sampler *sampler,
                      bex_real *time);

/* x (B,K,columns): noise in, chunk out. pooled[i] (G,C): chunks b of one group follow each other, B/G to a
 * group. null: the same with the coverage hidden; may be NULL if w = 1. The tape must not record. */
void bex_sample(bex_tape *tape, const bex_dit *dit, const bex_sampler *sampler, bex_real *x, int B,
                bex_tensor **pooled, bex_tensor **null);

#endif
