/* Column statistics and duplicates, on values small enough to count by hand. */
#include "data/column_statistics.h"

#include "test.h"

#include <math.h>

static bex_dataset *sample(void) {
    // three episodes of 3 rows; the third repeats the first; row 4 repeats row 3
    static const float obs[9][2] = {{1, 5}, {2, 5}, {3, 5}, {9, 5}, {9, 5},
                                    {8, 5}, {1, 5}, {2, 5}, {3, 5}};
    bex_dataset *d = bex_dataset_new();
    bex_dataset_allocate(d, 9, 2, 1, 1, 0);
    int *start = malloc(4 * sizeof *start);
    for (int e = 0; e < 4; e++) start[e] = 3 * e;
    bex_dataset_take_episodes(d, start, 3);
    for (int r = 0; r < 9; r++) {
        for (int c = 0; c < 2; c++) d->observations[2 * r + c] = R(obs[r][c]);
        d->actions[r] = R(0.5);
        d->rewards[r] = R(r);
    }
    return d;
}

static void columns(void **state) {
    (void)state;
    bex_real v[5 * 3] = {1, 7, R(NAN), 2, 7, R(INFINITY), 3, 7, -2, 4, 7, 4, R(-1), 7, 1};
    bex_column_statistics s[3];
    bex_statistics_columns(s, v, 5, 3);
    assert_true(s[0].least == -1 && s[0].most == 4 && !s[0].constant && s[0].bad == 0);
    assert_true(fabs(s[0].mean - 1.8) < 1e-12);
    assert_true(fabs(s[0].deviation - sqrt((0.64 + 0.04 + 1.44 + 4.84 + 7.84) / 5)) < 1e-6);
    assert_int_equal(s[0].at_bounds, 5);
    assert_true(s[1].constant && s[1].deviation == 0 && s[1].mean == 7);
    assert_true(s[2].bad == 2 && s[2].least == -2 && s[2].most == 4 && s[2].mean == 1);
}

static void far_from_zero(void **state) {
    (void)state;
    enum { N = 1000 };
    bex_real v[N];
    for (int i = 0; i < N; i++) v[i] = R(1e6) + R(i % 2);
    bex_column_statistics s;
    bex_statistics_columns(&s, v, N, 1);
    assert_true(fabs(s.deviation - 0.5) < 1e-9);
}

static void duplicates(void **state) {
    (void)state;
    bex_dataset *d = sample();
    bex_dataset_statistics s;
    assert_int_equal(bex_statistics_dataset(&s, d), 0);
    assert_int_equal(s.repeated_rows, 1);
    assert_int_equal(s.duplicate_rows, 4); // row 4, and the third episode's rows
    assert_int_equal(s.duplicate_episodes, 1);
    assert_int_equal(s.shortest, 3);
    assert_int_equal(s.longest, 3);
    assert_true(s.reward_sum == 36 && s.best_return == 21 && s.worst_return == 3);
    d->actions[8] = R(0.25);
    assert_int_equal(bex_statistics_dataset(&s, d), 0);
    assert_int_equal(s.duplicate_episodes, 0);
    assert_int_equal(s.duplicate_rows, 3);
    bex_dataset_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(columns), cmocka_unit_test(far_from_zero),
                                       cmocka_unit_test(duplicates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
