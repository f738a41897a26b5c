/* AntMaze rows: episodes of one length, consecutive states, D4RL's rewards, equal bits for any thread
 * count and however many walk together. */
#include "demo/ant_demonstrations.h"

#include "base/error.h"
#include "env/make_controller.h"
#include "env/maze/maze.h"
#include "env/mj.h"

#include <math.h>
#include <omp.h>

static bex_world *world;
static char controller[512];

static bex_demonstrations *make(bex_world *in, int rows, int length, uint64_t seed) {
    char keys[700];
    bex_demonstrations *d;
    int n = snprintf(keys, sizeof keys, "controller=%s\n", controller);
    if (length) snprintf(keys + n, sizeof keys - (size_t)n, "episode_length=%d", length);
    if (bex_demonstrations_open(&d, in, keys, seed, rows) < 0) fail_msg("%s", bex_error());
    if (bex_demonstrations_make(d, 0, rows) < 0) fail_msg("%s", bex_error());
    return d;
}

static void same_bits_for_any_thread_count_and_cut(void **state) {
    (void)state;
    enum { ROWS = 10 * 30 + 7 };
    omp_set_num_threads(1);
    bex_demonstrations *one = make(world, ROWS, 30, 3);
    omp_set_num_threads(2);
    bex_demonstrations *two = make(world, ROWS, 30, 3);
    assert_memory_equal(one->obs, two->obs, ROWS * 29 * sizeof *one->obs);
    assert_memory_equal(one->after, two->after, ROWS * 29 * sizeof *one->obs);
    assert_memory_equal(one->act, two->act, ROWS * 8 * sizeof *one->obs);
    assert_memory_equal(one->goal, two->goal, ROWS * 2 * sizeof *one->obs);
    assert_memory_equal(one->timeout, two->timeout, ROWS);
    // from the tenth episode on: other ants walk beside it
    assert_int_equal(bex_demonstrations_make(two, 9, 30), 0);
    assert_memory_equal(one->obs + 9 * 30 * 29, two->obs, 30 * 29 * sizeof *one->obs);
    assert_memory_equal(one->act + 9 * 30 * 8, two->act, 30 * 8 * sizeof *one->act);
    bex_demonstrations *other = make(world, 30, 30, 4);
    assert_memory_not_equal(one->obs, other->obs, 29 * sizeof *one->obs);
    bex_demonstrations_free(one), bex_demonstrations_free(two), bex_demonstrations_free(other);
}

static void rows_are_consecutive_states(void **state) {
    (void)state;
    enum { ROWS = 3 * 40 };
    bex_world *from; // one whose runs all start in cell 7
    char key[32];
    snprintf(key, sizeof key, "start=%d,%d", world->maze->at[7][0], world->maze->at[7][1]);
    assert_int_equal(bex_world_open(&from, world->name, &(bex_world_options){.keys = key}), 0);
    bex_demonstrations *d = make(from, ROWS, 40, 1);
    for (int t = 0; t < ROWS; t++) {
        const bex_real *obs = d->obs + (size_t)t * 29, *after = d->after + (size_t)t * 29;
        bool last = t % 40 == 39;
        assert_int_equal(d->timeout[t], last);
        if (!last) {
            assert_memory_equal(after, obs + 29, 29 * sizeof *obs);
            assert_memory_equal(d->goal + 2 * t, d->goal + 2 * t + 2, 2 * sizeof *d->goal);
        }
        if (t % 40 == 0) assert_int_equal(world->class->region(world, obs), 7);
        double d2 = hypot((double)after[0] - 20.75, (double)after[1] - 20.75);
        assert_int_equal(d->reward[t] > 0, d2 <= 0.5);
        assert_int_equal(d->terminal[t], d2 <= 0.5);
    }
    bex_demonstrations_free(d);
    bex_world_close(from);
    d = make(world, 3, 0, 1);
    assert_int_equal(bex_demonstrations_piece(d), 1001); // D4RL's
    bex_demonstrations_free(d);
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    small_controller net;
    const char *path = make_controller(&net, "demonstrator.safetensors", NULL);
    snprintf(controller, sizeof controller, "%s", path);
    if (bex_world_open(&world, "antmaze-medium", NULL) < 0) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_for_any_thread_count_and_cut),
        cmocka_unit_test(rows_are_consecutive_states),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(controller);
    bex_world_close(world);
    return code;
}
