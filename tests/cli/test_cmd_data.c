/* `bex data show` and `convert` as a user runs them: exit codes, one line on failure, nothing written. */
#include "test.h"

#ifndef BEX_HAVE_HDF5
int main(void) {
    return skip_all("a build without HDF5");
}
#else
#include "base/error.h"
#include "cli/program.h"
#include "data/load.h"
#include "data/make_pictures.h"
#include "env/mj.h"
#include "host/json.h"

#include <math.h>

// the run of `bex ARGUMENTS`, which must succeed
static run bex(const char *fmt, ...) {
    char arguments[1500];
    va_list args;
    va_start(args, fmt);
    vsnprintf(arguments, sizeof arguments, fmt, args);
    va_end(args);
    run r = run_program(arguments);
    if (r.code != 0) fail_msg("'bex %s' gave code %d and: %s", arguments, r.code, r.text);
    return r;
}

static void fails(int code, const char *part, const char *arguments) {
    assert_refused(arguments, code, part);
}

static make small(void) {
    make m = make_open("cli.hdf5");
    make_d4rl(&m);
    make_close(&m);
    return m;
}

static void shows(void **state) {
    (void)state;
    run r;
    make m = small();
    char png[600];
    snprintf(png, sizeof png, "%s.png", m.path);
    r = bex("data show %s --plot %s", m.path, png);
    assert_non_null(strstr(r.text, "3, of 3 to 4 rows"));
    assert_non_null(strstr(r.text, "outside [-1, 1] in columns 0, 1"));
#ifdef BEX_HAVE_CAIRO
    assert_int_equal(access(png, R_OK), 0);
#endif
    unlink(png);
    r = bex("data show %s --json", m.path);
    json_t *j = json_loads(r.text, 0, NULL);
    assert_non_null(j);
    assert_string_equal(json_string_value(json_object_get(j, "kind")), "d4rl");
    assert_int_equal(json_integer_value(json_object_get(j, "episodes")), 3);
    assert_int_equal(json_array_size(json_object_get(j, "observations")), 3);
    json_decref(j);
    unlink(m.path);
}

// NaN is what one wants to see: reported, not refused; --json stays JSON
static void shows_nan(void **state) {
    (void)state;
    run r;
    make m = make_open("cli.hdf5");
    float *v = make_ramp(10, 2, 0);
    v[7] = (float)NAN;
    make_array(&m, "observations", v, 10, 2);
    make_array(&m, "actions", v, 10, 2);
    make_array(&m, "rewards", v, 10, 0);
    free(v);
    make_close(&m);
    r = bex("data show %s", m.path);
    assert_non_null(strstr(r.text, "observations: NaN or infinite values in columns 1"));
    r = bex("data show %s --json", m.path);
    json_t *j = json_loads(r.text, 0, NULL);
    assert_non_null(j);
    json_decref(j);
    char out[600];
    snprintf(out, sizeof out, "%s.out", m.path);
    char command[1300];
    snprintf(command, sizeof command, "data convert %s %s", m.path, out);
    fails(1, "'observations' has a NaN or infinite value in row 3", command);
    assert_int_equal(access(out, F_OK), -1);
    unlink(m.path);
}

static void converts(void **state) {
    (void)state;
    run r;
    make m = small();
    char out[600], valid[700], command[1500];
    snprintf(out, sizeof out, "%s", scratch_path("converted.hdf5"));
    snprintf(valid, sizeof valid, "%s", scratch_path("converted-valid.hdf5"));
    r = bex("data convert %s %s --split 0.7 --seed 4", m.path, out);
    bex_dataset *a = bex_dataset_load(out, &BEX_LOAD_INIT),
                *b = bex_dataset_load(valid, &BEX_LOAD_INIT);
    assert_true(a && b);
    assert_int_equal(a->episodes, 2);
    assert_int_equal(b->episodes, 1);
    assert_int_equal(a->rows + b->rows, 10);
    assert_true(a->observations[0] != b->observations[0]);
    bex_dataset_free(a), bex_dataset_free(b);
    // existing outputs and in place: refused
    snprintf(command, sizeof command, "data convert %s %s", m.path, out);
    fails(1, "exists (it is never overwritten)", command);
    unlink(out);
    snprintf(command, sizeof command, "data convert %s %s --split 0.5", m.path, out);
    fails(1, "exists", command);
    assert_int_equal(access(out, F_OK), -1); // neither part
    snprintf(command, sizeof command, "data convert %s %s", m.path, m.path);
    fails(1, "in place", command);
    unlink(valid);
    r = bex("data convert %s %s --min-length 4", m.path, out);
    assert_non_null(strstr(r.text, "1 episodes, 4 rows"));
    unlink(out);
    snprintf(command, sizeof command, "data convert %s %s --split 0.01", m.path, out);
    fails(1, "leaves one part empty", command);
    snprintf(command, sizeof command, "data convert %s /nowhere/x.hdf5", m.path);
    fails(1, "/nowhere/x.hdf5", command);
    unlink(m.path);
}

