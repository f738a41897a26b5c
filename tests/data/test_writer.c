/* The writer: what it wrote comes back, h5py and D4RL's splitting rule read it, nothing is replaced. */
#include "data/writer.h"

#include "test.h"

#ifndef BEX_HAVE_HDF5
int main(void) {
    return skip_all("a build without HDF5");
}
#else
#include "base/error.h"
#include "base/file.h"
#include "data/load.h"
#include "data/make_file.h"

#include <dirent.h>
#include <math.h>

static bex_dataset *sample(int rows, int episode_rows) {
    bex_dataset *d = bex_dataset_new();
    assert_int_equal(bex_dataset_allocate(d, (unsigned)rows, 5, 2, 1, 0), 0);
    int n = (rows + episode_rows - 1) / episode_rows;
    int *start = malloc(sizeof *start * (size_t)(n + 1));
    for (int e = 0; e < n; e++) start[e] = e * episode_rows;
    start[n] = rows;
    bex_dataset_take_episodes(d, start, n);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < 5; c++) d->observations[r * 5 + c] = R(sin(0.01 * r * (c + 1)));
        for (int c = 0; c < 2; c++) d->actions[r * 2 + c] = R(cos(0.02 * r * (c + 1)));
        d->rewards[r] = R(r % 7 == 0);
        d->terminals[r] = r % episode_rows >= episode_rows - 3; // near the goal, in runs
    }
    d->terminals[start[1] - 1] = 0; // the first episode ends otherwise
    for (int e = 0; e < n; e++) d->task[e] = bex_names_add(&d->tasks, e % 2 ? "left" : "right");
    return d;
}

static void comes_back(void **state) {
    (void)state;
    enum { ROWS = 10000 };
    bex_dataset *d = sample(ROWS, 300);
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("written.hdf5"));
    if (bex_dataset_save(d, path) < 0) fail_msg("%s", bex_error());
    bex_dataset *b = bex_dataset_load(path, &BEX_LOAD_INIT);
    if (!b) fail_msg("%s", bex_error());
    assert_int_equal(b->rows, ROWS);
    assert_int_equal(b->episodes, d->episodes);
    assert_memory_equal(b->start, d->start, sizeof *d->start * (size_t)(d->episodes + 1));
#ifndef BEX_F64 // the file holds 4 bytes
    assert_memory_equal(b->observations, d->observations, sizeof(bex_real) * ROWS * 5);
    assert_memory_equal(b->actions, d->actions, sizeof(bex_real) * ROWS * 2);
    assert_memory_equal(b->rewards, d->rewards, sizeof(bex_real) * ROWS);
#endif
    for (int e = 0; e < d->episodes; e++) {
        for (int t = d->start[e]; t < d->start[e + 1]; t++) {
            int last = t == d->start[e + 1] - 1;
            assert_int_equal(b->terminals[t], last && d->terminals[t]);
            assert_int_equal(b->timeouts[t], last && !d->terminals[t]);
        }
        assert_string_equal(b->tasks.text[b->task[e]], d->tasks.text[d->task[e]]);
    }
    // never replaced, nor left half-written
    assert_int_equal(bex_dataset_save(d, path), -1);
    assert_message("exists");
    assert_message(path);
    bex_dataset_free(b);
    bex_dataset_free(d);
    unlink(path);
}

static char *bytes_of(const char *path, size_t *size) {
    char *bytes;
    assert_int_equal(bex_file_read(&bytes, size, path, 1u << 30), 0);
    return bytes;
}

