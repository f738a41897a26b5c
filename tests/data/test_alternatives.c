/* Alternatives: against brute force, one a pass, never the query's own pass. */
#include "data/alternatives.h"

#include "base/error.h"
#include "base/rng.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

enum { EPISODES = 6, LENGTH = 200, ROWS = EPISODES * LENGTH, D = 2, APART = 20, FUTURE = 20 };

static bex_real place[ROWS * D];

// random walks that cross one another often
static bex_dataset *walks(void) {
    int *start = malloc(sizeof *start * (EPISODES + 1));
    for (int e = 0; e <= EPISODES; e++) start[e] = e * LENGTH;
    bex_dataset *d = bex_dataset_new();
    assert_int_equal(bex_dataset_allocate(d, ROWS, D, 1, 0, 0), 0);
    assert_int_equal(bex_dataset_take_episodes(d, start, EPISODES), 0);
    bex_rng g = bex_rng_seed(3);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < D; c++) {
            bex_real before = r % LENGTH ? place[(r - 1) * D + c] : 0;
            place[r * D + c] = before + R(0.3 * bex_rng_normal(&g));
        }
    return d;
}

static double distance(int a, int b) {
    double x = (double)(place[a * D] - place[b * D]),
           y = (double)(place[a * D + 1] - place[b * D + 1]);
    return x * x + y * y;
}

static bex_alternatives *alternatives_of(const bex_windows *w, int apart) {
    long long starts = bex_windows_starts(w);
    bex_real *points = malloc((size_t)starts * D * sizeof *points);
    for (long long j = 0; j < starts; j++)
        for (int c = 0; c < D; c++) points[j * D + c] = place[bex_windows_at(w, j).row * D + c];
    bex_alternatives *a = bex_alternatives_new(w, points, D, apart);
    if (!a) fail_msg("%s", bex_error());
    free(points);
    return a;
}

// the same, looking at every start
static int slowly(const bex_windows *w, int row, int k, bex_window *found) {
    int n = 0;
    while (n < k) {
        double best = (double)INFINITY;
        for (long long j = 0; j < bex_windows_starts(w); j++) {
            bex_window x = bex_windows_at(w, j);
            bool had = abs(x.row - row) < APART && x.row / LENGTH == row / LENGTH;
            for (int i = 0; i < n; i++)
                had |= x.episode == found[i].episode && abs(x.row - found[i].row) < APART;
            if (had || distance(x.row, row) >= best) continue;
            best = distance(x.row, row), found[n] = x;
        }
        if (best == (double)INFINITY) break;
        n++;
    }
    return n;
}

static void the_nearest_of_each_pass(void **state) {
    (void)state;
    bex_dataset *d = walks();
    bex_window_options o = BEX_WINDOW_INIT;
    o.future = FUTURE;
    bex_windows *w = bex_windows_new(d, &o);
    bex_alternatives *a = alternatives_of(w, APART);
    for (int row = 0; row < ROWS; row += 17) {
        bex_window found[8], expected[8];
        int n = bex_alternatives_find(a, place + row * D, row, 8, found);
        assert_int_equal(n, slowly(w, row, 8, expected));
        for (int i = 0; i < n; i++) {
            assert_int_equal(found[i].row, expected[i].row);
            assert_int_equal(found[i].episode, expected[i].episode);
            assert_int_equal(found[i].future_rows, FUTURE + 1);
        }
    }
    // a query from elsewhere has no pass of its own
    bex_window first;
    assert_int_equal(bex_alternatives_find(a, place + 5 * D, -1, 1, &first), 1);
    assert_int_equal(first.row, 5);
    bex_alternatives_free(a);
    bex_windows_free(w);
    bex_dataset_free(d);
}

static void fewer_where_there_are_no_more(void **state) {
    (void)state;
    bex_dataset *d = walks();
    bex_window_options o = BEX_WINDOW_INIT;
    o.future = LENGTH - 1; // one window an episode
    bex_windows *w = bex_windows_new(d, &o);
    bex_alternatives *a = alternatives_of(w, LENGTH);
    bex_window found[32];
    assert_int_equal(bex_alternatives_find(a, place, 0, 32, found), EPISODES - 1);
    assert_int_equal(bex_alternatives_find(a, place, -1, 32, found), EPISODES);
    bex_alternatives_free(a);
    bex_windows_free(w);
    bex_dataset_free(d);
}

static void rows_that_start_a_window(void **state) {
    (void)state;
    bex_dataset *d = walks();
    bex_window_options o = BEX_WINDOW_INIT;
    o.future = FUTURE;
    bex_windows *w = bex_windows_new(d, &o);
    for (int row = 0; row < ROWS; row++) {
        bex_window x = {0};
        bool starts = row % LENGTH < LENGTH - FUTURE;
        assert_int_equal(bex_windows_of_row(w, row, &x), starts);
        if (starts) assert_int_equal(x.row, row);
        if (starts) assert_int_equal(x.episode, row / LENGTH);
    }
    bex_windows_free(w);
    bex_dataset_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_of_each_pass),
        cmocka_unit_test(fewer_where_there_are_no_more),
        cmocka_unit_test(rows_that_start_a_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
