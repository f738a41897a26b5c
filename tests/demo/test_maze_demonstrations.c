/* Rows in pieces: boundaries, consecutive states, weights, equal bits for any thread count. */
#include "demo/maze_demonstrations.h"

#include "base/error.h"
#include "env/maze/maze2d.h"
#include "env/mj.h"

#include "test.h"

#include <math.h>
#include <omp.h>

static bex_world *world;

static bex_demonstrations *make(int rows, int episode_length, uint64_t seed, double noise,
                                const char *rare) {
    char keys[256];
    bex_demonstrations *d;
    snprintf(keys, sizeof keys, "episode_length=%d\nnoise=%g\nrare=%s", episode_length, noise,
             rare);
    if (bex_demonstrations_open(&d, world, keys, seed, rows) < 0) fail_msg("%s", bex_error());
    assert_int_equal(d->room, rows);
    if (bex_demonstrations_make(d, 0, rows) < 0) fail_msg("%s", bex_error());
    return d;
}

static void assert_same(const bex_demonstrations *a, const bex_demonstrations *b, int from,
                        int rows) {
    size_t n = (size_t)rows, f = (size_t)from;
    assert_memory_equal(a->obs + 4 * f, b->obs, n * 4 * sizeof *a->obs);
    assert_memory_equal(a->act + 2 * f, b->act, n * 2 * sizeof *a->act);
    assert_memory_equal(a->goal + 2 * f, b->goal, n * 2 * sizeof *a->goal);
    assert_memory_equal(a->reward + f, b->reward, n * sizeof *a->reward);
    assert_memory_equal(a->timeout + f, b->timeout, n);
}

static void same_bits_for_any_thread_count_and_cut(void **state) {
    (void)state;
    omp_set_num_threads(1);
    bex_demonstrations *one = make(50000, 0, 3, 0.2, "");
    for (int threads = 2; threads <= 4; threads++) {
        omp_set_num_threads(threads);
        bex_demonstrations *many = make(50000, 0, 3, 0.2, "");
        assert_same(one, many, 0, 50000);
        bex_demonstrations_free(many);
    }
    // pieces alone: the second by itself equals the second of all
    bex_demonstrations *part = make(20000, 0, 3, 0.2, "");
    assert_int_equal(bex_demonstrations_make(part, 1, 20000), 0);
    assert_same(one, part, 20000, 20000);
    bex_demonstrations *other = make(20000, 0, 4, 0.2, "");
    assert_memory_not_equal(one->obs, other->obs, 4 * sizeof *one->obs);
    bex_demonstrations_free(one), bex_demonstrations_free(part), bex_demonstrations_free(other);
}

/* Row t+1 is the state that action t leads to, also across a goal reached; jumps only where pieces
 * meet. Positions move by the new velocity times 0.01 s. */
static void rows_are_consecutive_states(void **state) {
    (void)state;
    bex_demonstrations *d = make(45000, 0, 1, 0, "");
    int goals = 0;
    for (int t = 0; t + 1 < 45000; t++) {
        const bex_real *s = d->obs + 4 * t, *n = s + 4;
        double error = fabs((double)(n[0] - s[0]) - 0.01 * (double)n[2]) +
                       fabs((double)(n[1] - s[1]) - 0.01 * (double)n[3]);
        if (t % 20000 == 19999) {
            assert_true(d->timeout[t]);
        } else {
            assert_true(error < 1e-5);
            goals += d->timeout[t];
            // the goal changes exactly behind a timeout
            assert_int_equal(memcmp(d->goal + 2 * t, d->goal + 2 * t + 2, 2 * sizeof *d->goal) != 0,
                             d->timeout[t]);
        }
        // reward of the state after the action: the goal of the maze is (6,6)
        if (t % 20000 != 19999)
            assert_true((d->reward[t] == 1) == (hypot((double)n[0] - 6, (double)n[1] - 6) <= 0.5));
        assert_false(d->terminal[t]);
    }
    assert_true(goals > 100);
    bex_demonstrations_free(d);
}

static void episodes_have_their_length(void **state) {
    (void)state;
    bex_demonstrations *d = make(1030, 100, 1, 0.3, "");
    for (int t = 0; t < 1030; t++) assert_int_equal(d->timeout[t], t % 100 == 99 || t == 1029);
    bex_demonstrations_free(d);
}

static void rare_goals_make_rare_regions(void **state) {
    (void)state;
    const bex_maze *m = bex_maze2d_maze(world);
    double share[2];
    for (int k = 0; k < 2; k++) {
        bex_demonstrations *d = make(60000, 300, 5, 0.1, k ? "4,1-6,2:0.02" : "");
        int inside = 0;
        for (int t = 0; t < 60000; t++) {
            int cell = bex_maze_cell_at(m, (double)d->obs[4 * t], (double)d->obs[4 * t + 1]);
            assert_true(cell >= 0);
            inside += m->at[cell][0] >= 4 && m->at[cell][1] <= 2;
        }
        share[k] = inside / 60000.0;
        bex_demonstrations_free(d);
    }
    assert_true(share[0] > 0.1 && share[1] < 0.7 * share[0]);
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    if (bex_world_open(&world, "maze2d-medium", NULL) < 0) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_for_any_thread_count_and_cut),
        cmocka_unit_test(rows_are_consecutive_states),
        cmocka_unit_test(episodes_have_their_length),
        cmocka_unit_test(rare_goals_make_rare_regions),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    bex_world_close(world);
    return failed;
}