// every byte of the pictures, the labels and the states; smaller ones, chosen ones, none; gzip unpacked
static void converts_pictures(void **state) {
    (void)state;
    make m = make_open("cli-pictures.hdf5");
    pictured p = {.cameras = {"front_image", "wrist_image", NULL},
                  .demos = 3,
                  .rows = 5,
                  .height = 6,
                  .width = 4,
                  .chunk = {2, 6, 4, 3},
                  .gzip = 1};
    char out[600], command[1500];
    make_robomimic(&m, &p);
    make_close(&m);
    snprintf(out, sizeof out, "%s", scratch_path("converted-pictures.hdf5"));
    bex("data convert %s %s", m.path, out);
    bex_load_options all = BEX_LOAD_INIT;
    all.images = "all";
    bex_dataset *d = bex_dataset_load(out, &all);
    if (!d) fail_msg("%s", bex_error());
    assert_int_equal(d->rows, 15);
    assert_int_equal(bex_dataset_cameras(d), 2);
    unsigned char picture[6 * 4 * 3];
    for (int r = 0; r < 15; r++)
        for (int c = 0; c < 2; c++) {
            assert_int_equal(bex_pictures_read(d->pictures, d->frames[r], c, picture), 0);
            for (int i = 0; i < (int)sizeof picture; i++)
                assert_int_equal(picture[i], tone_of(r, c, i / 12, i / 3 % 4, i % 3));
        }
    bex_dataset_free(d), unlink(out);
    // two episodes of one camera, turned square
    bex("data convert %s %s --images wrist_image --image-size 8 --limit 2", m.path, out);
    d = bex_dataset_load(out, &all);
    if (!d) fail_msg("%s", bex_error());
    assert_int_equal(d->episodes, 2);
    assert_int_equal(bex_dataset_cameras(d), 1);
    assert_string_equal(d->cameras.text[0], "wrist_image");
    assert_int_equal(bex_pictures_height(d->pictures), 8);
    assert_int_equal(bex_pictures_width(d->pictures), 8);
    bex_dataset_free(d), unlink(out);
    bex("data convert %s %s --images none", m.path, out);
    d = bex_dataset_load(out, &BEX_LOAD_INIT);
    if (!d) fail_msg("%s", bex_error());
    assert_int_equal(d->cameras.count, 0);
    bex_dataset_free(d), unlink(out);
    snprintf(command, sizeof command, "data convert %s %s --images side_image", m.path, out);
    fails(1, "side_image", command);
    snprintf(command, sizeof command, "data convert %s %s --layout d4rl", m.path, out);
    run r = run_program(command);
    assert_int_equal(r.code, 1);
    assert_non_null(strstr(r.text, "d4rl's layout has no pictures"));
    assert_int_equal(access(out, F_OK), -1);
    unlink(m.path);
}

static void usage(void **state) {
    (void)state;
    fails(2, "did you mean show?", "data shwo");
    fails(2, "which file?", "data show");
    fails(2, "two paths", "data convert x");
    fails(2, "did you mean --split", "data convert x y --splt 0.9");
    fails(2, "no rule 'jump'", "data show x --split-at jump");
    fails(2, "--episode-length", "data show x --split-at length");
    fails(2, "--position", "data show x --position 1");
    fails(1, "No such file", "data show /nowhere/x.hdf5");
    fails(1, "no format 'zarr'", "data show x --format zarr");
    bex("data show --help");
    bex("data --help");
    make m = small();
    char command[700];
    snprintf(command, sizeof command, "data show %s --plot %s.png --dims 0,3", m.path, m.path);
    fails(1, "numbers from 0 to 2", command);
    snprintf(command, sizeof command, "data show %s --plot %s.bmp", m.path, m.path);
    fails(1, ".bmp", command);
    unlink(m.path);
}

static void real_files(void **state) {
    (void)state;
    const char *path = shared_data("d4rl/hopper_medium-v2.hdf5");
    if (!path) {
        print_message("SKIP: the real files are absent\n");
        return;
    }
    char out[600];
    snprintf(out, sizeof out, "%s", scratch_path("hopper.hdf5"));
    bex("data show %s", path);
    bex("data convert %s %s", path, out);
    bex_dataset *a = bex_dataset_load(path, &BEX_LOAD_INIT),
                *b = bex_dataset_load(out, &BEX_LOAD_INIT);
    assert_true(a && b);
    assert_int_equal(b->episodes, a->episodes);
    assert_memory_equal(a->observations, b->observations,
                        sizeof(bex_real) * (size_t)(a->rows * a->O));
    assert_memory_equal(a->start, b->start, sizeof(int) * (size_t)(a->episodes + 1));
    bex_dataset_free(a), bex_dataset_free(b);
    unlink(out);
}

static void a_replay_asks_for_its_meshes(void **state) {
    (void)state;
    if (!bex_mj_version()) return;
    char arguments[1500], lift[512], robosuite[512];
    fails(2, "--robosuite: no directory '/nowhere'",
          "data import-libero x.hdf5 --robosuite /nowhere");
    fails(1, "'x.hdf5': cannot be opened", "data import-libero x.hdf5");
    fails(2, "--libero: no directory '/nowhere'", "data import-libero x.hdf5 --libero /nowhere");
    if (!shared_data("robosuite/robots") ||
        !shared_data("robosuite_demos/robomimic_ph_lift_low_dim.hdf5")) {
        print_message("SKIP: needs ../shared/data/robosuite_demos and robosuite\n");
        return;
    }
    snprintf(robosuite, sizeof robosuite, "%s", shared_data("robosuite"));
    snprintf(lift, sizeof lift, "%s",
             shared_data("robosuite_demos/robomimic_ph_lift_low_dim.hdf5"));
    snprintf(arguments, sizeof arguments, "data import-libero %s", lift);
    fails(1, "(where are they? --libero, --robosuite)", arguments);
    bex("data import-libero %s --robosuite %s", lift, robosuite);
}

int main(void) {
    char program[512];
    snprintf(program, sizeof program, "%s/bin/bex", BEX_BINARY_DIR);
    if (access(program, X_OK) != 0) return skip_all("bin/bex is not built");
    const struct CMUnitTest tests[] = {cmocka_unit_test(shows),
                                       cmocka_unit_test(shows_nan),
                                       cmocka_unit_test(converts),
                                       cmocka_unit_test(converts_pictures),
                                       cmocka_unit_test(usage),
                                       cmocka_unit_test(real_files),
                                       cmocka_unit_test(a_replay_asks_for_its_meshes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
