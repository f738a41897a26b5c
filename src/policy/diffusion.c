/* policy/diffusion.c - the schedule's table and the two directions of the process. */
#include "policy/diffusion.h"

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

void bex_diffusion_forward(const bex_noise_schedule *s, int k, bex_real *x, const bex_real *clean,
                           const bex_real *eps, size_t n) {
    double a = s->alpha_bar[k];
    bex_real signal = R(sqrt(a)), noise = R(sqrt(1 - a));
    for (size_t i = 0; i < n; i++) x[i] = signal * clean[i] + noise * eps[i];
}

// a predicted chunk becomes the noise that x then has in it
static void chunk_to_noise(bex_real *predicted, const bex_real *x, size_t n, double a) {
    bex_real s = R(sqrt(a)), r = R(1 / sqrt(1 - a));
    for (size_t i = 0; i < n; i++) predicted[i] = (x[i] - s * predicted[i]) * r;
}

void bex_diffusion_reverse(const bex_noise_schedule *s, int k, int j, bex_real *x,
                           bex_real *predicted, size_t n) {
    double a = s->alpha_bar[k], a_next = j < 0 ? 1 : s->alpha_bar[j];
    if (s->predicts == BEX_PREDICTS_CHUNK) chunk_to_noise(predicted, x, n, a);
    bex_real noise = R(sqrt(1 - a)), r = R(1 / sqrt(a));
    bex_real next_signal = R(sqrt(a_next)), next_noise = R(sqrt(1 - a_next));
    for (size_t i = 0; i < n; i++) {
        bex_real x0 = (x[i] - noise * predicted[i]) * r;
        x0 = x0 < R(-1) ? R(-1) : x0;
        x0 = x0 > R(1) ? R(1) : x0;
        x[i] = next_signal * x0 + next_noise * predicted[i];
    }
}

void bex_ddim_steps(int *list, int n, int steps) {
    BEX_CHECK(n > 0 && n <= steps, "%d of %d denoising steps", n, steps);
    int ratio = steps / n;
    for (int i = 0; i < n; i++) list[i] = (n - 1 - i) * ratio;
}
