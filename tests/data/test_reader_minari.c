/* Minari: Dict observations in order, the spare last observation, metadata.json. */
#include "data/load.h"

#include "test.h"

#ifndef BEX_HAVE_HDF5
int main(void) {
    return skip_all("a build without HDF5");
}
#else
#include "base/error.h"
#include "data/make_file.h"

#include <sys/stat.h>

static char folder[480];

static make open_main(void) {
    snprintf(folder, sizeof folder, "%s", scratch_path("minari"));
    mkdir(folder, 0755);
    make m;
    snprintf(m.path, sizeof m.path, "%s/main_data.hdf5", folder);
    m.file = H5Fcreate(m.path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    return m;
}

static void metadata(const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s/metadata.json", folder);
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
}

static void clean(void) {
    char path[512];
    snprintf(path, sizeof path, "%s/main_data.hdf5", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/metadata.json", folder);
    unlink(path);
    rmdir(folder);
}

static void episode(make *m, int i, int steps, int dict, int spare) {
    char key[80];
    unsigned char *flag = calloc((size_t)steps, 1);
    float at = 10000.0f * (float)i;
    if (dict) {
        static const char *const names[] = {"observation", "desired_goal", "achieved_goal"};
        for (int k = 0; k < 3; k++) {
            snprintf(key, sizeof key, "episode_%d/observations/%s", i, names[k]);
            make_ramp_array(m, key, steps + spare, k ? 2 : 4, at + 10.0f * (float)k);
        }
    } else {
        snprintf(key, sizeof key, "episode_%d/observations", i);
        make_ramp_array(m, key, steps + spare, 3, at);
    }
    snprintf(key, sizeof key, "episode_%d/actions", i);
    make_ramp_array(m, key, steps, 2, at);
    snprintf(key, sizeof key, "episode_%d/rewards", i);
    make_ramp_array(m, key, steps, 0, at);
    flag[steps - 1] = 1;
    snprintf(key, sizeof key, "episode_%d/truncations", i);
    make_flags(m, key, flag, (hsize_t)steps);
    flag[steps - 1] = 0;
    snprintf(key, sizeof key, "episode_%d/terminations", i);
    make_flags(m, key, flag, (hsize_t)steps);
    free(flag);
}

static void dict_observations(void **state) {
    (void)state;
    make m = open_main();
    for (int i = 0; i < 12; i++) episode(&m, i, 3 + i, 1, 1); // episode_10 sorts after episode_9
    make_close(&m);
    metadata("{\"total_episodes\": 12, \"data_format\": \"hdf5\", \"env_spec\": \"{\\\"id\\\": "
             "\\\"PointMaze-v3\\\"}\"}");
    bex_dataset *d = bex_dataset_load(folder, &BEX_LOAD_INIT); // the directory
    if (!d) fail_msg("%s", bex_error());
    assert_string_equal(d->kind, "minari");
    assert_int_equal(d->episodes, 12);
    assert_int_equal(d->O, 8);
    assert_int_equal(d->A, 2);
    assert_string_equal(d->keys.text[0], "observations/achieved_goal");
    assert_string_equal(d->keys.text[2], "observations/observation");
    for (int e = 0; e < 12; e++) {
        assert_int_equal(bex_dataset_length(d, e), 3 + e);
        for (int t = 0; t < 3 + e; t++) {
            const bex_real *s = d->observations + (size_t)(d->start[e] + t) * 8;
            bex_real at = R(10000 * e + 100 * t);
            assert_true(s[0] == at + 20 && s[1] == at + 21); // achieved_goal
            assert_true(s[2] == at + 10 && s[3] == at + 11); // desired_goal
            assert_true(s[4] == at && s[7] == at + 3);       // observation
            assert_true(d->actions[(d->start[e] + t) * 2 + 1] == at + 1);
            assert_true(d->rewards[d->start[e] + t] == at);
            assert_int_equal(d->timeouts[d->start[e] + t], t == 2 + e);
        }
    }
    assert_string_equal(d->tasks.text[d->task[5]], "PointMaze-v3");
    bex_dataset_free(d);
    // chosen keys, in the order given
    bex_load_options o = BEX_LOAD_INIT;
    o.keys = "observation, achieved_goal";
    o.limit = 2;
    d = bex_dataset_load(m.path, &o);
    if (!d) fail_msg("%s", bex_error());
    assert_int_equal(d->O, 6);
    assert_int_equal(d->episodes, 2);
    assert_true(d->observations[0] == 0 && d->observations[4] == 20);
    bex_dataset_free(d);
    o.keys = "observatoin";
    assert_null(bex_dataset_load(m.path, &o));
    assert_message("'episode_0/observations/observatoin' is missing");
    clean();
}

static void plain_observations(void **state) {
    (void)state;
    make m = open_main();
    episode(&m, 0, 4, 0, 1);
    episode(&m, 1, 5, 0, 1);
    make_close(&m);
    bex_dataset *d = bex_dataset_load(m.path, &BEX_LOAD_INIT); // no metadata.json
    if (!d) fail_msg("%s", bex_error());
    assert_int_equal(d->rows, 9);
    assert_int_equal(d->O, 3);
    assert_true(d->observations[4 * 3] == R(10000));
    bex_dataset_free(d);
    metadata("{\"total_episodes\": 3}");
    assert_null(bex_dataset_load(m.path, &BEX_LOAD_INIT));
    assert_message("says 3 episodes, the file holds 2");
    metadata("{\"data_format\": \"arrow\"}");
    assert_null(bex_dataset_load(m.path, &BEX_LOAD_INIT));
    assert_message("arrow");
    metadata("{not json");
    assert_null(bex_dataset_load(m.path, &BEX_LOAD_INIT));
    assert_message("metadata.json");
    clean();
}

static void bad_episodes(void **state) {
    (void)state;
    make m = open_main();
    episode(&m, 0, 4, 0, 1);
    episode(&m, 1, 5, 0, 3); // three observations too many
    make_close(&m);
    assert_null(bex_dataset_load(m.path, &BEX_LOAD_INIT));
    assert_message("'episode_1/observations' has 8 rows, the actions have 5");
    m = open_main();
    episode(&m, 0, 4, 0, 1);
    make_ramp_array(&m, "episode_1/observations", 5, 3, 0);
    make_close(&m);
    assert_null(bex_dataset_load(m.path, &BEX_LOAD_INIT));
    assert_message("'episode_1/actions' is missing");
    m = open_main();
    episode(&m, 0, 4, 0, 1);
    make_ramp_array(&m, "episode_1/observations", 5, 4, 0);
    make_ramp_array(&m, "episode_1/actions", 4, 2, 0);
    make_close(&m);
    assert_null(bex_dataset_load(m.path, &BEX_LOAD_INIT));
    assert_message("'episode_1/observations' has 4 columns, before it 3");
    clean();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(dict_observations),
                                       cmocka_unit_test(plain_observations),
                                       cmocka_unit_test(bad_episodes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
