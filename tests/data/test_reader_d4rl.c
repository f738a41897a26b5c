/* D4RL files: good ones, every version of flags, and every bad one, each with one line naming file and
 * key. The real slices are loaded where they are. */
#include "data/load.h"

#include "test.h"

#ifndef BEX_HAVE_HDF5
int main(void) {
    return skip_all("a build without HDF5");
}
#else
#include "base/error.h"
#include "data/make_file.h"

#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>

static bex_dataset *load(const char *path) {
    bex_dataset *d = bex_dataset_load(path, &BEX_LOAD_INIT);
    if (!d) fail_msg("%s", bex_error());
    return d;
}

// refused with one line that names the file and says `part`
static void refused(const char *path, const char *part) {
    bex_load_options o = BEX_LOAD_INIT;
    bex_dataset *d = bex_dataset_load(path, &o);
    if (d) fail_msg("'%s' was accepted", path);
    assert_message(path);
    assert_message(part);
    assert_null(strchr(bex_error(), '\n'));
    unlink(path);
}

static void flat_file(void **state) {
    (void)state;
    make m = make_open("flat.hdf5");
    make_d4rl(&m);
    bex_dataset *d = load(make_close(&m));
    assert_string_equal(d->kind, "d4rl");
    assert_int_equal(d->rows, 10);
    assert_int_equal(d->O, 3);
    assert_int_equal(d->A, 2);
    static const int start[] = {0, 4, 7, 10};
    assert_int_equal(d->episodes, 3);
    assert_memory_equal(d->start, start, sizeof start);
    for (int r = 0; r < 10; r++) {
        for (int c = 0; c < 3; c++) assert_true(d->observations[r * 3 + c] == R(100 * r + c));
        for (int c = 0; c < 2; c++) assert_true(d->actions[r * 2 + c] == R(100 * r + c + 0.5));
        assert_true(d->rewards[r] == R(100 * r));
        assert_int_equal(d->terminals[r], r == 6);
        assert_int_equal(d->timeouts[r], r == 3 || r == 9);
    }
    bex_dataset_free(d);
    unlink(m.path);
}

// 8-byte rewards and observations, integer flags, gzip in odd chunks, infos an array, big-endian
static void stored_otherwise(void **state) {
    (void)state;
    make m = make_open("otherwise.hdf5");
    float *obs = make_ramp(10, 3, 0), *act = make_ramp(10, 2, 0.5f), reward[10];
    int flags[10] = {0, 0, 0, 0, 7, 0, 0, 0, 0, 0}, infos[10] = {0};
    float none[10] = {0};
    for (int i = 0; i < 10; i++) reward[i] = 0.25f * (float)i;
    make_array_as(&m, "observations", H5T_IEEE_F64LE, H5T_NATIVE_FLOAT, obs, 10, 3, 3);
    make_array_as(&m, "actions", H5T_IEEE_F32BE, H5T_NATIVE_FLOAT, act, 10, 2, 4);
    make_array_as(&m, "rewards", H5T_IEEE_F64LE, H5T_NATIVE_FLOAT, reward, 10, 1, 10);
    make_array_as(&m, "terminals", H5T_STD_I64LE, H5T_NATIVE_INT, flags, 10, 0, 0);
    make_array_as(&m, "timeouts", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, none, 10, 0, 0);
    make_array_as(&m, "infos", H5T_STD_I32LE, H5T_NATIVE_INT, infos, 10, 0, 0);
    bex_dataset *d = load(make_close(&m));
    assert_int_equal(d->episodes, 2);
    assert_int_equal(d->start[1], 5);
    for (int i = 0; i < 30; i++) assert_true(d->observations[i] == R(obs[i]));
    for (int i = 0; i < 20; i++) assert_true(d->actions[i] == R(act[i]));
    for (int i = 0; i < 10; i++) assert_true(d->rewards[i] == R(reward[i]));
    bex_dataset_free(d);
    free(obs), free(act);
    unlink(m.path);
}

