/* `bex data import-kitchen` as a user runs it, and pictures of what it makes. */
#ifndef BEX_HAVE_HDF5
#include "test.h"
int main(void) {
    return skip_all("a build without HDF5");
}
#else
#include "cli/program.h"

#include "data/still_log.h"
#include "env/mj.h"

static char logs[512], data[512], command[2048];

static int make_logs(void **state) {
    (void)state;
    make m = make_open("still-logs.hdf5");
    add_still(&m, "friday_kettle_slide/demo_000");
    add_still(&m, "friday_microwave_kettle_switch_slide/demo_000");
    snprintf(logs, sizeof logs, "%s", make_close(&m));
    snprintf(data, sizeof data, "%s", scratch_path("still-kitchen.hdf5"));
    unlink(data);
    return 0;
}

static int remove_files(void **state) {
    (void)state;
    unlink(logs), unlink(data);
    return 0;
}

static void logs_are_imported_and_counted(void **state) {
    (void)state;
    snprintf(command, sizeof command, "data import-kitchen %s --out %s", logs, data);
    run r = run_program(command);
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.text, "slide cabinet         2        0    0.0 %    100.0 %"));
    assert_non_null(strstr(r.text, "10 rows in 2 episodes, 0 with all"));
    assert_refused(command, 1, "exists");
    unlink(data);
    strcat(command, " --env kitchen-complete --json");
    r = run_program(command);
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.text, "\"episodes\": 1"));
    assert_non_null(strstr(r.text, "\"task\": \"microwave\""));
}

static void what_was_imported_is_drawn(void **state) {
    (void)state;
    static const char *const all[][2] = {{"still.png", "--view map"},
                                         {"still.svg", ""},
                                         {"still.png", "--row 3"},
                                         {"still.mp4", ""}};
    for (int i = 0; i < 4; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s", scratch_path(all[i][0]));
        snprintf(command, sizeof command, "env kitchen-complete --data %s %s --render %s", data,
                 all[i][1], path);
        run r = run_program(command);
        if (r.code == 0) assert_int_equal(access(path, R_OK), 0);
        if (r.code != 0 && !strstr(r.text, "this build ") && !strstr(r.text, "no EGL") &&
            !strstr(r.text, "cannot run ffmpeg"))
            fail_msg("'bex %s': %s", command, r.text);
        unlink(path);
    }
}

static void mistakes_are_one_line(void **state) {
    (void)state;
    assert_refused("data import-kitchen", 2, "which file of logs?");
    assert_refused("data import-kitchen x.hdf5", 2, "--out FILE");
    assert_refused("data import-kitchen no/such.hdf5 --out none.hdf5", 1, "no/such.hdf5");
    assert_refused("data import-kitchen x.hdf5 --out none.hdf5 --env maze2d-umaze", 2,
                   "maze2d-umaze is not a kitchen");
    assert_refused("env kitchen --render x.gif", 1, "--data FILE");
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_are_imported_and_counted),
        cmocka_unit_test(what_was_imported_is_drawn),
        cmocka_unit_test(mistakes_are_one_line),
    };
    return cmocka_run_group_tests(tests, make_logs, remove_files);
}
#endif
