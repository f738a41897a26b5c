/* policy/diffusion.h - the forward diffusion, its schedule, and the steps of its reversal: every formula of
 * the process is here.
 *
 *   alpha_bar(u) = cos^2(((u + 0.008) / 1.008) pi/2)        squared cosine, `steps` steps
 *   beta_i = min(1 - alpha_bar((i+1)/steps) / alpha_bar(i/steps), 0.999)
 *   alpha_bar_i = product of (1 - beta)
 *
 *   forward     x_k = sqrt(alpha_bar_k) x_0 + sqrt(1 - alpha_bar_k) eps
 *   reverse     x_0 = clamp((x_k - sqrt(1 - alpha_bar_k) eps) / sqrt(alpha_bar_k), -1, 1)
 *               x_j = sqrt(alpha_bar_j) x_0 + sqrt(1 - alpha_bar_j) eps
 *
 * The reverse is DDIM with eta = 0; alpha_bar_j = 1 after the last step. eps is used as predicted, not
 * recomputed from the clamped x_0.
 *
 * A network predicts eps, as the paper's, or the chunk x_0 itself: either follows from the other and x_k.
 * What differs is what the squared error weighs: an error of x_0 counts alpha_bar / (1 - alpha_bar) times as
 * an error of eps, next to nothing where noise is strong, which is where a chunk's course is decided.
 * docs/model.md.
 *
 * DDIM visits n of the steps, "leading": multiples of steps / n, downwards: 84 72 60 48 36 24 12 0 for 8 of
 * 100.
 *
 * A window whose waypoints are shown without noise (diffusion.show_waypoints) says so to the network by its
 * step: k + steps. */
#ifndef BEX_POLICY_DIFFUSION_H
#define BEX_POLICY_DIFFUSION_H

#include "base/real.h"

#include <stddef.h>

enum { BEX_NOISE_STEPS = 1000 }; // most

typedef enum { BEX_PREDICTS_NOISE, BEX_PREDICTS_CHUNK } bex_predicts;

typedef struct bex_noise_schedule {
    int steps;
    bex_predicts predicts; // what the network's output is
    double beta[BEX_NOISE_STEPS], alpha_bar[BEX_NOISE_STEPS];
} bex_noise_schedule;

void bex_noise_schedule_init(bex_noise_schedule *s, int steps, bex_predicts predicts);

/* x = the forward process at step k of `clean` (n) with noise `eps` (n). */
void bex_diffusion_forward(const bex_noise_schedule *s, int k, bex_real *x, const bex_real *clean,
                           const bex_real *eps, size_t n);

/* x (n) from step k to step j; j < 0: to the end. `predicted` (n) is what the network says of x, and is
 * overwritten. */
void bex_diffusion_reverse(const bex_noise_schedule *s, int k, int j, bex_real *x,
                           bex_real *predicted, size_t n);

/* The step the network is given where waypoints are shown. */
static inline int bex_diffusion_shown_step(const bex_noise_schedule *s, int k) {
    return k + s->steps;
}

/* list[0..n-1], descending. n in 1..steps. */
void bex_ddim_steps(int *list, int n, int steps);

#endif