static void timeouts_missing(void **state) {
    (void)state;
    unsigned char terminals[10] = {0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    make m = make_open("no-timeouts.hdf5");
    make_ramp_array(&m, "observations", 10, 3, 0);
    make_ramp_array(&m, "actions", 10, 2, 0);
    make_flags(&m, "terminals", terminals, 10);
    make_close(&m);
    bex_dataset *d = load(m.path);
    assert_int_equal(d->episodes, 2);
    assert_null(d->rewards);
    assert_true(d->notes.count > 0 && strstr(d->notes.text[0], "'timeouts' is missing"));
    bex_dataset_free(d);
    // D4RL's rule: cut every max_episode_steps rows as well
    bex_load_options o = BEX_LOAD_INIT;
    o.split.length = 3;
    d = bex_dataset_load(m.path, &o);
    static const int start[] = {0, 3, 6, 9, 10};
    assert_int_equal(d->episodes, 4);
    assert_memory_equal(d->start, start, sizeof start);
    bex_dataset_free(d);
    unlink(m.path);
}

static void limit_reads_less(void **state) {
    (void)state;
    make m = make_open("limit.hdf5");
    make_d4rl(&m);
    make_close(&m);
    bex_load_options o = BEX_LOAD_INIT;
    o.limit = 2;
    bex_dataset *d = bex_dataset_load(m.path, &o);
    assert_non_null(d);
    assert_int_equal(d->episodes, 2);
    assert_int_equal(d->rows, 7);
    assert_true(d->observations[6 * 3] == R(600));
    bex_dataset_free(d);
    unlink(m.path);
}

static void not_hdf5(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("text.hdf5"));
    FILE *f = fopen(path, "w");
    fputs("these are not the bytes you are looking for\n", f);
    fclose(f);
    refused(path, "not an HDF5 file");
    f = fopen(path, "w");
    fclose(f);
    refused(path, "empty");
    refused("/nowhere/at/all.hdf5", "No such file");
    // a directory without data, a device
    mkdir(path, 0755);
    assert_null(bex_dataset_load(path, &BEX_LOAD_INIT));
    assert_message("no .hdf5 file");
    rmdir(path);
    assert_null(bex_dataset_load("/dev/null", &BEX_LOAD_INIT));
    assert_message("not a regular file");
}

// in a child without privileges: root reads everything
static void unreadable(void **state) {
    (void)state;
    make m = make_open("secret.hdf5");
    make_d4rl(&m);
    make_close(&m);
    chmod(m.path, 0);
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
        int refused_it = !bex_dataset_load(m.path, &BEX_LOAD_INIT);
        _exit(refused_it && strstr(bex_error(), m.path) && strstr(bex_error(), "Permission denied")
                  ? 0
                  : 1);
    }
    int status;
    waitpid(child, &status, 0);
    unlink(m.path);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void truncated(void **state) {
    (void)state;
    make m = make_open("whole.hdf5");
    make_d4rl(&m);
    make_close(&m);
    struct stat st;
    stat(m.path, &st);
    static const double part[] = {0.05, 0.3, 0.6, 0.9};
    for (int i = 3; i >= 0; i--) {
        assert_int_equal(truncate(m.path, (off_t)(part[i] * (double)st.st_size)), 0);
        bex_dataset *d = bex_dataset_load(m.path, &BEX_LOAD_INIT);
        assert_null(d);
        assert_message("truncated");
        assert_message(m.path);
    }
    unlink(m.path);
}

static void missing_keys(void **state) {
    (void)state;
    make m = make_open("no-actions.hdf5");
    make_ramp_array(&m, "observations", 10, 3, 0);
    refused(make_close(&m), "'observations'");
    // forced: the message names what is missing
    m = make_open("no-actions.hdf5");
    make_ramp_array(&m, "observations", 10, 3, 0);
    make_close(&m);
    bex_load_options o = BEX_LOAD_INIT;
    o.format = "d4rl";
    assert_null(bex_dataset_load(m.path, &o));
    assert_message("'actions' is missing");
    o.format = "robomimic";
    assert_null(bex_dataset_load(m.path, &o));
    assert_message("'data' is missing");
    o.format = "minari";
    assert_null(bex_dataset_load(m.path, &o));
    assert_message("episode_0");
    o.format = "d4lr";
    assert_null(bex_dataset_load(m.path, &o));
    assert_message("did you mean d4rl");
    unlink(m.path);
}

static void wrong_shapes(void **state) {
    (void)state;
    make m = make_open("rank.hdf5");
    make_ramp_array(&m, "observations", 10, 3, 0);
    make_ramp_array(&m, "actions", 10, 0, 0);
    refused(make_close(&m), "'actions' has rank 1");

    m = make_open("rows.hdf5");
    make_ramp_array(&m, "observations", 10, 3, 0);
    make_ramp_array(&m, "actions", 9, 2, 0);
    refused(make_close(&m), "'actions' has 9 rows, 'observations' has 10");

    m = make_open("flags.hdf5");
    make_ramp_array(&m, "observations", 10, 3, 0);
    make_ramp_array(&m, "actions", 10, 2, 0);
    make_ramp_array(&m, "timeouts", 11, 0, 0);
    refused(make_close(&m), "'timeouts' has 11 rows");

    m = make_open("flags2.hdf5");
    make_ramp_array(&m, "observations", 10, 3, 0);
    make_ramp_array(&m, "actions", 10, 2, 0);
    make_ramp_array(&m, "terminals", 10, 2, 0);
    refused(make_close(&m), "'terminals' has rank 2");

    m = make_open("group.hdf5");
    make_ramp_array(&m, "observations", 10, 3, 0);
    make_ramp_array(&m, "actions", 10, 2, 0);
    make_group(&m, "rewards");
    refused(make_close(&m), "'rewards' is a group");

    m = make_open("text-column.hdf5");
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 4);
    char words[10][4] = {"abc"};
    make_array_as(&m, "observations", text, text, words, 5, 2, 0);
    make_ramp_array(&m, "actions", 5, 2, 0);
    H5Tclose(text);
    refused(make_close(&m), "'observations' does not hold numbers");
}

