/* Human kitchen logs from HDF5: order, choice, and what is refused. */
#ifndef BEX_HAVE_HDF5
#include "test.h"
int main(void) {
    return skip_all("a build without HDF5");
}
#else
#include "data/kitchen_logs.h"

#include "base/error.h"

#include "data/make_file.h"

#include <math.h>

static float numbers[12 * 30];

static void add_log(make *m, const char *log, hsize_t rows, hsize_t ctrl_rows, hsize_t width) {
    char key[200];
    snprintf(key, sizeof key, "%s/qpos", log);
    make_array(m, key, numbers, rows, width);
    snprintf(key, sizeof key, "%s/qvel", log);
    make_array(m, key, numbers, rows, 29);
    snprintf(key, sizeof key, "%s/ctrl", log);
    make_array(m, key, numbers, ctrl_rows, 9);
}

static void logs_come_by_group_then_number(void **state) {
    (void)state;
    for (int i = 0; i < 12 * 30; i++) numbers[i] = (float)i;
    make m = make_open("logs.hdf5");
    add_log(&m, "b_kettle/demo_10", 5, 5, 30);
    add_log(&m, "b_kettle/demo_9", 4, 4, 30);
    add_log(&m, "a_slide/demo_0", 3, 3, 30);
    const char *path = make_close(&m);
    bex_kitchen_logs logs;
    if (bex_kitchen_logs_load(&logs, path, 1) < 0) fail_msg("%s", bex_error());
    assert_int_equal(logs.count, 3);
    static const char *const names[] = {"a_slide/demo_0", "b_kettle/demo_9", "b_kettle/demo_10"};
    static const int start[] = {0, 3, 7, 12}, group[] = {0, 1, 1};
    for (int i = 0; i < 3; i++) {
        assert_string_equal(logs.names.text[i], names[i]);
        assert_int_equal(logs.group[i], group[i]);
        assert_int_equal(logs.start[i + 1], start[i + 1]);
        size_t at = (size_t)start[i];
        assert_true((double)logs.qpos[at * 30 + 31] == 31);
        assert_true((double)logs.qvel[at * 29 + 30] == 30);
        assert_true((double)logs.ctrl[at * 9 + 10] == 10);
    }
    bex_kitchen_logs_fini(&logs);
    assert_int_equal(bex_kitchen_logs_load(&logs, path, 2), 0);
    assert_int_equal(logs.count, 2);
    assert_string_equal(logs.names.text[1], "b_kettle/demo_9");
    bex_kitchen_logs_fini(&logs);
    unlink(path);
}

static void refuse(make *m, const char *part) {
    bex_kitchen_logs logs;
    const char *path = make_close(m);
    assert_true(bex_kitchen_logs_load(&logs, path, 1) < 0);
    assert_message(part);
    assert_message(path);
    unlink(path);
}

static void wrong_files_are_one_line(void **state) {
    (void)state;
    make m = make_open("empty.hdf5");
    refuse(&m, "no groups");
    m = make_open("narrow.hdf5");
    add_log(&m, "a_slide/demo_0", 4, 4, 29);
    refuse(&m, "'a_slide/demo_0/qpos' is not an array of 30 columns");
    m = make_open("uneven.hdf5");
    add_log(&m, "a_slide/demo_0", 4, 3, 30);
    refuse(&m, "'a_slide/demo_0/ctrl' has 3 rows");
    m = make_open("short.hdf5");
    add_log(&m, "a_slide/demo_0", 1, 1, 30);
    refuse(&m, "a log needs two");
    m = make_open("missing.hdf5");
    make_array(&m, "a_slide/demo_0/qpos", numbers, 4, 30);
    refuse(&m, "qvel");
    numbers[65] = (float)NAN;
    m = make_open("nan.hdf5");
    add_log(&m, "a_slide/demo_0", 4, 4, 30);
    refuse(&m, "'a_slide/demo_0/qpos' row 2 is not finite");
    bex_kitchen_logs logs;
    assert_true(bex_kitchen_logs_load(&logs, "/nowhere/x.hdf5", 1) < 0);
    assert_message("/nowhere/x.hdf5");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_come_by_group_then_number),
        cmocka_unit_test(wrong_files_are_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
