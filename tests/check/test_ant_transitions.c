/* Our ant against recorded transitions: a golden of our own, D4RL's slices where they are at hand, and
 * rows that must be told apart. */
#include "check/ant_transitions.h"

#include "base/error.h"
#include "data/load.h"
#include "env/mj.h"
#include "test.h"

#include <math.h>

static const char golden[] = BEX_SOURCE_DIR "/tests/golden/antmaze-medium.hdf5";

static bex_dataset *load(const char *path) {
    bex_load_options o = BEX_LOAD_INIT;
    bex_dataset *d = bex_dataset_load(path, &o);
    if (!d) fail_msg("%s", bex_error());
    return d;
}

static bex_ant_transitions replay(const char *world, const bex_dataset *d) {
    bex_world *w;
    bex_ant_transitions r;
    if (bex_world_open(&w, world, NULL) < 0 || bex_ant_transitions_run(&r, w, d) < 0)
        fail_msg("%s", bex_error());
    bex_world_close(w);
    return r;
}

/* How it was made: tests/golden/README.md. */
static void our_own_golden(void **state) {
    (void)state;
    bex_dataset *d = load(golden);
    assert_string_equal(bex_ant_transitions_world(golden, d), "antmaze-medium");
    bex_ant_transitions r = replay("antmaze-medium", d);
    assert_int_equal(r.rows, 297);
    assert_int_equal(r.resets, 2);
    assert_true(r.median <= 2e-6 && r.p99 <= 1e-5 && r.max < 1e-3);
    // another row's action, a thousandth of a torque, another maze: all noticed
    bex_real old = d->actions[8 * 50];
    d->actions[8 * 50] = R(old > 0 ? old - R(0.5) : old + R(0.5));
    bex_ant_transitions wrong = replay("antmaze-medium", d);
    assert_true(wrong.max > 1e-3 && wrong.max > 10 * r.max);
    d->actions[8 * 50] = old;
    for (int i = 0; i < d->rows; i++) d->actions[8 * i] *= R(0.999);
    wrong = replay("antmaze-medium", d);
    assert_true(wrong.median > 2e-6);
    bex_dataset_free(d);
}

static void d4rls_slices(void **state) {
    (void)state;
    static const char *const files[] = {
        "d4rl/antmaze-umaze-v0.hdf5", "d4rl/antmaze-medium-play-v0.hdf5",
        "d4rl/antmaze-medium-diverse-v0.hdf5", "d4rl/antmaze-large-diverse-v0.hdf5"};
    if (!shared_data(files[0])) {
        print_message("SKIP: no ../shared/data\n");
        skip();
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *path = shared_data(files[i]);
        bex_dataset *d = load(path);
        bex_ant_transitions r = replay(bex_ant_transitions_world(path, d), d);
        assert_true(r.rows >= d->rows - 3);
        assert_true(r.median <= 2e-6 && r.p99 <= 1e-5);
        bex_dataset_free(d);
    }
}

static void worlds_are_guessed_from_names_or_places(void **state) {
    (void)state;
    bex_dataset *d = load(golden);
    assert_string_equal(bex_ant_transitions_world("a/Ant_maze_hardest-maze_noisy.hdf5", d),
                        "antmaze-large");
    assert_string_equal(bex_ant_transitions_world("medium/antmaze-umaze-v2.hdf5", d),
                        "antmaze-umaze");
    assert_string_equal(bex_ant_transitions_world("mine.hdf5", d),
                        "antmaze-medium"); // by its cells
    for (int i = 0; i < d->rows; i++) d->observations[29 * i] = d->observations[29 * i + 1] = 0;
    assert_null(bex_ant_transitions_world("mine.hdf5", d));
    assert_message("more than one maze");
    bex_dataset_free(d);
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
#ifndef BEX_HAVE_HDF5
    return skip_all("this build has no HDF5");
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_own_golden),
        cmocka_unit_test(d4rls_slices),
        cmocka_unit_test(worlds_are_guessed_from_names_or_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
