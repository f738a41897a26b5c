/* kernel/random.c - Philox blocks in batches, Box-Muller over arrays.
 *
 * Block c of the stream gives words w0..w3, hence four uniforms in (0,1) and, by Box-Muller, four
 * normals: sqrt(-2 ln u0) {cos, sin}(2 pi u1), the same with u2, u3. */
#include "kernel/random.h"

#include "kernel/philox.h"
#include "kernel/vmath.h"

enum { BLOCKS = BEX_PHILOX_BLOCKS };

// u in (0,1): 24 bits and a half, never 0 or 1 in float
static bex_real unit(uint32_t w) {
    return ((bex_real)(w >> 9) + R(0.5)) * R(0x1p-23);
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

static void fill(bex_real *x, size_t n, bex_rng *g, transform *f, const bex_real *option) {
    uint32_t w[4][BLOCKS];
    bex_real v[4][BLOCKS];
    uint64_t block = (g->position + 3) / 4;
    for (size_t done = 0; done < n; done += 4 * BLOCKS) {
        size_t left = n - done, words = left < 4 * BLOCKS ? left : 4 * BLOCKS;
        int count = (int)((words + 3) / 4);
        bex_philox_blocks(w, block, g);
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