// the same bytes whatever the blocks
static void blocks_do_not_matter(void **state) {
    (void)state;
    enum { ROWS = 9000 };
    static const bex_column columns[] = {{"observations", BEX_COLUMN_FLOAT32, 3},
                                         {"rewards", BEX_COLUMN_FLOAT64, 0},
                                         {"timeouts", BEX_COLUMN_FLAG, 0},
                                         {"infos/goal", BEX_COLUMN_INT32, 2}};
    bex_real *obs = malloc(sizeof *obs * ROWS * 3), *reward = malloc(sizeof *reward * ROWS);
    unsigned char *flag = calloc(ROWS, 1);
    int *goal = malloc(sizeof *goal * ROWS * 2);
    for (int i = 0; i < ROWS; i++) {
        for (int c = 0; c < 3; c++) obs[i * 3 + c] = R(i * c);
        reward[i] = R(i) / 3, flag[i] = i % 100 == 99, goal[2 * i] = i, goal[2 * i + 1] = -i;
    }
    static const int blocks[] = {ROWS, 1, 777};
    char path[3][512];
    for (int k = 0; k < 3; k++) {
        char name[32];
        snprintf(name, sizeof name, "blocks%d.hdf5", k);
        snprintf(path[k], sizeof path[k], "%s", scratch_path(name));
        bex_writer *w;
        assert_int_equal(bex_writer_open(&w, path[k], columns, 4), 0);
        for (int at = 0; at < ROWS; at += blocks[k]) {
            int n = ROWS - at < blocks[k] ? ROWS - at : blocks[k];
            assert_int_equal(
                bex_writer_append(
                    w, n, (const void *[]){obs + at * 3, reward + at, flag + at, goal + at * 2}),
                0);
        }
        assert_int_equal(bex_writer_text(w, "metadata/algorithm", "PD"), 0);
        assert_int_equal(access(path[k], F_OK), -1); // not before commit
        assert_int_equal(bex_writer_commit(w), 0);
        bex_writer_free(w);
    }
    size_t size, other;
    char *a = bytes_of(path[0], &size);
    for (int k = 1; k < 3; k++) {
        char *b = bytes_of(path[k], &other);
        assert_int_equal(size, other);
        assert_memory_equal(a, b, size);
        free(b);
    }
    free(a), free(obs), free(reward), free(flag), free(goal);
    for (int k = 0; k < 3; k++) unlink(path[k]);
}

// names in the scratch folder that begin with this test's
static int files_named(const char *path) {
    char folder[512];
    snprintf(folder, sizeof folder, "%s", path);
    char *base = strrchr(folder, '/');
    *base++ = 0;
    DIR *d = opendir(folder);
    int n = 0;
    for (struct dirent *e; (e = readdir(d));) n += !strncmp(e->d_name, base, strlen(base));
    closedir(d);
    return n;
}

static void discarded_leaves_nothing(void **state) {
    (void)state;
    static const bex_column columns[] = {{"observations", BEX_COLUMN_FLOAT32, 1}};
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("discarded.hdf5"));
    bex_writer *w;
    assert_int_equal(bex_writer_open(&w, path, columns, 1), 0);
    assert_int_equal(files_named(path), 1);
    bex_writer_free(w);
    assert_int_equal(files_named(path), 0);
    assert_int_equal(bex_writer_open(&w, "/nowhere/x.hdf5", columns, 1), -1);
    assert_message("/nowhere/x.hdf5");
    bex_writer_free(w);
}

// h5py's view: keys, shapes, types, gzip, and D4RL's rule for episode ends
static void h5py_reads_it(void **state) {
    (void)state;
    if (system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") != 0) {
        print_message("SKIP: no h5py\n");
        return;
    }
    bex_dataset *d = sample(1000, 300);
    char path[512], command[2048];
    snprintf(path, sizeof path, "%s", scratch_path("h5py.hdf5"));
    assert_int_equal(bex_dataset_save(d, path), 0);
    snprintf(command, sizeof command,
             "/usr/bin/python3 - %s <<'E'\n"
             "import h5py, numpy as np, sys\n"
             "f = h5py.File(sys.argv[1], 'r')\n"
             "o, a = f['observations'], f['actions']\n"
             "assert o.shape == (1000, 5) and o.dtype == np.float32 and o.compression == 'gzip'\n"
             "assert a.shape == (1000, 2) and f['rewards'].shape == (1000,)\n"
             "assert f['terminals'].dtype == np.bool_ and f['timeouts'].dtype == np.bool_\n"
             "assert np.allclose(o[:, 1], np.sin(0.02 * np.arange(1000)), atol=1e-6)\n"
             "assert np.allclose(a[:, 0], np.cos(0.02 * np.arange(1000)), atol=1e-6)\n"
             "ends = np.where(f['terminals'][:] | f['timeouts'][:])[0]\n"
             "assert list(ends) == [299, 599, 899, 999], ends\n"
             "assert list(np.where(f['timeouts'][:])[0]) == [299, 999]\n"
             "assert list(f['metadata/tasks'][:]) == [b'right', b'left']\n"
             "assert list(f['infos/task'][::300]) == [0, 1, 0, 1]\n"
             "for k in f['infos']: assert len(f['infos'][k]) == 1000\n"
             "E\n",
             path);
    assert_int_equal(system(command), 0);
    bex_dataset_free(d);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back), cmocka_unit_test(blocks_do_not_matter),
        cmocka_unit_test(discarded_leaves_nothing), cmocka_unit_test(h5py_reads_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
