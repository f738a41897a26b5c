/* Blocks in batches are the blocks of base/rng.h, also where the counter's low word carries. */
#include "kernel/philox.h"

#include "test.h"

static void the_blocks_are_those_of_the_stream(void **state) {
    (void)state;
    static const uint64_t firsts[] = {0, 1, 64, 0xFFFFFFFFu - 20, 0xFFFFFFFFFFu, 1ull << 61};
    bex_rng g = bex_rng_split(bex_rng_seed(5), "philox", 7);
    for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++) {
        uint32_t w[4][BEX_PHILOX_BLOCKS];
        bex_philox_blocks(w, firsts[f], &g);
        for (int i = 0; i < BEX_PHILOX_BLOCKS; i++) {
            bex_rng one = g;
            one.position = 4 * (firsts[f] + (uint64_t)i);
            for (int j = 0; j < 4; j++) assert_int_equal(bex_rng_u32(&one), w[j][i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_blocks_are_those_of_the_stream)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
