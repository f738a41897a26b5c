/* kernel/dropout.c - whole Philox blocks at a time, sixteen bits a decision. */
#include "kernel/dropout.h"

#include "base/error.h"
#include "kernel/philox.h"

#include <string.h>

enum { BLOCKS = BEX_PHILOX_BLOCKS, CHUNK = 8 * BLOCKS };

// 8 BLOCKS decisions of BLOCKS blocks: low halves of word 0, 1, 2, 3 of all blocks, then high halves
static void decide(unsigned char keep[CHUNK], uint32_t w[4][BLOCKS], uint32_t threshold) {
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < BLOCKS; i++) {
            keep[j * BLOCKS + i] = (w[j][i] & 0xFFFF) >= threshold;
            keep[(4 + j) * BLOCKS + i] = (w[j][i] >> 16) >= threshold;
        }
}

bex_real bex_dropout_draw(unsigned char *keep, size_t n, double p, bex_rng *g) {
    BEX_CHECK(p >= 0 && p < 1, "dropout of %g", p);
    uint32_t w[4][BLOCKS], threshold = (uint32_t)(p * 65536 + 0.5);
    if (threshold > 65535) threshold = 65535;
    uint64_t block = (g->position + 3) / 4;
    for (size_t done = 0; done < n; done += CHUNK, block += BLOCKS) {
        bex_philox_blocks(w, block, g);
        if (n - done >= CHUNK) {
            decide(keep + done, w, threshold);
        } else {
            unsigned char last[CHUNK];
            decide(last, w, threshold);
            memcpy(keep + done, last, n - done);
        }
    }
    g->position = 4 * block;
    return R(65536.0 / (65536 - threshold));
}

void bex_dropout_apply(bex_real *x, const unsigned char *keep, bex_real factor, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] *= (bex_real)keep[i] * factor;
}
