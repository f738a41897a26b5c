/* policy/noise_schedule.c */
#include "policy/noise_schedule.h"

#include "base/error.h"

#include <math.h>

static double alpha_bar(double u) {
    double c = cos((u + 0.008) / 1.008 * 3.14159265358979323846 / 2);
    return c * c;
}

void bex_noise_schedule_init(bex_noise_schedule *s, int steps, bex_predicts predicts) {
    BEX_CHECK(steps > 0 && steps <= BEX_NOISE_STEPS, "%d diffusion steps", steps);
    s->steps = steps;
    s->predicts = predicts;
    double product = 1;
    for (int i = 0; i < steps; i++) {
        double u = (double)i / steps, v = (double)(i + 1) / steps;
        s->beta[i] = fmin(1 - alpha_bar(v) / alpha_bar(u), 0.999);
        s->alpha_bar[i] = product *= 1 - s->beta[i];
    }
}

void bex_ddim_steps(int *list, int n, int steps) {
    BEX_CHECK(n > 0 && n <= steps, "%d of %d denoising steps", n, steps);
    int ratio = steps / n;
    for (int i = 0; i < n; i++) list[i] = (n - 1 - i) * ratio;
}
