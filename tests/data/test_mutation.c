/* Damaged files: bytes flipped, overwritten or cut off, thousands of times, each load in a child of
 * its own. A child must load the file or refuse it with a message.
 *
 * libhdf5 1.10 trusts its metadata in places: a damaged file can crash it from inside H5Fopen or
 * H5Dread. That is not ours to mend; a child that dies is counted, and is a failure of ours if the
 * sanitizer's report has one of our functions on top of the stack instead of libhdf5's.
 * BEX_MUTATIONS=N sets the number of mutations a file (default 100); seeds are fixed. */
#include "data/load.h"

#include "test.h"

#ifndef BEX_HAVE_HDF5
int main(void) {
    return skip_all("a build without HDF5");
}
#else
#include "base/error.h"
#include "base/file.h"
#include "base/rng.h"
#include "data/column_statistics.h"
#include "data/make_pictures.h"

#include <fcntl.h>
#include <sys/wait.h>

typedef struct tally {
    int loaded, refused, died;
} tally;

enum { REFUSED = 10, NO_MESSAGE = 11, LEAKED = 12, LEAK_CHECK_EVERY = 20 };

#ifdef __SANITIZE_ADDRESS__
int __lsan_do_recoverable_leak_check(void);
const char *__asan_default_options(void);
// a size libhdf5 read from a damaged header: malloc shall fail, as it does without the sanitizer
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1";
}
#else
static int __lsan_do_recoverable_leak_check(void) {
    return 0;
}
#endif

static void mutate(char *bytes, size_t *size, bex_rng *g) {
    uint64_t kind = bex_rng_below(g, 8);
    if (kind == 0) { // cut off
        *size = bex_rng_below(g, *size);
        return;
    }
    int n = 1 + (int)bex_rng_below(g, 6);
    for (int i = 0; i < n; i++) {
        // metadata is dense at the front; elsewhere mostly values
        uint64_t front = *size < 4096 ? *size : 4096;
        size_t at = bex_rng_below(g, bex_rng_below(g, 4) ? front : *size);
        size_t run = kind < 4 ? 1 : 1 + bex_rng_below(g, 8);
        for (size_t k = at; k < at + run && k < *size; k++)
            bytes[k] = kind & 1   ? (char)(bytes[k] ^ 1 << bex_rng_below(g, 8))
                       : kind & 2 ? (char)0xff
                                  : (char)bex_rng_u32(g);
    }
}

static void write_bytes(const char *path, const char *bytes, size_t size) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

// every picture once; those that can be read are read whatever others are
static int look(bex_dataset *d) {
    size_t bytes =
        bex_picture_bytes(bex_pictures_height(d->pictures), bex_pictures_width(d->pictures));
    unsigned char *out = malloc(bytes);
    int code = out ? 0 : bex_fail("out of memory");
    for (int r = 0; r < d->rows && out; r++)
        for (int c = 0; c < bex_dataset_cameras(d); c++)
            if (bex_pictures_read(d->pictures, d->frames[r], c, out) < 0) code = -1;
    free(out);
    return code;
}

// what a user would do with it
static int try_load(const char *path) {
    bex_load_options o = BEX_LOAD_INIT;
    o.most = 64 << 20;
    o.images = "all";
    o.pictures.memory = 1 << 20;
    o.keep_nonfinite = 1;
    bex_error_clear();
    bex_dataset *d = bex_dataset_load(path, &o);
    if (!d) return *bex_error() && !strchr(bex_error(), '\n') ? REFUSED : NO_MESSAGE;
    bex_dataset_statistics s;
    int code = bex_statistics_dataset(&s, d);
    if (code == 0 && d->pictures && look(d) < 0)
        code = *bex_error() && !strchr(bex_error(), '\n') ? REFUSED : NO_MESSAGE;
    bex_dataset_free(d);
    return code;
}

// does the sanitizer's first stack meet libhdf5 before it meets us? Without a report (a plain build,
// a plain signal) it cannot be told: believed
static int died_inside_libhdf5(const char *report) {
    char *text;
    size_t size;
    if (bex_file_read(&text, &size, report, 1 << 20) < 0) return 0;
    char *stack = strstr(text, "    #0 "), *end = stack ? strstr(stack, "\n\n") : NULL;
    if (end) *end = 0;
    const char *theirs = stack ? strstr(stack, "libhdf5") : text;
    const char *ours = stack ? strstr(stack, BEX_SOURCE_DIR "/src/") : NULL;
    int inside = theirs && (!ours || theirs < ours);
    free(text);
    return inside;
}

