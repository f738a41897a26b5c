/* policy/sampler.c */
#include "policy/sampler.h"

#include "base/error.h"

#include <math.h>

static void reverse_step(bex_real *x, const bex_real *eps, size_t n, double a, double a_prev) {
    bex_real s = R(sqrt(1 - a)), r = R(1 / sqrt(a)), sp = R(sqrt(a_prev)), np = R(sqrt(1 - a_prev));
    for (size_t i = 0; i < n; i++) {
        bex_real x0 = (x[i] - s * eps[i]) * r;
        x0 = x0 < R(-1) ? R(-1) : x0;
        x0 = x0 > R(1) ? R(1) : x0;
        x[i] = sp * x0 + np * eps[i];
    }
}

void bex_sample(bex_tape *tape, const bex_dit *dit, const bex_sampler *s, bex_real *x, int B,
                bex_tensor **pooled, bex_tensor **null) {
    BEX_CHECK(!tape->recording && (null || s->guidance == 1),
              "sampling on a recording tape, or unguided");
    int list[BEX_NOISE_STEPS], K = dit->o.K, A = dit->o.A;
    size_t n = (size_t)B * (size_t)K * (size_t)A, mark = bex_arena_mark(tape->arena);
    bex_ddim_steps(list, s->steps, s->schedule->steps);
    for (int i = 0; i < s->steps; i++) {
        int *step = bex_arena_alloc(tape->arena, (size_t)B * sizeof *step);
        for (int b = 0; b < B; b++) step[b] = list[i];
        bex_tensor *noised = bex_constant(tape, x, 3, BEX_DIMS(B, K, A));
        bex_real *eps = bex_dit_denoise(tape, dit, noised, step, pooled)->data;
        if (null && s->guidance != 1) {
            const bex_real *base = bex_dit_denoise(tape, dit, noised, step, null)->data;
            for (size_t j = 0; j < n; j++) eps[j] = base[j] + R(s->guidance) * (eps[j] - base[j]);
        }
        double a_prev = i + 1 < s->steps ? s->schedule->alpha_bar[list[i + 1]] : 1;
        reverse_step(x, eps, n, s->schedule->alpha_bar[list[i]], a_prev);
        bex_arena_release(tape->arena, mark);
    }
}
