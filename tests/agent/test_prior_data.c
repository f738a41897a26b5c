/* Demonstrations as transitions: chunks that stay in their episode and overlap, a rewarded last row, draws
 * with and without replacement. */
#include "agent/rl/prior_data.h"

#include "base/error.h"

#include "test.h"

enum { ROWS = 12 };

// three episodes of 5, 3 and 4 rows; row i is (i, -i), action i / 100; the second ends terminal
static bex_dataset *numbered(void) {
    bex_dataset *d = bex_dataset_new();
    int *start = malloc(4 * sizeof *start);
    static const int begins[] = {0, 5, 8, 12};
    assert_int_equal(bex_dataset_allocate(d, ROWS, 2, 1, 0, 0), 0);
    memcpy(start, begins, sizeof begins);
    assert_int_equal(bex_dataset_take_episodes(d, start, 3), 0);
    for (int i = 0; i < ROWS; i++) {
        d->observations[2 * i] = R(i), d->observations[2 * i + 1] = R(-i);
        d->actions[i] = R(i / 100.0);
    }
    d->terminals[7] = 1;
    return d;
}

static void read_actions(const void *payload, bex_arena *arena, const bex_dataset *d,
                         const int *row, const int *next, int n, bex_real *out) {
    (void)arena, (void)next;
    for (int i = 0; i < n; i++) out[i] = d->actions[row[i]] + R(*(const int *)payload);
}

static void expect(int H, const int (*chunks)[2], int n) {
    bex_dataset *d = numbered();
    bex_prior_data p;
    bex_transitions t;
    int add = H;
    assert_int_equal(bex_prior_data_init(&p, d, 1, 1, H, read_actions, &add), 0);
    assert_int_equal(p.n, n);
    assert_int_equal(bex_transitions_init(&t, 1, 1, 1), 0);
    for (int i = 0; i < n; i++) {
        bex_prior_data_put(&p, i, &t, 0);
        assert_true(t.obs[0] == R(chunks[i][0]) && t.next[0] == R(chunks[i][1]));
        assert_true(t.act[0] == R(chunks[i][0] / 100.0) + R(H));
    }
    bex_transitions_fini(&t);
    bex_prior_data_fini(&p);
    bex_dataset_free(d);
}

static void chunks_stay_in_their_episode(void **state) {
    (void)state;
    // a row that ends terminal is kept, its state standing for the one after
    static const int one[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4},  {5, 6},
                                 {6, 7}, {7, 7}, {8, 9}, {9, 10}, {10, 11}};
    static const int three[][2] = {{0, 3}, {1, 4}, {8, 11}};
    expect(1, one, 10);
    expect(3, three, 3);
    bex_dataset *d = numbered();
    bex_prior_data p;
    int add = 0;
    assert_int_equal(bex_prior_data_init(&p, d, 1, 1, 5, read_actions, &add), -1);
    assert_message("no episode of the demonstrations has 6 rows");
    bex_prior_data_fini(&p);
    bex_dataset_free(d);
}

static void draws(void **state) {
    (void)state;
    bex_dataset *d = numbered();
    bex_prior_data p;
    int add = 0, out[8], seen[64], times[10] = {0};
    bex_rng g = bex_rng_seed(1);
    assert_int_equal(bex_prior_data_init(&p, d, 2, 1, 1, read_actions, &add), 0);
    assert_true(bex_prior_seen(8) <= 64);
    for (int round = 0; round < 2000; round++) {
        int own[10] = {0};
        bex_prior_data_draw(&p, &g, seen, out, 8);
        for (int i = 0; i < 8; i++) {
            assert_int_equal(own[out[i]]++, 0);
            times[out[i]]++;
        }
    }
    for (int i = 0; i < 10; i++) assert_true(abs(times[i] - 1600) < 100);
    bool twice = false;
    for (int round = 0; round < 20; round++) {
        bex_prior_data_draw(&p, &g, NULL, out, 8);
        for (int i = 1; i < 8; i++) twice = twice || out[i] == out[0];
    }
    assert_true(twice);
    bex_prior_data_fini(&p);
    bex_dataset_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_stay_in_their_episode),
        cmocka_unit_test(draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