static void run_one(const char *path, const char *report, tally *t, const char *name, int i) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int fd = open(report, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(fd, 2);
        alarm(60);
        int outcome = try_load(path);
        if (i % LEAK_CHECK_EVERY == 0 && __lsan_do_recoverable_leak_check()) outcome = LEAKED;
        _exit(outcome);
    }
    int status;
    waitpid(child, &status, 0);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == 0) {
        t->loaded++;
    } else if (code == REFUSED) {
        t->refused++;
    } else {
        char kept[600];
        snprintf(kept, sizeof kept, "%s.dead", path);
        if (code == NO_MESSAGE || !died_inside_libhdf5(report)) {
            rename(path, kept);
            fail_msg("%s, mutation %d: exit %d, signal %d; the file is %s, the report %s", name, i,
                     code, WIFSIGNALED(status) ? WTERMSIG(status) : 0, kept, report);
        }
        t->died++;
    }
}

static void run_all(const char *name, const char *original) {
    const char *wanted = getenv("BEX_MUTATIONS");
    int count = wanted ? atoi(wanted) : 100;
    static char *bytes, *copy; // static: the leak check of a child, which needs neither, finds both
    char path[512], report[512];
    size_t size;
    assert_int_equal(bex_file_read(&bytes, &size, original, 1 << 24), 0);
    snprintf(path, sizeof path, "%s", scratch_path("mutated.hdf5"));
    snprintf(report, sizeof report, "%s", scratch_path("report.txt"));
    copy = malloc(size);
    tally t = {0};
    for (int i = 0; i < count; i++) {
        bex_rng g = bex_rng_split(bex_rng_seed(11), name, (uint64_t)i);
        size_t length = size;
        memcpy(copy, bytes, size);
        mutate(copy, &length, &g);
        write_bytes(path, copy, length);
        run_one(path, report, &t, name, i);
    }
    print_message("%-40s %5d mutations: %d loaded, %d refused, %d died inside libhdf5\n", name,
                  count, t.loaded, t.refused, t.died);
    free(copy), free(bytes);
    unlink(path), unlink(report);
}

static void small_d4rl(void **state) {
    (void)state;
    make m = make_open("small.hdf5");
    make_d4rl(&m);
    float *v = make_ramp(50, 4, 0);
    make_array_as(&m, "infos/qpos", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, v, 50, 4, 16);
    free(v);
    run_all("small d4rl", make_close(&m));
    unlink(m.path);
}

static void small_gzip(void **state) {
    (void)state;
    make m = make_open("gzip.hdf5");
    float *v = make_ramp(50, 4, 0);
    make_array_as(&m, "observations", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, v, 50, 4, 16);
    make_array_as(&m, "actions", H5T_IEEE_F64LE, H5T_NATIVE_FLOAT, v, 50, 2, 7);
    free(v);
    run_all("small gzip", make_close(&m));
    unlink(m.path);
}

static void small_minari(void **state) {
    (void)state;
    make m = make_open("minari.hdf5");
    make_ramp_array(&m, "episode_0/observations/a", 5, 2, 0);
    make_ramp_array(&m, "episode_0/observations/b", 5, 1, 0);
    make_ramp_array(&m, "episode_0/actions", 4, 2, 0);
    make_ramp_array(&m, "episode_1/observations/a", 5, 2, 0);
    make_ramp_array(&m, "episode_1/observations/b", 5, 1, 0);
    make_ramp_array(&m, "episode_1/actions", 4, 2, 0);
    run_all("small minari", make_close(&m));
    unlink(m.path);
}

static void small_pictures(void **state) {
    (void)state;
    for (int gzip = 0; gzip < 2; gzip++) {
        pictured p = {{"front", "wrist", NULL}, 2, 5, 6, 4, {0}, gzip};
        if (gzip) p.chunk[0] = 2, p.chunk[1] = 3, p.chunk[2] = 4, p.chunk[3] = 3;
        make m = make_open("pictures.hdf5");
        make_robomimic(&m, &p);
        run_all(gzip ? "small pictures gzip" : "small pictures", make_close(&m));
        unlink(m.path);
    }
}

static void small_libero(void **state) {
    (void)state;
    make m = make_open("libero.hdf5");
    make_ramp_array(&m, "data/demo_0/obs/joint_states", 5, 2, 0);
    make_ramp_array(&m, "data/demo_0/obs/gripper_states", 5, 1, 0);
    make_ramp_array(&m, "data/demo_0/actions", 5, 2, 0);
    make_attribute(&m, "data", "problem_info", "{\"language_instruction\": \"close it\"}");
    make_attribute(&m, "data", "bddl_file_name", "x/KITCHEN_SCENE1_close_it.bddl");
    run_all("small libero", make_close(&m));
    unlink(m.path);
}

static void real_files(void **state) {
    (void)state;
    static const char *const files[] = {"d4rl/antmaze-medium-diverse-v0.hdf5",
                                        "d4rl/pen-human-v0.hdf5", "d4rl/hopper_medium-v2.hdf5",
                                        "d4rl/antmaze-umaze-v0.hdf5"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *path = shared_data(files[i]);
        if (path)
            run_all(files[i], path);
        else
            print_message("SKIP: %s is absent\n", files[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_d4rl),     cmocka_unit_test(small_gzip),
        cmocka_unit_test(small_minari),   cmocka_unit_test(small_libero),
        cmocka_unit_test(small_pictures), cmocka_unit_test(real_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
