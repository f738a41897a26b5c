/* Random arrays: moments, tails, and bits that depend on the position in the stream alone. */
#include "kernel/random.h"

#include "kernel/buffers.h"

enum { N = 400000 };

static void normal_moments_and_tails(void **state) {
    (void)state;
    bex_rng g = bex_rng_seed(11);
    bex_real *x = input(N, 1);
    bex_random_normal(x, N, &g);
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0, next = 0;
    int beyond[4] = {0};
    for (int i = 0; i < N; i++) {
        double v = (double)x[i];
        m1 += v / N, m2 += v * v / N, m3 += v * v * v / N, m4 += v * v * v * v / N;
        for (int s = 0; s < 4; s++) beyond[s] += fabs(v) > s + 1;
        if (i) next += v * (double)x[i - 1] / N;
    }
    assert_true(fabs(m1) < 5 / sqrt(N));
    assert_true(fabs(m2 - 1) < 5 * sqrt(2.0 / N));
    assert_true(fabs(m3) < 5 * sqrt(15.0 / N));
    assert_true(fabs(m4 - 3) < 5 * sqrt(96.0 / N));
    assert_true(fabs(next) < 5 / sqrt(N)); // the two of a Box-Muller pair are neighbours
    for (int s = 0; s < 4; s++) {
        double p = erfc((s + 1) / sqrt(2));
        assert_true(fabs(beyond[s] - N * p) < 5 * sqrt(N * p) + 1);
    }
    release_all();
}

static void uniform_moments_and_range(void **state) {
    (void)state;
    bex_rng g = bex_rng_seed(12);
    bex_real *x = input(N, 0);
    bex_random_uniform(x, N, R(-2), R(3), &g);
    double mean = 0, var = 0;
    int bins[10] = {0};
    for (int i = 0; i < N; i++) {
        assert_true(x[i] >= R(-2) && x[i] <= R(3));
        double v = (double)x[i] - 0.5;
        mean += v / N, var += v * v / N;
        int bin = (int)(((double)x[i] + 2) * 2);
        bins[bin < 10 ? bin : 9]++;
    }
    assert_true(fabs(mean) < 5 * 5 / sqrt(12.0 * N));
    assert_true(fabs(var - 25.0 / 12) < 5 * 25 * sqrt(1.0 / 180 / N));
    for (int b = 0; b < 10; b++) assert_true(fabs(bins[b] - N / 10.0) < 5 * sqrt(N / 10.0));
    release_all();
}

typedef void filler(bex_real *x, size_t n, bex_rng *g);

static void fill_uniform(bex_real *x, size_t n, bex_rng *g) {
    bex_random_uniform(x, n, 0, 1, g);
}

static filler *const fillers[] = {bex_random_normal, fill_uniform};

static void cuts_do_not_change_the_bits(void **state) {
    (void)state;
    static const size_t cuts[] = {4, 8, 252, 256, 260, 1000};
    enum { LENGTH = 1501 };
    for (int f = 0; f < COUNT(fillers); f++)
        for (int c = 0; c < COUNT(cuts); c++) {
            bex_rng whole = bex_rng_split(bex_rng_seed(14), "x", 3), pieces = whole;
            matrix a = output(1, LENGTH, LENGTH, 0), b = output(1, LENGTH, LENGTH, 1);
            fillers[f](a.p, LENGTH, &whole);
            for (size_t i = 0; i < LENGTH; i += cuts[c])
                fillers[f](b.p + i, LENGTH - i < cuts[c] ? LENGTH - i : cuts[c], &pieces);
            assert_same_bits(a.p, b.p, LENGTH, "cut");
            assert_int_equal(whole.position, pieces.position);
            guards_intact(a), guards_intact(b);
            release_all();
        }
}

static void position_moves_to_the_next_block(void **state) {
    (void)state;
    bex_real x[16];
    for (int f = 0; f < COUNT(fillers); f++) {
        bex_rng g = bex_rng_seed(15);
        fillers[f](x, 0, &g);
        assert_int_equal(g.position, 0);
        fillers[f](x, 1, &g);
        assert_int_equal(g.position, 4);
        fillers[f](x, 5, &g);
        assert_int_equal(g.position, 12);
        bex_rng_u32(&g); // 13: the rest of that block is left out
        fillers[f](x, 4, &g);
        assert_int_equal(g.position, 20);
    }
}

// the words are those of bex_rng_u32, and drawing goes on behind the array
static void the_stream_is_that_of_base_rng(void **state) {
    (void)state;
    bex_rng a = bex_rng_split(bex_rng_seed(16), "s", 1), b = a;
    bex_rng_u32(&a), bex_rng_u32(&b); // with a cached block
    bex_real x[9];
    bex_random_uniform(x, 9, 0, 1, &a);
    while (b.position < 4) bex_rng_u32(&b);
    for (int i = 0; i < 9; i++) {
        double u = ((double)(bex_rng_u32(&b) >> 9) + 0.5) * 0x1p-23;
        assert_true((double)x[i] == u);
    }
    while (b.position < a.position) bex_rng_u32(&b);
    assert_int_equal(bex_rng_u32(&a), bex_rng_u32(&b));
}

static void normals_are_box_muller_of_the_words(void **state) {
    (void)state;
    enum { BLOCKS = 500 };
    bex_rng a = bex_rng_seed(18), b = a;
    bex_real *x = input(4 * BLOCKS, 0);
    bex_random_normal(x, 4 * BLOCKS, &a);
    for (int i = 0; i < 4 * BLOCKS; i += 2) {
        double u[2];
        for (int j = 0; j < 2; j++) u[j] = ((double)(bex_rng_u32(&b) >> 9) + 0.5) * 0x1p-23;
        double radius = sqrt(-2 * log(u[0])), angle = 2 * acos(-1) * u[1];
        assert_true(close_to((double)x[i], radius * cos(angle), 32 * EPS));
        assert_true(close_to((double)x[i + 1], radius * sin(angle), 32 * EPS));
    }
    release_all();
}

static void streams_differ(void **state) {
    (void)state;
    bex_rng root = bex_rng_seed(17), a = bex_rng_split(root, "a", 0),
            b = bex_rng_split(root, "a", 1);
    bex_real *x = input(N, 0), *y = input(N, 0);
    bex_random_normal(x, N, &a), bex_random_normal(y, N, &b);
    double product = 0;
    for (int i = 0; i < N; i++) product += (double)x[i] * (double)y[i] / N;
    assert_true(fabs(product) < 5 / sqrt(N));
    release_all();
}

int main(void) {
    source = bex_rng_seed(8);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_moments_and_tails),
        cmocka_unit_test(uniform_moments_and_range),
        cmocka_unit_test(cuts_do_not_change_the_bits),
        cmocka_unit_test(position_moves_to_the_next_block),
        cmocka_unit_test(the_stream_is_that_of_base_rng),
        cmocka_unit_test(normals_are_box_muller_of_the_words),
        cmocka_unit_test(streams_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
