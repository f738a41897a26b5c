/* base/rng.h - counter-based random numbers: Philox4x32-10 (Salmon et al., SC 2011).
 *
 * A generator is a value: copy it to fork it, store (key, stream, position) to save it. Nothing is
 * hidden and nothing is global. Independent streams come from labels, not from drawing seeds:
 *
 *     bex_rng root = bex_rng_seed(42);
 *     bex_rng noise = bex_rng_split(root, "noise", lane);
 *
 * The n-th 32-bit word of a stream is word n%4 of philox(counter = {n/4, stream}, key): any position
 * can be reached at once, whatever was drawn before. */
#ifndef BEX_BASE_RNG_H
#define BEX_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

typedef struct bex_rng {
    uint64_t key;      // the seed, mixed
    uint64_t stream;   // which stream of this key
    uint64_t position; // 32-bit words drawn so far
    uint64_t cached;   // block index + 1 of `block`, 0 for none
    uint32_t block[4];
} bex_rng;

bex_rng bex_rng_seed(uint64_t seed);

/* An independent stream named (label, index) under `parent`; parent is not advanced. */
bex_rng bex_rng_split(bex_rng parent, const char *label, uint64_t index);

uint32_t bex_rng_u32(bex_rng *rng);
uint64_t bex_rng_u64(bex_rng *rng);
uint64_t bex_rng_below(bex_rng *rng, uint64_t n);  // uniform in 0..n-1, unbiased; n > 0
double bex_rng_uniform(bex_rng *rng);              // in [0, 1), 53 bits
double bex_rng_normal(bex_rng *rng);               // mean 0, variance 1; draws 4 words
void bex_rng_shuffle(bex_rng *rng, int *v, int n); // Fisher-Yates

/* The bare bijection, tested against the vectors of the paper's library. */
void bex_philox4x32(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]);

#endif
