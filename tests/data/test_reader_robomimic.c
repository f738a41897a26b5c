/* robomimic and LIBERO: numeric order, keys, masks, labels, directories of files. */
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

static void demo(make *m, int i, int steps, int libero) {
    static const char *const robomimic_keys[] = {"robot0_eef_pos", "object"};
    static const char *const libero_keys[] = {"joint_states", "gripper_states"};
    char key[120];
    float at = 10000.0f * (float)i;
    for (int k = 0; k < 2; k++) {
        snprintf(key, sizeof key, "data/demo_%d/obs/%s", i,
                 (libero ? libero_keys : robomimic_keys)[k]);
        make_ramp_array(m, key, steps, 3 - k, at + 10.0f * (float)k);
    }
    // an image: rank 4, never read
    snprintf(key, sizeof key, "data/demo_%d/obs/agentview_rgb", i);
    hsize_t dims[4] = {(hsize_t)steps, 2, 2, 3};
    unsigned char *pixels = calloc((size_t)steps, 12);
    hid_t space = H5Screate_simple(4, dims, NULL);
    hid_t set =
        H5Dcreate2(m->file, key, H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, pixels);
    H5Dclose(set), H5Sclose(space);
    snprintf(key, sizeof key, "data/demo_%d/actions", i);
    float *actions = make_ramp(steps, 7, at);
    make_array_as(m, key, H5T_IEEE_F64LE, H5T_NATIVE_FLOAT, actions, (hsize_t)steps, 7, 0);
    free(actions);
    snprintf(key, sizeof key, "data/demo_%d/states", i);
    make_ramp_array(m, key, steps, 5, at);
    pixels[steps - 1] = 1;
    snprintf(key, sizeof key, "data/demo_%d/dones", i);
    make_array_as(m, key, H5T_STD_U8LE, H5T_NATIVE_UCHAR, pixels, (hsize_t)steps, 0, 0);
    free(pixels);
}

static void mask(make *m, const char *name, const char *demos[], int n) {
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, H5T_VARIABLE);
    char key[80];
    snprintf(key, sizeof key, "mask/%s", name);
    make_array_as(m, key, text, text, demos, (hsize_t)n, 0, 0);
    H5Tclose(text);
}

static void numeric_order_keys_and_masks(void **state) {
    (void)state;
    make m = make_open("robomimic.hdf5");
    for (int i = 0; i < 12; i++) demo(&m, i, 2 + i, 0);
    make_attribute(&m, "data", "env_args", "{\"env_name\": \"Lift\", \"type\": 1}");
    mask(&m, "train", (const char *[]){"demo_10", "demo_2"}, 2);
    mask(&m, "wrong", (const char *[]){"demo_99"}, 1);
    make_close(&m);
    bex_dataset *d = bex_dataset_load(m.path, &BEX_LOAD_INIT);
    if (!d) fail_msg("%s", bex_error());
    assert_string_equal(d->kind, "robomimic");
    assert_int_equal(d->episodes, 12);
    for (int e = 0; e < 12; e++) assert_int_equal(bex_dataset_length(d, e), 2 + e);
    assert_int_equal(d->O, 5); // object 2 + robot0_eef_pos 3, by name; no image
    assert_string_equal(d->keys.text[0], "obs/object");
    assert_true(d->observations[d->start[11] * 5] == R(110010));
    assert_true(d->observations[d->start[11] * 5 + 2] == R(110000));
    assert_null(d->rewards);
    assert_int_equal(d->terminals[d->start[4] - 1], 1);
    assert_int_equal(d->terminals[d->start[4]], 0);
    assert_string_equal(d->tasks.text[d->task[0]], "Lift");
    assert_int_equal(d->scene[0], -1);
    bex_dataset_free(d);

    bex_load_options o = BEX_LOAD_INIT;
    o.filter = "train";
    o.keys = "robot0_eef_pos,states";
    d = bex_dataset_load(m.path, &o);
    if (!d) fail_msg("%s", bex_error());
    assert_int_equal(d->episodes, 2);
    assert_int_equal(d->O, 8);
    assert_true(d->observations[0] == R(20000)); // demo_2 first
    bex_dataset_free(d);

    o.filter = "valid";
    assert_null(bex_dataset_load(m.path, &o));
    assert_message("'mask/valid' is missing (2 others");
    o.filter = "wrong";
    assert_null(bex_dataset_load(m.path, &o));
    assert_message("'mask/wrong' lists 'demo_99'");
    o.filter = NULL;
    o.keys = "agentview_rgb";
    assert_null(bex_dataset_load(m.path, &o));
    assert_message("agentview_rgb' has rank 4");
    o.keys = "robot0_joint_pos";
    assert_null(bex_dataset_load(m.path, &o));
    assert_message("'robot0_joint_pos' is missing");
    unlink(m.path);
}

