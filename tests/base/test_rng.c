/* Philox against the known answers published with the paper (Random123, kat_vectors), and the
 * properties the rest of bex relies on. */
#include "base/rng.h"

#include "test.h"

#include <math.h>

static void philox_known_answers(void **state) {
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } kat[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof kat / sizeof *kat; i++) {
        uint32_t out[4];
        bex_philox4x32(out, kat[i].counter, kat[i].key);
        assert_memory_equal(out, kat[i].out, sizeof out);
    }
}

static void position_alone_decides_the_word(void **state) {
    (void)state;
    bex_rng a = bex_rng_seed(7), b = bex_rng_seed(7);
    uint32_t words[40];
    for (int i = 0; i < 40; i++) words[i] = bex_rng_u32(&a);
    for (int i = 39; i >= 0; i--) {
        b.position = (uint64_t)i;
        assert_int_equal(bex_rng_u32(&b), words[i]);
    }
}

static void streams_differ(void **state) {
    (void)state;
    bex_rng root = bex_rng_seed(1);
    bex_rng s[] = {root,
                   bex_rng_split(root, "a", 0),
                   bex_rng_split(root, "a", 1),
                   bex_rng_split(root, "b", 0),
                   bex_rng_split(bex_rng_split(root, "a", 0), "a", 0),
                   bex_rng_seed(2)};
    uint64_t first[6];
    for (int i = 0; i < 6; i++) first[i] = bex_rng_u64(&s[i]);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++) assert_true(first[i] != first[j]);
    // splitting does not depend on what the parent has drawn
    bex_rng moved = root;
    bex_rng_u64(&moved);
    bex_rng c = bex_rng_split(moved, "a", 0);
    assert_true(bex_rng_u64(&c) == first[1]);
}

static void distributions_have_their_moments(void **state) {
    (void)state;
    bex_rng g = bex_rng_seed(3);
    enum { N = 200000 };
    double mean = 0, var = 0, fourth = 0, uniform = 0;
    for (int i = 0; i < N; i++) {
        double x = bex_rng_normal(&g);
        mean += x / N, var += x * x / N, fourth += x * x * x * x / N;
        double u = bex_rng_uniform(&g);
        assert_true(u >= 0 && u < 1);
        uniform += u / N;
    }
    assert_true(fabs(mean) < 5 / sqrt(N));
    assert_true(fabs(var - 1) < 5 * sqrt(2.0 / N));
    assert_true(fabs(fourth - 3) < 5 * sqrt(96.0 / N));
    assert_true(fabs(uniform - 0.5) < 5 * sqrt(1.0 / 12 / N));
}

static void below_is_uniform_and_in_range(void **state) {
    (void)state;
    bex_rng g = bex_rng_seed(4);
    int count[7] = {0};
    for (int i = 0; i < 70000; i++) count[bex_rng_below(&g, 7)]++;
    for (int i = 0; i < 7; i++) assert_in_range(count[i], 10000 - 500, 10000 + 500);
    for (int i = 0; i < 100; i++) assert_int_equal(bex_rng_below(&g, 1), 0);
    assert_true(bex_rng_below(&g, UINT64_MAX) < UINT64_MAX);
}

static void shuffle_is_a_permutation(void **state) {
    (void)state;
    bex_rng g = bex_rng_seed(5);
    int v[50], seen[50] = {0}, moved = 0;
    for (int i = 0; i < 50; i++) v[i] = i;
    bex_rng_shuffle(&g, v, 50);
    for (int i = 0; i < 50; i++) seen[v[i]]++, moved += v[i] != i;
    for (int i = 0; i < 50; i++) assert_int_equal(seen[i], 1);
    assert_true(moved > 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_known_answers),
        cmocka_unit_test(position_alone_decides_the_word),
        cmocka_unit_test(streams_differ),
        cmocka_unit_test(distributions_have_their_moments),
        cmocka_unit_test(below_is_uniform_and_in_range),
        cmocka_unit_test(shuffle_is_a_permutation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
