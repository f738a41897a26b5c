/* policy/noise_schedule.h - the forward diffusion and the steps of its reversal.
 *
 *   alpha_bar(u) = cos^2(((u + 0.008) / 1.008) pi/2)        squared cosine, `steps` steps
 *   beta_i = min(1 - alpha_bar((i+1)/steps) / alpha_bar(i/steps), 0.999)
 *   alpha_bar_i = product of (1 - beta)
 *   x_k = sqrt(alpha_bar_k) a + sqrt(1 - alpha_bar_k) eps
 *
 * A network tells eps, as the paper's, or the chunk a itself: either follows from the other and x_k. What differs is
 * what the squared error weighs: an error of a counts alpha_bar / (1 - alpha_bar) times as an error of eps, next to
 * nothing where noise is strong, which is where a chunk's course is decided. docs/model.md.
 *
 * DDIM visits n of them, "leading": multiples of steps / n, downwards: 84 72 60 48 36 24 12 0 for 8 of
 * 100. */
#ifndef BEX_POLICY_NOISE_SCHEDULE_H
#define BEX_POLICY_NOISE_SCHEDULE_H

enum { BEX_NOISE_STEPS = 1000 }; // most

typedef enum { BEX_PREDICTS_NOISE, BEX_PREDICTS_CHUNK } bex_predicts;

typedef struct bex_noise_schedule {
    int steps;
    bex_predicts predicts; // what the network tells
    double beta[BEX_NOISE_STEPS], alpha_bar[BEX_NOISE_STEPS];
} bex_noise_schedule;

void bex_noise_schedule_init(bex_noise_schedule *s, int steps, bex_predicts predicts);

/* list[0..n-1], descending. n in 1..steps. */
void bex_ddim_steps(int *list, int n, int steps);

#endif
