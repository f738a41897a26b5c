/* kernel/random.c - Philox blocks in batches, Box-Muller over arrays.
 *
 * Block c of the stream gives words w0..w3, hence four uniforms in (0,1) and, by Box-Muller, four
 * normals: sqrt(-2 ln u0) {cos, sin}(2 pi u1), the same with u2, u3. */
#include "kernel/random.h"

#include "base/error.h"
#include "kernel/vmath.h"

enum { BLOCKS = 64 };

// u in (0,1): 24 bits and a half, never 0 or 1 in float
static bex_real unit(uint32_t w) {
    return ((bex_real)(w >> 9) + R(0.5)) * R(0x1p-23);
}

// words of `count` consecutive blocks from block `first`, struct of arrays: w[lane][block]
static void philox_blocks(uint32_t w[4][BLOCKS], uint64_t first, int count, const bex_rng *g) {
    uint32_t k0 = (uint32_t)g->key, k1 = (uint32_t)(g->key >> 32);
    for (int i = 0; i < count; i++) {
        uint64_t c = first + (uint64_t)i;
        uint32_t counter[4] = {(uint32_t)c, (uint32_t)(c >> 32), (uint32_t)g->stream,
                               (uint32_t)(g->stream >> 32)};
        uint32_t key[2] = {k0, k1}, out[4];
        bex_philox4x32(out, counter, key);
        for (int j = 0; j < 4; j++) w[j][i] = out[j];
    }
}

typedef void transform(bex_real out[4][BLOCKS], uint32_t w[4][BLOCKS], const bex_real *option);

static void to_normal(bex_real out[4][BLOCKS], uint32_t w[4][BLOCKS], const bex_real *option) {
    (void)option;
    for (int pair = 0; pair < 4; pair += 2)
        for (int i = 0; i < BLOCKS; i++) {
            bex_real radius = bex_sqrt(R(-2) * bex_log(unit(w[pair][i])));
            bex_real angle = R(6.283185307179586) * unit(w[pair + 1][i]);
            out[pair][i] = radius * bex_cos(angle);
            out[pair + 1][i] = radius * bex_sin(angle);
        }
}

static void to_uniform(bex_real out[4][BLOCKS], uint32_t w[4][BLOCKS], const bex_real *option) {
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < BLOCKS; i++)
            out[j][i] = option[0] + (option[1] - option[0]) * unit(w[j][i]);
}

static void to_keep(bex_real out[4][BLOCKS], uint32_t w[4][BLOCKS], const bex_real *option) {
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < BLOCKS; i++) out[j][i] = unit(w[j][i]) < option[0] ? R(0) : option[1];
}

static void fill(bex_real *x, size_t n, bex_rng *g, transform *f, const bex_real *option) {
    uint32_t w[4][BLOCKS] = {{0}};
    bex_real v[4][BLOCKS];
    uint64_t block = (g->position + 3) / 4;
    for (size_t done = 0; done < n; done += 4 * BLOCKS) {
        size_t left = n - done, words = left < 4 * BLOCKS ? left : 4 * BLOCKS;
        int count = (int)((words + 3) / 4);
        philox_blocks(w, block, count, g);
        block += (uint64_t)count;
        f(v, w, option);
        for (size_t i = 0; i < words; i++) x[done + i] = v[i % 4][i / 4];
    }
    g->position = 4 * block;
}

void bex_random_normal(bex_real *x, size_t n, bex_rng *g) {
    fill(x, n, g, to_normal, NULL);
}

void bex_random_uniform(bex_real *x, size_t n, bex_real low, bex_real high, bex_rng *g) {
    bex_real option[2] = {low, high};
    fill(x, n, g, to_uniform, option);
}

void bex_random_keep(bex_real *keep, size_t n, bex_real p, bex_rng *g) {
    BEX_CHECK(p >= 0 && p < 1, "dropout of %g", (double)p);
    bex_real option[2] = {p, R(1) / (R(1) - p)};
    fill(keep, n, g, to_keep, option);
}
