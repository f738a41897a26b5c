/* base/rng.c - Philox4x32-10 and the scalar distributions; arrays of normals: kernel/random.c. */
#include "base/rng.h"

#include "base/error.h"

#include <math.h>

void bex_philox4x32(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]) {
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

// splitmix64's finaliser: every input bit reaches every output bit
static uint64_t mix(uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

bex_rng bex_rng_seed(uint64_t seed) {
    return (bex_rng){.key = mix(seed)};
}

bex_rng bex_rng_split(bex_rng parent, const char *label, uint64_t index) {
    uint64_t h = mix(parent.stream);
    for (; *label; label++) h = mix(h ^ (unsigned char)*label);
    return (bex_rng){.key = parent.key, .stream = mix(h ^ mix(index))};
}

uint32_t bex_rng_u32(bex_rng *g) {
    uint64_t index = g->position / 4;
    if (g->cached != index + 1) {
        uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)g->stream,
                               (uint32_t)(g->stream >> 32)};
        uint32_t key[2] = {(uint32_t)g->key, (uint32_t)(g->key >> 32)};
        bex_philox4x32(g->block, counter, key);
        g->cached = index + 1;
    }
    return g->block[g->position++ % 4];
}

uint64_t bex_rng_u64(bex_rng *g) {
    uint64_t low = bex_rng_u32(g);
    return low | (uint64_t)bex_rng_u32(g) << 32;
}

uint64_t bex_rng_below(bex_rng *g, uint64_t n) {
    BEX_CHECK(n > 0, "no number below 0");
    // reject the tail that would favour small results; at most half of the range
    uint64_t tail = (UINT64_MAX - n + 1) % n, x;
    do x = bex_rng_u64(g);
    while (x > UINT64_MAX - tail);
    return x % n;
}

double bex_rng_uniform(bex_rng *g) {
    return (double)(bex_rng_u64(g) >> 11) * 0x1p-53;
}

double bex_rng_normal(bex_rng *g) {
    double u = 1.0 - bex_rng_uniform(g); // (0, 1]: log stays finite
    double v = bex_rng_uniform(g);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

void bex_rng_shuffle(bex_rng *g, int *v, int n) {
    for (int i = n - 1; i > 0; i--) {
        int j = (int)bex_rng_below(g, (uint64_t)i + 1), t = v[i];
        v[i] = v[j];
        v[j] = t;
    }
}
