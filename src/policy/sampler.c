/* policy/sampler.c - one pass of the decoder per DDIM step over all chunks. */
#include "policy/sampler.h"

#include "base/error.h"
#include "policy/chunk.h"

#include <string.h>

void bex_sampler_time(bex_tape *tape, const bex_dit *dit, const bex_sampler *s, bex_real *time) {
    int list[BEX_NOISE_STEPS];
    size_t mark = bex_arena_mark(tape->arena);
    bex_ddim_steps(list, s->steps, s->schedule->steps);
    for (int i = 0; s->given && i < s->steps; i++)
        list[i] = bex_diffusion_shown_step(s->schedule, list[i]);
    bex_tensor *t = bex_decoder_time(tape, &dit->decoder, list, s->steps);
    memcpy(time, t->data, bex_count(t) * sizeof *time);
    bex_arena_release(tape->arena, mark);
}

// condition (i passes + h) G + g: group g at step i, h = 1 with the coverage hidden
static bex_modulation conditions(bex_tape *tape, const bex_dit *dit, const bex_sampler *s,
                                 int passes, int G, bex_tensor **pooled, bex_tensor **null) {
    int rows = s->steps * passes * G;
    size_t C = (size_t)dit->o.C, row = C * sizeof(bex_real);
    bex_real *own = s->time ? NULL : bex_scratch(tape, (size_t)s->steps * C);
    if (own) bex_sampler_time(tape, dit, s, own);
    const bex_real *time = own ? own : s->time;
    bex_tensor *t = bex_tensor_new(tape, 2, BEX_DIMS(rows, dit->o.C), false),
               *p[BEX_DECODER_BLOCKS];
    for (int r = 0; r < rows; r++)
        memcpy(t->data + (size_t)r * C, time + (size_t)(r / (passes * G)) * C, row);
    for (int b = 0; b < dit->o.blocks; b++) {
        p[b] = bex_tensor_like(tape, t);
        for (int r = 0; r < rows; r++) {
            const bex_tensor *from = r / G % passes ? null[b] : pooled[b];
            memcpy(p[b]->data + (size_t)r * C, from->data + (size_t)(r % G) * C, row);
        }
    }
    return bex_decoder_condition(tape, &dit->decoder, t, p);
}

void bex_sample(bex_tape *tape, const bex_dit *dit, const bex_sampler *s, bex_real *x, int B,
                bex_tensor **pooled, bex_tensor **null) {
    BEX_CHECK(!tape->recording && (null || s->guidance == 1),
              "sampling on a recording tape, or unguided");
    int list[BEX_NOISE_STEPS], K = dit->o.K, columns = dit->o.columns, G = pooled[0]->dim[0];
    int passes = s->guidance == 1 ? 1 : 2;
    size_t n = (size_t)B * (size_t)K * (size_t)columns, begin = bex_arena_mark(tape->arena);
    bex_ddim_steps(list, s->steps, s->schedule->steps);
    bex_modulation m = conditions(tape, dit, s, passes, G, pooled, null);
    bex_real *given = s->given ? bex_scratch(tape, n) : NULL;
    if (given) memcpy(given, x, n * sizeof *x);
    size_t mark = bex_arena_mark(tape->arena);
    m.rows = passes * G;
    for (int i = 0; i < s->steps; i++) {
        m.first = i * m.rows;
        bex_tensor *noised = bex_tensor_new(tape, 3, BEX_DIMS(passes * B, K, columns), false);
        for (int h = 0; h < passes; h++) memcpy(noised->data + (size_t)h * n, x, n * sizeof *x);
        bex_real *eps = bex_decoder_denoise(tape, &dit->decoder, noised, &m)->data;
        const bex_real *base = eps + n;
        for (size_t j = 0; passes == 2 && j < n; j++)
            eps[j] = base[j] + R(s->guidance) * (eps[j] - base[j]);
        int next = i + 1 < s->steps ? list[i + 1] : -1;
        bex_diffusion_reverse(s->schedule, list[i], next, x, eps, n);
        if (given) bex_chunk_copy_columns(x, given, (size_t)B * (size_t)K, columns, s->given);
        bex_arena_release(tape->arena, mark);
    }
    bex_arena_release(tape->arena, begin);
}
