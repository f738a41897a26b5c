/* Memory of a data set: refused before it is taken, appended, truncated. */
#include "data/dataset.h"

#include "base/error.h"
#include "data/subset.h"

#include "test.h"

static bex_dataset *sample(int episodes, int O, int rewards, const char *task) {
    bex_dataset *d = bex_dataset_new();
    assert_int_equal(bex_dataset_allocate(d, (unsigned)episodes * 2u, (unsigned)O, 1, rewards, 0),
                     0);
    int *start = malloc(sizeof *start * (size_t)(episodes + 1));
    for (int e = 0; e <= episodes; e++) start[e] = 2 * e;
    bex_dataset_take_episodes(d, start, episodes);
    for (int r = 0; r < d->rows; r++) {
        for (int c = 0; c < O; c++) d->observations[r * O + c] = R(10 * r + c);
        d->actions[r] = R(r), d->terminals[r] = r % 2 == 1;
        if (rewards) d->rewards[r] = R(-r);
    }
    for (int e = 0; e < episodes; e++) d->task[e] = bex_names_add(&d->tasks, task);
    return d;
}

static void absurd_sizes_are_refused(void **state) {
    (void)state;
    static const unsigned long long sizes[][3] = {{1ull << 62, 1, 1},
                                                  {1ull << 31, 1, 1},
                                                  {1000, 1ull << 40, 1},
                                                  {1000, 1, 1ull << 63},
                                                  {2147483000, 1 << 20, 1 << 20}};
    for (int i = 0; i < 5; i++) {
        bex_dataset *d = bex_dataset_new();
        assert_int_equal(bex_dataset_allocate(d, sizes[i][0], sizes[i][1], sizes[i][2], 1, 0), -1);
        bex_dataset_free(d);
    }
    bex_dataset *d = bex_dataset_new();
    assert_int_equal(bex_dataset_allocate(d, 0, 3, 2, 1, 0), -1);
    assert_message("no episode");
    assert_int_equal(bex_dataset_allocate(d, 1000, 3, 2, 1, 20000), -1);
    assert_message("the limit is");
    bex_dataset_free(d);
}

static void appended(void **state) {
    (void)state;
    bex_dataset *a = sample(2, 3, 1, "x"), *b = sample(3, 3, 1, "y");
    assert_int_equal(bex_dataset_append(a, b, 0), 0);
    assert_int_equal(a->rows, 10);
    assert_int_equal(a->episodes, 5);
    for (int e = 0; e <= 5; e++) assert_int_equal(a->start[e], 2 * e);
    for (int r = 0; r < 10; r++) {
        int from = r < 4 ? r : r - 4;
        assert_true(a->observations[3 * r + 2] == R(10 * from + 2));
        assert_true(a->actions[r] == R(from) && a->rewards[r] == R(-from));
        assert_int_equal(a->terminals[r], r % 2);
    }
    assert_string_equal(a->tasks.text[a->task[4]], "y");
    bex_dataset *narrow = sample(1, 2, 1, "x"), *poor = sample(1, 3, 0, "x");
    assert_int_equal(bex_dataset_append(a, narrow, 0), -1);
    assert_message("2 columns");
    assert_int_equal(bex_dataset_append(a, poor, 0), -1);
    assert_message("rewards are absent");
    assert_int_equal(bex_dataset_append(a, b, 100), -1);
    assert_int_equal(a->rows, 10);
    bex_dataset_truncate(a, 3);
    assert_int_equal(a->rows, 6);
    bex_dataset_truncate(a, 30);
    assert_int_equal(a->episodes, 3);
    bex_dataset_free(a), bex_dataset_free(b), bex_dataset_free(narrow), bex_dataset_free(poor);
}

static void episodes_are_told_apart(void **state) {
    (void)state;
    bex_dataset *a = sample(3, 3, 1, "x"), *wide = sample(3, 5, 0, "y");
    for (int e = 0; e < 3; e++) {
        // whatever the states beside the actions are
        assert_true(bex_dataset_identity(a, e) == bex_dataset_identity(wide, e));
        for (int f = 0; f < e; f++)
            assert_true(bex_dataset_identity(a, e) != bex_dataset_identity(a, f));
    }
    bex_dataset_free(a), bex_dataset_free(wide);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(absurd_sizes_are_refused),
                                       cmocka_unit_test(episodes_are_told_apart),
                                       cmocka_unit_test(appended)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
