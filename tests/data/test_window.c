/* The sampler: bounds, padding, determinism, and the distributions window.h states. */
#include "data/window.h"

#include "base/error.h"
#include "test.h"

// episodes of the given lengths; observation and action of row r are r and -r
static bex_dataset *rows_of(const int *length, int episodes) {
    int rows = 0, *start = malloc(sizeof *start * (size_t)(episodes + 1));
    for (int e = 0; e < episodes; e++) start[e] = rows, rows += length[e];
    start[episodes] = rows;
    bex_dataset *d = bex_dataset_new();
    assert_int_equal(bex_dataset_allocate(d, (unsigned)rows, 2, 3, 0, 0), 0);
    assert_int_equal(bex_dataset_take_episodes(d, start, episodes), 0);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < 2; c++) d->observations[r * 2 + c] = R(r);
        for (int c = 0; c < 3; c++) d->actions[r * 3 + c] = R(-r - 1000 * c);
    }
    return d;
}

static bex_windows *windows_of(const bex_dataset *d, const bex_window_options *o) {
    bex_windows *w = bex_windows_new(d, o);
    if (!w) fail_msg("%s", bex_error());
    return w;
}

static void starts_are_uniform_and_inside(void **state) {
    (void)state;
    bex_dataset *d = rows_of((int[]){10, 2, 6, 1}, 4);
    bex_window_options o = BEX_WINDOW_INIT;
    o.chunk = 3, o.future = 4, o.seed = 9;
    bex_windows *w = windows_of(d, &o);
    // whole futures only: rows 0..5 of the first, 0..1 of the third
    assert_int_equal(bex_windows_starts(w), 8);
    assert_int_equal(bex_windows_short(w), 2);
    int count[19] = {0};
    for (int i = 0; i < 80000; i++) {
        bex_window x = bex_windows_draw(w, (uint64_t)(i / 100), i % 100);
        assert_int_equal(x.future_rows, 5);
        assert_in_range(x.row, d->start[x.episode], d->start[x.episode + 1] - 5);
        count[x.row]++;
    }
    for (int r = 0; r < 19; r++) {
        int starts = r < 6 || r == 12 || r == 13;
        assert_in_range(count[r], starts ? 9500 : 0, starts ? 10500 : 0);
    }
    bex_windows_free(w);
    o.truncate = 1;
    w = windows_of(d, &o);
    assert_int_equal(bex_windows_starts(w), 16); // episodes of 2 and 1 rows hold no chunk of 3
    bex_window last = bex_windows_at(w, 15);
    assert_int_equal(last.row, 17);
    assert_int_equal(last.future_rows, 1);
    assert_int_equal(last.actions, 1);
    bex_windows_free(w);
    bex_dataset_free(d);
}

static void chunks_past_the_end_repeat(void **state) {
    (void)state;
    bex_dataset *d = rows_of((int[]){6, 6}, 2);
    bex_window_options o = BEX_WINDOW_INIT;
    o.chunk = 5, o.truncate = 1;
    bex_windows *w = windows_of(d, &o);
    bex_window x = bex_windows_at(w, 3); // 3 rows left of the first episode
    assert_int_equal(x.actions, 3);
    bex_real actions[16], mask[6];
    actions[15] = R(77), mask[5] = R(77);
    bex_windows_chunk(w, &x, actions, mask);
    static const int row[] = {3, 4, 5, 5, 5}, keep[] = {1, 1, 1, 0, 0};
    for (int k = 0; k < 5; k++) {
        assert_true(mask[k] == R(keep[k]));
        for (int c = 0; c < 3; c++) assert_true(actions[k * 3 + c] == R(-row[k] - 1000 * c));
    }
    assert_true(actions[15] == R(77) && mask[5] == R(77));
    bex_windows_free(w);
    bex_dataset_free(d);
}

static void same_seed_same_windows(void **state) {
    (void)state;
    int length[50];
    for (int e = 0; e < 50; e++) length[e] = 20 + e;
    bex_dataset *d = rows_of(length, 50);
    bex_window_options o = BEX_WINDOW_INIT;
    o.chunk = 4, o.future = 10, o.seed = 5;
    bex_windows *a = windows_of(d, &o), *b = windows_of(d, &o);
    o.seed = 6;
    bex_windows *c = windows_of(d, &o);
    enum { N = 64 };
    bex_window forward[N];
    int differ = 0;
    for (int i = 0; i < N; i++) forward[i] = bex_windows_draw(a, 3, i);
        // any order, any thread
#pragma omp parallel for num_threads(4)
    for (int i = N - 1; i >= 0; i--) {
        if (bex_windows_draw(b, 3, i).row != forward[i].row) {
#pragma omp atomic
            differ++;
        }
    }
    assert_int_equal(differ, 0);
    int moved = 0;
    for (int i = 0; i < N; i++) {
        moved += bex_windows_draw(c, 3, i).row != forward[i].row;
        moved += bex_windows_draw(a, 4, i).row != forward[i].row;
    }
    assert_true(moved > 2 * N - 20);
    bex_windows_free(a), bex_windows_free(b), bex_windows_free(c);
    bex_dataset_free(d);
}

static void refusals(void **state) {
    (void)state;
    bex_dataset *d = rows_of((int[]){3, 4}, 2);
    bex_window_options o = BEX_WINDOW_INIT;
    o.chunk = 5;
    assert_null(bex_windows_new(d, &o));
    assert_message(
        "every episode is shorter than a chunk of 5 actions (2 episodes, the longest has 4");
    o.chunk = 2, o.future = 4;
    assert_null(bex_windows_new(d, &o));
    assert_message("no episode holds a whole future");
    o.future = 0, o.chunk = 0;
    assert_null(bex_windows_new(d, &o));
    assert_message("chunk >= 1");
    bex_dataset_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_are_uniform_and_inside),
        cmocka_unit_test(chunks_past_the_end_repeat),
        cmocka_unit_test(same_seed_same_windows),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
