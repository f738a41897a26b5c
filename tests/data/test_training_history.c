/* Histories of training windows: determinism, and the distributions training_history.h states. */
#include "data/training_history.h"

#include "base/error.h"
#include "test.h"

#include <math.h>

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

static bex_training_history history_of(const bex_dataset *d, int H) {
    bex_training_history h = BEX_TRAINING_HISTORY_INIT;
    h.data = d, h.N = H;
    assert_int_equal(bex_training_history_check(&h), 0);
    return h;
}

static void same_seed_same_histories(void **state) {
    (void)state;
    enum { N = 64, H = 32 };
    int length[50], history[N][H], differ = 0, moved = 0;
    for (int e = 0; e < 50; e++) length[e] = 20 + e;
    bex_dataset *d = rows_of(length, 50);
    bex_training_history h = history_of(d, H), other = h;
    h.seed = 5, other.seed = 6;
    for (int i = 0; i < N; i++) bex_training_history_draw(&h, 3, i, history[i]);
        // any order, any thread
#pragma omp parallel for num_threads(4)
    for (int i = N - 1; i >= 0; i--) {
        int rows[H];
        bex_training_history_draw(&h, 3, i, rows);
        if (memcmp(rows, history[i], sizeof rows) != 0) {
#pragma omp atomic
            differ++;
        }
    }
    assert_int_equal(differ, 0);
    for (int i = 0; i < N; i++) {
        int rows[H];
        bex_training_history_draw(&h, 4, i, rows);
        moved += memcmp(rows, history[i], sizeof rows) != 0;
        bex_training_history_draw(&other, 3, i, rows);
        moved += memcmp(rows, history[i], sizeof rows) != 0;
    }
    assert_true(moved > 2 * N - 10);
    bex_dataset_free(d);
}

static int distinct_values(const int *v, int n) {
    int distinct = 0;
    for (int i = 0; i < n; i++) {
        int seen = 0;
        for (int j = 0; j < i; j++) seen |= v[j] == v[i];
        distinct += !seen;
    }
    return distinct;
}

static void histories_follow_the_rule(void **state) {
    (void)state;
    enum { E = 40, H = 200, N = 4000 };
    int length[E], rows[H], episodes[H];
    for (int e = 0; e < E; e++) length[e] = 300;
    bex_dataset *d = rows_of(length, E);
    bex_training_history h = history_of(d, H);
    h.seed = 1;
    int of[7] = {0}, repeated = 0, by_distinct[4] = {0};
    double first = 0;
    for (int j = 0; j < N; j++) {
        bex_training_history_draw(&h, 0, j, rows);
        for (int i = 0; i < H; i++) {
            assert_in_range(rows[i], 0, d->rows - 1);
            episodes[i] = rows[i] / 300;
        }
        int distinct = distinct_values(rows, H);
        first += rows[0];
        if (distinct <= 3) {
            repeated++, by_distinct[distinct]++;
            // evenly: every state H / distinct times, give or take one
            for (int k = 0; k < distinct; k++) {
                int n = 0;
                for (int i = 0; i < H; i++) n += rows[i] == rows[k];
                assert_in_range(n, H / distinct, H / distinct + 1);
            }
            continue;
        }
        of[distinct_values(episodes, H)]++; // 200 draws miss none of 6 episodes
    }
    assert_in_range(repeated, N / 10 - 95, N / 10 + 95); // 5 sigma
    for (int k = 1; k <= 3; k++)
        assert_in_range(by_distinct[k], repeated / 3 - 48, repeated / 3 + 48);
    for (int m = 1; m <= 6; m++) assert_in_range(of[m], 600 - 112, 600 + 112);
    assert_true(fabs(first / N - (d->rows - 1) / 2.0) < 5 * d->rows / sqrt(12.0 * N));
    bex_dataset_free(d);
}

static void few_rows_still_make_a_history(void **state) {
    (void)state;
    bex_dataset *d = rows_of((int[]){2}, 1);
    bex_training_history h = history_of(d, 5);
    h.repeat_probability = 1;
    int rows[5];
    for (int j = 0; j < 100; j++) {
        bex_training_history_draw(&h, 0, j, rows);
        for (int i = 0; i < 5; i++) assert_in_range(rows[i], 0, 1);
    }
    bex_real states[10];
    bex_dataset_gather(d, rows, 5, states);
    for (int i = 0; i < 5; i++) assert_true(states[2 * i] == R(rows[i]));
    bex_dataset_free(d);
}

static void refusals(void **state) {
    (void)state;
    bex_training_history h = BEX_TRAINING_HISTORY_INIT;
    h.trajectories = 0;
    assert_int_equal(bex_training_history_check(&h), -1);
    assert_message("1 to 64 trajectories, not 0");
    h.trajectories = 1, h.repeat_probability = NAN;
    assert_int_equal(bex_training_history_check(&h), -1);
    h.repeat_probability = 0, h.N = -1;
    assert_int_equal(bex_training_history_check(&h), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_same_histories),
        cmocka_unit_test(histories_follow_the_rule),
        cmocka_unit_test(few_rows_still_make_a_history),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