static make libero(const char *name, const char *task) {
    char info[200], bddl[200];
    make m = make_open(name);
    demo(&m, 0, 4, 1);
    demo(&m, 1, 3, 1);
    snprintf(info, sizeof info, "{\"language_instruction\": \"close the drawer\"}");
    snprintf(bddl, sizeof bddl, "libero/bddl_files/libero_90/%s.bddl", task);
    make_attribute(&m, "data", "problem_info", info);
    make_attribute(&m, "data", "bddl_file_name", bddl);
    make_close(&m);
    return m;
}

static void libero_directory(void **state) {
    (void)state;
    char folder[480], path[512];
    snprintf(folder, sizeof folder, "%s", scratch_path("libero"));
    mkdir(folder, 0755);
    static const char *const scenes[] = {"KITCHEN_SCENE10", "STUDY_SCENE1", "KITCHEN_SCENE10"};
    // one instruction in two scenes is two tasks
    static const char *const tasks[] = {"KITCHEN_SCENE10_close_the_drawer",
                                        "STUDY_SCENE1_close_the_drawer",
                                        "KITCHEN_SCENE10_open_the_drawer"};
    for (int i = 0; i < 3; i++) {
        make m = libero("one.hdf5", tasks[i]);
        snprintf(path, sizeof path, "%s/task_%d.hdf5", folder, i);
        assert_int_equal(rename(m.path, path), 0);
    }
    bex_dataset *d = bex_dataset_load(path, &BEX_LOAD_INIT);
    if (!d) fail_msg("%s", bex_error());
    assert_string_equal(d->kind, "libero");
    assert_int_equal(d->O, 5); // joint_states 3 + gripper_states 2: LIBERO's own default
    assert_string_equal(d->keys.text[0], "obs/joint_states");
    bex_dataset_free(d);
    d = bex_dataset_load(folder, &BEX_LOAD_INIT);
    if (!d) fail_msg("%s", bex_error());
    assert_int_equal(d->episodes, 6);
    assert_int_equal(d->rows, 21);
    assert_int_equal(d->tasks.count, 3);
    assert_int_equal(d->scenes.count, 2);
    for (int e = 0; e < 6; e++) {
        assert_string_equal(d->tasks.text[d->task[e]], tasks[e / 2]);
        assert_string_equal(d->scenes.text[d->scene[e]], scenes[e / 2]);
        assert_true(d->actions[d->start[e] * 7] == R(10000 * (e % 2)));
    }
    bex_dataset_free(d);
    // limit counts over the files
    bex_load_options o = BEX_LOAD_INIT;
    o.limit = 3;
    d = bex_dataset_load(folder, &o);
    assert_non_null(d);
    assert_int_equal(d->episodes, 3);
    bex_dataset_free(d);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/task_%d.hdf5", folder, i);
        unlink(path);
    }
    rmdir(folder);
}

static void bad_demos(void **state) {
    (void)state;
    make m = make_open("bad.hdf5");
    demo(&m, 0, 4, 0);
    make_ramp_array(&m, "data/demo_1/actions", 4, 7, 0);
    make_close(&m);
    assert_null(bex_dataset_load(m.path, &BEX_LOAD_INIT));
    assert_message("'data/demo_1/obs/object' is missing");
    m = make_open("bad.hdf5");
    make_group(&m, "data");
    make_close(&m);
    bex_load_options o = BEX_LOAD_INIT;
    o.format = "robomimic";
    assert_null(bex_dataset_load(m.path, &o));
    assert_message("'data' holds no demo_0");
    // only raw states: they are the observation
    m = make_open("bad.hdf5");
    make_ramp_array(&m, "data/demo_0/actions", 4, 7, 0);
    make_ramp_array(&m, "data/demo_0/states", 4, 5, 0);
    make_close(&m);
    bex_dataset *d = bex_dataset_load(m.path, &BEX_LOAD_INIT);
    assert_non_null(d);
    assert_int_equal(d->O, 5);
    bex_dataset_free(d);
    m = make_open("bad.hdf5");
    make_array(&m, "data/demo_0/actions", NULL, 0, 7);
    make_array(&m, "data/demo_0/states", NULL, 0, 5);
    make_close(&m);
    assert_null(bex_dataset_load(m.path, &BEX_LOAD_INIT));
    assert_message("'data/demo_0' has no rows");
    unlink(m.path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numeric_order_keys_and_masks),
                                       cmocka_unit_test(libero_directory),
                                       cmocka_unit_test(bad_demos)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
