/* kernel/philox.c - sixteen blocks in registers with AVX2; elsewhere block by block. Same bits. */
#include "kernel/philox.h"

#ifdef __AVX2__

#include <immintrin.h>

// high and low halves of the eight products x k, k in the even words
static inline void multiply(__m256i x, __m256i k, __m256i *high, __m256i *low) {
    __m256i even = _mm256_mul_epu32(x, k), odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), k);
    *high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA);
    *low = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA);
}

static inline __m256i all(uint32_t x) {
    return _mm256_set1_epi32((int)x);
}

// eight counters from c: the low word may carry
static inline void counters(__m256i c[4], uint64_t first, uint64_t stream) {
    uint32_t low[8], high[8];
    for (int i = 0; i < 8; i++) {
        uint64_t at = first + (uint64_t)i;
        low[i] = (uint32_t)at, high[i] = (uint32_t)(at >> 32);
    }
    c[0] = _mm256_loadu_si256((const void *)low);
    c[1] = _mm256_loadu_si256((const void *)high);
    c[2] = all((uint32_t)stream), c[3] = all((uint32_t)(stream >> 32));
}

static inline void round_of(__m256i c[4], __m256i k0, __m256i k1) {
    __m256i h0, l0, h1, l1;
    multiply(c[0], _mm256_set1_epi64x(0xD2511F53), &h0, &l0);
    multiply(c[2], _mm256_set1_epi64x(0xCD9E8D57), &h1, &l1);
    c[0] = _mm256_xor_si256(_mm256_xor_si256(h1, c[1]), k0);
    c[2] = _mm256_xor_si256(_mm256_xor_si256(h0, c[3]), k1);
    c[1] = l1, c[3] = l0;
}

void bex_philox_blocks(uint32_t w[4][BEX_PHILOX_BLOCKS], uint64_t first, const bex_rng *g) {
    for (int at = 0; at < BEX_PHILOX_BLOCKS; at += 16) { // two chains hide the multiplier's latency
        __m256i a[4], b[4];
        uint32_t k0 = (uint32_t)g->key, k1 = (uint32_t)(g->key >> 32);
        counters(a, first + (uint64_t)at, g->stream);
        counters(b, first + (uint64_t)at + 8, g->stream);
        for (int round = 0; round < 10; round++) {
            round_of(a, all(k0), all(k1));
            round_of(b, all(k0), all(k1));
            k0 += 0x9E3779B9u;
            k1 += 0xBB67AE85u;
        }
        for (int j = 0; j < 4; j++) {
            _mm256_storeu_si256((void *)(w[j] + at), a[j]);
            _mm256_storeu_si256((void *)(w[j] + at + 8), b[j]);
        }
    }
}

#else

void bex_philox_blocks(uint32_t w[4][BEX_PHILOX_BLOCKS], uint64_t first, const bex_rng *g) {
    uint32_t key[2] = {(uint32_t)g->key, (uint32_t)(g->key >> 32)}, out[4];
    for (int i = 0; i < BEX_PHILOX_BLOCKS; i++) {
        uint64_t c = first + (uint64_t)i;
        uint32_t counter[4] = {(uint32_t)c, (uint32_t)(c >> 32), (uint32_t)g->stream,
                               (uint32_t)(g->stream >> 32)};
        bex_philox4x32(out, counter, key);
        for (int j = 0; j < 4; j++) w[j][i] = out[j];
    }
}

#endif
