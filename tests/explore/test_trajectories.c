/* The rows of an exploration from disk: what was saved, and files that are none. */
#include "explore/trajectories.h"

#include "base/error.h"
#include "data/hdf5.h"
#include "data/writer.h"

#include "test.h"

enum { ROWS = 6, O = 3, A = 2 };

static char path[600];

// false: this build has no HDF5
static bool write_rows(const int *trial, const int *episode, int columns) {
    const bex_column all[] = {{"observations", BEX_COLUMN_FLOAT32, O},
                              {"actions", BEX_COLUMN_FLOAT32, A},
                              {"infos/trial", BEX_COLUMN_INT32, 0},
                              {"infos/episode", BEX_COLUMN_INT32, 0}};
    bex_real obs[ROWS * O], act[ROWS * A];
    for (int i = 0; i < ROWS * O; i++) obs[i] = R(i);
    for (int i = 0; i < ROWS * A; i++) act[i] = R(-i);
    const void *blocks[] = {obs, act, trial, episode};
    bex_writer *w = NULL;
    unlink(path);
    int code = bex_writer_open(&w, path, all, columns);
    if (code == 0) code = bex_writer_append(w, ROWS, blocks);
    if (code == 0) code = bex_writer_commit(w);
    bex_writer_free(w);
    if (code < 0 && !strstr(bex_error(), "HDF5")) fail_msg("%s", bex_error());
    return code == 0;
}

static void refused(const char *part) {
    bex_trajectories t;
    assert_int_equal(bex_trajectories_load(&t, path), -1);
    if (!strstr(bex_error(), part) || !strstr(bex_error(), path)) fail_msg("%s", bex_error());
    bex_trajectories_fini(&t);
}

static void episodes_are_found(void **state) {
    (void)state;
    static const int trial[] = {0, 0, 0, 1, 1, 1}, episode[] = {0, 0, 1, 0, 1, 1};
    static const int start[] = {0, 2, 3, 4, 6};
    if (!write_rows(trial, episode, 4)) skip();
    bex_trajectories t;
    if (bex_trajectories_load(&t, path) < 0) fail_msg("%s", bex_error());
    assert_int_equal(t.O, O);
    assert_int_equal(t.A, A);
    assert_int_equal(t.rows, ROWS);
    assert_int_equal(t.trials, 2);
    assert_int_equal(t.episodes, 4);
    assert_memory_equal(t.start, start, sizeof start);
    assert_memory_equal(t.trial, ((int[]){0, 0, 1, 1}), 4 * sizeof(int));
    for (int i = 0; i < ROWS * O; i++) assert_true(t.obs[i] == R(i));
    for (int i = 0; i < ROWS * A; i++) assert_true(t.act[i] == R(-i));
    bex_trajectories_fini(&t);
}

static void other_files_are_refused(void **state) {
    (void)state;
    static const int zeros[ROWS], back[] = {0, 0, 1, 0, 0, 0}, gap[] = {0, 0, 2, 2, 2, 2};
    if (!write_rows(zeros, zeros, 2)) skip();
    refused("infos/trial"); // demonstrations
    write_rows(back, zeros, 4);
    refused("out of order");
    write_rows(zeros, gap, 4);
    refused("row 2 begins episode 2 of trial 0, out of order");
    unlink(path);
    refused("");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(episodes_are_found),
        cmocka_unit_test(other_files_are_refused),
    };
    snprintf(path, sizeof path, "%s", scratch_path("rows.hdf5"));
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
