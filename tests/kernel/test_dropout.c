/* Masks: how often, how independent, where the stream goes; and what they do to an array. */
#include "kernel/dropout.h"

#include "kernel/buffers.h"
#include "kernel/philox.h"

enum { N = 400000 };

static void the_rate_is_the_asked_one(void **state) {
    (void)state;
    static const double rates[] = {0, 0.1, 0.5, 0.9};
    static unsigned char keep[N];
    bex_rng g = bex_rng_seed(13);
    for (int r = 0; r < COUNT(rates); r++) {
        double p = rates[r], kept = 0, pairs[3] = {0};
        double factor = (double)bex_dropout_draw(keep, N, p, &g);
        assert_true(fabs(factor * (1 - p) - 1) < 2e-4);
        for (int i = 0; i < N; i++) {
            assert_true(keep[i] == 0 || keep[i] == 1);
            kept += keep[i];
            static const int lag[3] = {1, BEX_PHILOX_BLOCKS, 4 * BEX_PHILOX_BLOCKS};
            for (int k = 0; k < 3; k++)
                if (i >= lag[k]) pairs[k] += (keep[i] - (1 - p)) * (keep[i - lag[k]] - (1 - p));
        }
        assert_true(fabs(kept / N - (1 - p)) < 5 * sqrt(p * (1 - p) / N) + 1e-5);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(pairs[k] / N) < 5 * p * (1 - p) / sqrt(N) + 1e-5);
    }
}

static void the_stream_goes_on_behind_a_mask(void **state) {
    (void)state;
    static unsigned char a[1200], b[1200], next[64], other[64];
    bex_rng g = bex_rng_seed(14), h = g;
    bex_dropout_draw(a, 1200, 0.5, &g);
    bex_dropout_draw(b, 1100, 0.5, &h);
    assert_int_equal(memcmp(a, b, 1100), 0); // a shorter mask is the beginning of a longer one
    assert_int_equal(g.position % (4 * BEX_PHILOX_BLOCKS), 0);
    bex_dropout_draw(next, 64, 0.5, &g);
    bex_dropout_draw(other, 64, 0.5, &(bex_rng){.key = g.key, .stream = g.stream});
    assert_int_not_equal(memcmp(next, other, 64), 0);
    assert_int_equal(memcmp(a, other, 64), 0);
    bex_rng u = bex_rng_seed(14);
    bex_rng_u32(&u); // the rest of a block begun is left out
    bex_dropout_draw(next, 64, 0.5, &u);
    assert_int_equal(u.position, 4 * (1 + BEX_PHILOX_BLOCKS));
}

static void what_is_dropped_is_zero(void **state) {
    (void)state;
    enum { LENGTH = 77 };
    unsigned char keep[LENGTH];
    bex_rng g = bex_rng_seed(15);
    bex_real factor = bex_dropout_draw(keep, LENGTH, 0.4, &g);
    matrix y = output(1, LENGTH, LENGTH, 0);
    for (int i = 0; i < LENGTH; i++) y.p[i] = R(i - 30);
    bex_dropout_apply(y.p, keep, factor, LENGTH);
    for (int i = 0; i < LENGTH; i++) assert_true(y.p[i] == (keep[i] ? R(i - 30) * factor : 0));
    guards_intact(y);
    release_all();
}

int main(void) {
    source = bex_rng_seed(8);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rate_is_the_asked_one),
        cmocka_unit_test(the_stream_goes_on_behind_a_mask),
        cmocka_unit_test(what_is_dropped_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
