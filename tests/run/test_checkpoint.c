/* What going on does about checkpoints that a kill left: run/checkpoint.h. */
#include "run/checkpoint.h"

#include "base/file.h"
#include "host/folder.h"

#include "test.h"

static char run[512];

static void put(const char *folder, const char *name) {
    char path[1400];
    bex_file_out out;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(bex_file_create(&out, path, 1), 0);
    fputs(name, out.stream);
    assert_int_equal(bex_file_commit(&out), 0);
}

static void save(long long step, double score, int keep) {
    char folder[BEX_PATH_SIZE];
    assert_int_equal(bex_checkpoint_begin(folder, run, step), 0);
    put(folder, "model.safetensors");
    put(folder, "state.safetensors");
    assert_int_equal(bex_checkpoint_commit(run, step, score, keep), 0);
}

// steps of what is there, as "1 6 7"
static void assert_steps(const char *expected) {
    char text[100] = "";
    bex_checkpoint *list;
    int count = bex_checkpoint_list(&list, run);
    for (int i = 0, n = 0; i < count; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%lld", i ? " " : "", list[i].step);
    free(list);
    assert_string_equal(text, expected);
}

static int begin(void **state) {
    (void)state;
    snprintf(run, sizeof run, "%s", scratch_path("run"));
    return bex_folder_make(run) < 0 || bex_checkpoint_tidy(run, 0) < 0;
}

static int end(void **state) {
    (void)state;
    return bex_folder_remove(run);
}

// keep = 0 leaves what a commit does that is killed before it deletes
static void deletes_what_a_commit_could_not(void **state) {
    (void)state;
    for (int i = 1; i <= 7; i++) save(i, i, 0);
    assert_steps("1 2 3 4 5 6 7");
    assert_int_equal(bex_checkpoint_tidy(run, 2), 0);
    assert_steps("1 6 7"); // the best, and the newest two
    assert_int_equal(bex_checkpoint_tidy(run, 0), 0);
    assert_steps("1 6 7");
}

static void deletes_nothing_that_alone_can_be_gone_on_from(void **state) {
    (void)state;
    char path[1400];
    for (int i = 1; i <= 4; i++) save(i, i, 0);
    snprintf(path, sizeof path, "%s/checkpoints/4/state.safetensors", run);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(bex_checkpoint_tidy(run, 1), 0);
    assert_steps("1 2 3 4");
    save(4, 4, 1);
    assert_steps("1 4");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(deletes_what_a_commit_could_not, begin, end),
        cmocka_unit_test_setup_teardown(deletes_nothing_that_alone_can_be_gone_on_from, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