// observations of 12 rows: a joint, its rate, something computed if `computed`, a constant; `late`:
// coordinates a row off
static bex_dataset *of_a_simulation(int late, bool computed) {
    make m = make_open("coordinates.hdf5");
    float observation[12 * 4], qpos[12 * 2], qvel[12];
    for (int r = 0; r < 12; r++) {
        float joint = (float)(r * r), rate = (float)(2 * r + 1);
        float row[4] = {joint, rate, computed ? 50 - joint * rate : 8, 7};
        memcpy(observation + 4 * r, row, sizeof row);
        qpos[2 * r] = (float)(3 * r + 500), qpos[2 * r + 1] = (float)((r + late) * (r + late));
        qvel[r] = (float)(2 * (r + late) + 1);
    }
    make_array(&m, "observations", observation, 12, 4);
    make_ramp_array(&m, "actions", 12, 2, 0);
    make_array(&m, "infos/qpos", qpos, 12, 2);
    make_array(&m, "infos/qvel", qvel, 12, 1);
    bex_load_options o = BEX_LOAD_INIT;
    o.split.length = 6;
    bex_dataset *d = bex_dataset_load(make_close(&m), &o);
    if (!d) fail_msg("%s", bex_error());
    unlink(m.path);
    return d;
}

static void coordinates_give_names(void **state) {
    (void)state;
    static const char *const names[] = {"qpos[1]", "qvel[0]", "observations[2]", "observations[3]"};
    bex_dataset *d = of_a_simulation(0, true);
    assert_int_equal(d->columns.count, 4);
    for (int j = 0; j < 4; j++) assert_string_equal(d->columns.name[j], names[j]);
    bex_dataset_free(d);
    for (int late = 0; late < 2; late++) { // all are coordinates, or none is
        d = of_a_simulation(late, late);
        assert_int_equal(d->columns.count, 0);
        bex_dataset_free(d);
    }
}

static void empty(void **state) {
    (void)state;
    make m = make_open("none.hdf5");
    make_array(&m, "observations", NULL, 0, 3);
    make_array(&m, "actions", NULL, 0, 2);
    refused(make_close(&m), "no episode");
    m = make_open("no-columns.hdf5");
    make_array(&m, "observations", NULL, 10, 0);
    make_ramp_array(&m, "actions", 10, 2, 0);
    refused(make_close(&m), "'observations'");
    m = make_open("nothing.hdf5");
    refused(make_close(&m), "its root holds nothing");
}

static void not_finite(void **state) {
    (void)state;
    static const char *const keys[] = {"observations", "actions", "rewards"};
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        make m = make_open("nan.hdf5");
        for (int j = 0; j < 3; j++) {
            int columns = j == 2 ? 0 : 3 - j;
            float *v = make_ramp(10, columns, 0);
            if (j == k) v[7 * (columns ? columns : 1)] = bad[k];
            make_array(&m, keys[j], v, 10, (hsize_t)columns);
            free(v);
        }
        make_close(&m);
        char part[80];
        snprintf(part, sizeof part, "'%s' has a NaN or infinite value in row 7", keys[k]);
        bex_load_options o = BEX_LOAD_INIT;
        o.keep_nonfinite = 1; // what `show` does
        bex_dataset *d = bex_dataset_load(m.path, &o);
        assert_non_null(d);
        bex_dataset_free(d);
        refused(m.path, part);
    }
}

