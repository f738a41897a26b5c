/* policy/noise_schedule.h - the forward diffusion and the steps of its reversal.
 *
 *   alpha_bar(u) = cos^2(((u + 0.008) / 1.008) pi/2)        squared cosine, `steps` steps
 *   beta_i = min(1 - alpha_bar((i+1)/steps) / alpha_bar(i/steps), 0.999)
 *   alpha_bar_i = product of (1 - beta)
 *   x_k = sqrt(alpha_bar_k) a + sqrt(1 - alpha_bar_k) eps
 *
 * DDIM visits n of them, "leading": multiples of steps / n, downwards: 84 72 60 48 36 24 12 0 for 8 of
 * 100. */
#ifndef BEX_POLICY_NOISE_SCHEDULE_H
#define BEX_POLICY_NOISE_SCHEDULE_H

enum { BEX_NOISE_STEPS = 1000 }; // most

typedef struct bex_noise_schedule {
    int steps;
    double beta[BEX_NOISE_STEPS], alpha_bar[BEX_NOISE_STEPS];
} bex_noise_schedule;

void bex_noise_schedule_init(bex_noise_schedule *s, int steps);

/* list[0..n-1], descending. n in 1..steps. */
void bex_ddim_steps(int *list, int n, int steps);

#endif
