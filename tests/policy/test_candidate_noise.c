/* The better half of a plan's proposals hand their noise to the next plan, the rest is new. */
#include "policy/candidate_noise.h"

#include "malloc_count.h"
#include "test.h"

enum { N = 7, SIZE = 5 };

static int same(const bex_real *a, const bex_real *b) {
    return memcmp(a, b, SIZE * sizeof *a) == 0;
}

static void the_better_half_stays(void **state) {
    (void)state;
    bex_candidate_noise *p = bex_candidate_noise_new(N, 1, SIZE, 0);
    assert_non_null(p);
    bex_rng g = bex_rng_seed(1);
    bex_real x[N][SIZE], y[N][SIZE];
    bex_candidate_noise_draw(p, x[0], &g);
    // 2, 5 and, the first of two alike, 1
    const double distance[N] = {9, 3, 1, 3, 8, 2, 7};
    long before = malloc_calls();
    bex_candidate_noise_keep(p, distance, N);
    bex_candidate_noise_draw(p, y[0], &g);
    assert_int_equal(malloc_calls() - before, 0);
    const int stays[N / 2] = {2, 5, 1};
    for (int i = 0; i < N / 2; i++) assert_true(same(y[i], x[stays[i]]));
    for (int i = N / 2; i < N; i++)
        for (int k = 0; k < N; k++) assert_false(same(y[i], x[k]));
    // ranked the other way round: from the kept ones and the new ones alike
    const double other[N] = {9, 8, 7, 6, 5, 4, 3};
    bex_candidate_noise_keep(p, other, N);
    bex_candidate_noise_draw(p, x[0], &g);
    for (int i = 0; i < N / 2; i++) assert_true(same(x[i], y[N - 1 - i]));
    bex_candidate_noise_free(p);
}

static void what_is_forgotten_is_drawn_anew(void **state) {
    (void)state;
    bex_candidate_noise *p = bex_candidate_noise_new(N, 1, SIZE, 0);
    const double distance[N] = {0};
    bex_real x[N][SIZE], y[N][SIZE], plain[N * SIZE];
    bex_rng g = bex_rng_seed(2), again = bex_rng_seed(2);
    bex_candidate_noise_draw(p, x[0], &g);
    bex_candidate_noise_keep(p, distance, N);
    bex_candidate_noise_forget(p);
    bex_candidate_noise_draw(p, y[0], &again);
    assert_memory_equal(x, y, sizeof x); // a first draw depends on its stream only
    bex_candidate_noise_draw(p, plain, &g);
    for (int i = 0; i < N; i++) assert_false(same(plain + i * SIZE, x[i]));
    bex_candidate_noise_free(p);
}

static void only_the_columns_behind_are_kept(void **state) {
    (void)state;
    enum { ROWS = 3, WIDE = 4, FROM = 3, ALL = ROWS * WIDE };
    bex_candidate_noise *p = bex_candidate_noise_new(4, ROWS, WIDE, FROM);
    bex_rng g = bex_rng_seed(4);
    bex_real x[4][ALL], y[4][ALL], one[2][ALL];
    assert_false(bex_candidate_noise_continue(p, one[0], &g)); // nothing is ranked yet
    bex_candidate_noise_draw(p, x[0], &g);
    const double distance[4] = {4, 3, 1, 2};
    bex_candidate_noise_keep(p, distance, 4);
    for (int i = 0; i < 2; i++) assert_true(bex_candidate_noise_continue(p, one[i], &g));
    bex_candidate_noise_draw(p, y[0], &g);
    for (int r = 0; r < ALL; r++) {
        bool kept = r % WIDE >= FROM;
        assert_int_equal(one[0][r] == x[2][r], kept);
        assert_int_equal(one[0][r] == one[1][r], kept);
        assert_int_equal(y[0][r] == x[2][r], kept);
        assert_int_equal(y[1][r] == x[3][r], kept);
        assert_true(y[0][r] != one[0][r] || kept);
    }
    bex_candidate_noise_free(p);
}

static void one_proposal_is_always_new(void **state) {
    (void)state;
    bex_candidate_noise *p = bex_candidate_noise_new(1, 1, SIZE, 0);
    const double distance[1] = {0};
    bex_rng g = bex_rng_seed(3);
    bex_real x[SIZE], y[SIZE];
    bex_candidate_noise_draw(p, x, &g);
    bex_candidate_noise_keep(p, distance, 1);
    bex_candidate_noise_draw(p, y, &g);
    assert_false(same(x, y));
    bex_candidate_noise_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_better_half_stays),
        cmocka_unit_test(what_is_forgotten_is_drawn_anew),
        cmocka_unit_test(only_the_columns_behind_are_kept),
        cmocka_unit_test(one_proposal_is_always_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