static void absurd_sizes(void **state) {
    (void)state;
    // declared, never written: libhdf5 would return zeros
    make m = make_open("hollow.hdf5");
    make_array(&m, "observations", NULL, 1000, 3);
    make_ramp_array(&m, "actions", 1000, 2, 0);
    refused(make_close(&m), "'observations' declares 1000 rows but holds no data");

    m = make_open("huge.hdf5");
    make_array_as(&m, "observations", H5T_IEEE_F32LE, 0, NULL, (hsize_t)1 << 45, 29, 1000);
    make_ramp_array(&m, "actions", 10, 2, 0);
    refused(make_close(&m), "'observations'");

    m = make_open("sparse.hdf5");
    make_array_as(&m, "observations", H5T_IEEE_F32LE, 0, NULL, 1000000, 29, 1000);
    make_array_as(&m, "actions", H5T_IEEE_F32LE, 0, NULL, 1000000, 8, 1000);
    refused(make_close(&m), "holds 0 of 1000 chunks");

    // all there, but more than we may use
    m = make_open("large.hdf5");
    make_d4rl(&m);
    make_close(&m);
    bex_load_options o = BEX_LOAD_INIT;
    o.most = 100;
    assert_null(bex_dataset_load(m.path, &o));
    assert_message("of memory, the limit is");
    unlink(m.path);
}

static void labels_come_back(void **state) {
    (void)state;
    make m = make_open("labels.hdf5");
    make_d4rl(&m);
    int task[10] = {1, 1, 1, 1, 0, 0, 0, -1, -1, -1};
    make_array_as(&m, "infos/task", H5T_STD_I32LE, H5T_NATIVE_INT, task, 10, 0, 0);
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 6);
    H5Tset_strpad(text, H5T_STR_NULLPAD);
    char names[2][6] = {"push", "pull x"};
    make_array_as(&m, "metadata/tasks", text, text, names, 2, 0, 0);
    H5Tclose(text);
    bex_dataset *d = load(make_close(&m));
    assert_int_equal(d->tasks.count, 2);
    assert_string_equal(d->tasks.text[1], "pull x");
    assert_int_equal(d->task[0], 1);
    assert_int_equal(d->task[1], 0);
    assert_int_equal(d->task[2], -1);
    bex_dataset_free(d);
    unlink(m.path);
    // a label that is no entry of the list
    m = make_open("labels.hdf5");
    make_d4rl(&m);
    task[4] = 2;
    make_array_as(&m, "infos/task", H5T_STD_I32LE, H5T_NATIVE_INT, task, 10, 0, 0);
    text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 6);
    make_array_as(&m, "metadata/tasks", text, text, names, 2, 0, 0);
    H5Tclose(text);
    refused(make_close(&m), "'infos/task' has the value 2 in row 4");
}

static void real_files(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int rows, O, A, episodes, jumps;
    } files[] = {
        {"d4rl/antmaze-large-diverse-v0.hdf5", 1998, 29, 8, 2, 1001},
        {"d4rl/antmaze-medium-diverse-v0.hdf5", 67, 29, 8, 1, 0},
        {"d4rl/antmaze-medium-play-v0.hdf5", 1998, 29, 8, 2, 1001},
        {"d4rl/antmaze-umaze-v0.hdf5", 1402, 29, 8, 2, 701},
        {"d4rl/door-human-v1.hdf5", 600, 39, 28, 2, 0},
        {"d4rl/hopper_medium-v2.hdf5", 911, 11, 3, 2, 0},
        {"d4rl/pen-human-v0.hdf5", 200, 45, 24, 2, 0},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *path = shared_data(files[i].name);
        if (!path) {
            print_message("SKIP: %s is absent\n", files[i].name);
            continue;
        }
        bex_dataset *d = load(path);
        assert_int_equal(d->rows, files[i].rows);
        assert_int_equal(d->O, files[i].O);
        assert_int_equal(d->A, files[i].A);
        assert_int_equal(d->episodes, files[i].episodes);
        assert_non_null(d->rewards);
        bex_dataset_free(d);
        if (!files[i].jumps) continue;
        // v0's true resets, where the ant teleports
        bex_load_options o = BEX_LOAD_INIT;
        o.split.rules = BEX_SPLIT_JUMPS;
        d = bex_dataset_load(path, &o);
        assert_non_null(d);
        assert_int_equal(d->episodes, 2);
        assert_int_equal(d->start[1], files[i].jumps);
        bex_dataset_free(d);
    }
    const char *kitchen = shared_data("kitchen/human_demos.hdf5");
    if (!kitchen) return;
    assert_null(bex_dataset_load(kitchen, &BEX_LOAD_INIT));
    assert_message("friday_kettle_bottomknob_hinge_slide");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_file),        cmocka_unit_test(stored_otherwise),
        cmocka_unit_test(timeouts_missing), cmocka_unit_test(limit_reads_less),
        cmocka_unit_test(not_hdf5),         cmocka_unit_test(unreadable),
        cmocka_unit_test(truncated),        cmocka_unit_test(missing_keys),
        cmocka_unit_test(wrong_shapes),     cmocka_unit_test(empty),
        cmocka_unit_test(not_finite),       cmocka_unit_test(absurd_sizes),
        cmocka_unit_test(labels_come_back), cmocka_unit_test(coordinates_give_names),
        cmocka_unit_test(real_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
