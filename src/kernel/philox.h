/* kernel/philox.h - many blocks of a counter-based stream at once, for arrays of random numbers.
 *
 * Block c of a stream is philox(counter = {c, stream}, key): four words, the same as base/rng.h draws one by
 * one. */
#ifndef BEX_KERNEL_PHILOX_H
#define BEX_KERNEL_PHILOX_H

#include "base/rng.h"

enum { BEX_PHILOX_BLOCKS = 64 };

/* w[j][i] = word j of block first + i, i < BEX_PHILOX_BLOCKS. */
void bex_philox_blocks(uint32_t w[4][BEX_PHILOX_BLOCKS], uint64_t first, const bex_rng *rng);

#endif
