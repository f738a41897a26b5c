/* policy/sampler.c */
#include "policy/sampler.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

// a told chunk becomes the noise that x then has in it
static void to_noise(bex_real *told, const bex_real *x, size_t n, double a) {
    bex_real s = R(sqrt(a)), r = R(1 / sqrt(1 - a));
    for (size_t i = 0; i < n; i++) told[i] = (x[i] - s * told[i]) * r;
}

static void reverse_step(bex_real *x, const bex_real *eps, size_t n, double a, double a_prev) {
    bex_real s = R(sqrt(1 - a)), r = R(1 / sqrt(a)), sp = R(sqrt(a_prev)), np = R(sqrt(1 - a_prev));
    for (size_t i = 0; i < n; i++) {
        bex_real x0 = (x[i] - s * eps[i]) * r;
        x0 = x0 < R(-1) ? R(-1) : x0;
        x0 = x0 > R(1) ? R(1) : x0;
        x[i] = sp * x0 + np * eps[i];
    }
}

void bex_sampler_time(bex_tape *tape, const bex_dit *dit, const bex_sampler *s, bex_real *time) {
    int list[BEX_NOISE_STEPS];
    size_t mark = bex_arena_mark(tape->arena);
    bex_ddim_steps(list, s->steps, s->schedule->steps);
    for (int i = 0; s->given && i < s->steps; i++) list[i] += s->schedule->steps;
    bex_tensor *t = bex_decoder_time(tape, &dit->decoder, list, s->steps);
    memcpy(time, t->data, bex_count(t) * sizeof *time);
    bex_arena_release(tape->arena, mark);
}

// condition (i H + h) G + g: group g at step i, h = 1 with the coverage hidden
static bex_modulation conditions(bex_tape *tape, const bex_dit *dit, const bex_sampler *s, int H,
                                 int G, bex_tensor **pooled, bex_tensor **null) {
    int R = s->steps * H * G;
    size_t C = (size_t)dit->o.C, row = C * sizeof(bex_real);
    bex_real *own = s->time ? NULL : bex_scratch(tape, (size_t)s->steps * C);
    if (own) bex_sampler_time(tape, dit, s, own);
    const bex_real *time = own ? own : s->time;
    bex_tensor *t = bex_tensor_new(tape, 2, BEX_DIMS(R, dit->o.C), false), *p[BEX_DECODER_BLOCKS];
    for (int r = 0; r < R; r++)
        memcpy(t->data + (size_t)r * C, time + (size_t)(r / (H * G)) * C, row);
    for (int b = 0; b < dit->o.blocks; b++) {
        p[b] = bex_tensor_like(tape, t);
        for (int r = 0; r < R; r++) {
            const bex_tensor *from = r / G % H ? null[b] : pooled[b];
            memcpy(p[b]->data + (size_t)r * C, from->data + (size_t)(r % G) * C, row);
        }
    }
    return bex_decoder_condition(tape, &dit->decoder, t, p);
}

void bex_sampler_give(bex_real *x, const bex_real *from, int rows, int A, int given) {
    size_t wide = (size_t)A, at = (size_t)given;
    for (size_t i = 0; i < (size_t)rows; i++)
        memcpy(x + i * wide + at, from + i * wide + at, (wide - at) * sizeof *x);
}

void bex_sample(bex_tape *tape, const bex_dit *dit, const bex_sampler *s, bex_real *x, int B,
                bex_tensor **pooled, bex_tensor **null) {
    BEX_CHECK(!tape->recording && (null || s->guidance == 1),
              "sampling on a recording tape, or unguided");
    int list[BEX_NOISE_STEPS], K = dit->o.K, A = dit->o.A, G = pooled[0]->dim[0];
    int H = s->guidance == 1 ? 1 : 2;
    size_t n = (size_t)B * (size_t)K * (size_t)A, begin = bex_arena_mark(tape->arena);
    bex_ddim_steps(list, s->steps, s->schedule->steps);
    bex_modulation m = conditions(tape, dit, s, H, G, pooled, null);
    bex_real *given = s->given ? bex_scratch(tape, n) : NULL;
    if (given) memcpy(given, x, n * sizeof *x);
    size_t mark = bex_arena_mark(tape->arena);
    m.rows = H * G;
    for (int i = 0; i < s->steps; i++) {
        m.first = i * m.rows;
        bex_tensor *noised = bex_tensor_new(tape, 3, BEX_DIMS(H * B, K, A), false);
        for (int h = 0; h < H; h++) memcpy(noised->data + (size_t)h * n, x, n * sizeof *x);
        bex_real *eps = bex_decoder_denoise(tape, &dit->decoder, noised, &m)->data;
        const bex_real *base = eps + n;
        for (size_t j = 0; H == 2 && j < n; j++)
            eps[j] = base[j] + R(s->guidance) * (eps[j] - base[j]);
        double a = s->schedule->alpha_bar[list[i]];
        if (s->schedule->predicts == BEX_PREDICTS_CHUNK) to_noise(eps, x, n, a);
        double a_prev = i + 1 < s->steps ? s->schedule->alpha_bar[list[i + 1]] : 1;
        reverse_step(x, eps, n, a, a_prev);
        if (given) bex_sampler_give(x, given, B * K, A, s->given);
        bex_arena_release(tape->arena, mark);
    }
    bex_arena_release(tape->arena, begin);
}
