/* Event files: the checksum's published vectors, every byte of a file parsed back by a reader
 * written from the format alone, and the cut on resume. */
#include "run/events.h"

#include "base/error.h"
#include "base/file.h"
#include "host/folder.h"

#include "run/event_reader.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>

static const char *const tags[] = {"loss", "held_out", "lr"};

static void checksums(void **state) {
    (void)state;
    unsigned char bytes[32] = {0};
    assert_int_equal(bex_crc32c(bytes, 32), 0x8a9136aa);
    memset(bytes, 0xff, 32);
    assert_int_equal(bex_crc32c(bytes, 32), 0x62a8ab43);
    for (int i = 0; i < 32; i++) bytes[i] = (unsigned char)i;
    assert_int_equal(bex_crc32c(bytes, 32), 0x46dd794e);
    assert_int_equal(bex_crc32c("123456789", 9), 0xe3069283);
    assert_int_equal(bex_crc32c_masked("\x1a\x11"
                                       "CRC test, one two",
                                       19),
                     0x5794d08a);
}

// the two events each file begins with; the step of the second
static long long read_head(span *file) {
    event e = read_event(next_record(file));
    assert_true(is(e.version, "brain.Event:2") && e.step == 0);
    e = read_event(next_record(file));
    assert_true(is(e.session, "\x08\x01"));
    return e.step;
}

static char *folder(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s", scratch_path(name));
    bex_folder_remove(path);
    assert_int_equal(bex_folder_make(path), 0);
    return path;
}

// of 0, 1, 2, 3, 4 in two bins
static void check_histogram(span bytes) {
    static const double moments[] = {0, 4, 5, 10, 30};
    for (int i = 0; i < 5; i++) {
        field g = {0};
        assert_true(next_field(&bytes, &g) && g.number == i + 1 && g.real == moments[i]);
    }
    static const double packed[2][2] = {{2, 4}, {2, 3}};
    for (int k = 0; k < 2; k++) {
        field g = {0};
        assert_true(next_field(&bytes, &g) && g.number == 6 + k);
        assert_int_equal(g.bytes.end - g.bytes.at, 16);
        assert_memory_equal(g.bytes.at, packed[k], 16);
    }
    assert_true(bytes.at == bytes.end);
}

static void every_byte_reads_back(void **state) {
    (void)state;
    char *dir = folder("events"), *text;
    bex_events *e = bex_events_open(dir);
    assert_non_null(e);
    unsigned char png[40] = "\x89PNG\r\n\x1a\n";
    memcpy(png + 8, "\0\0\0\x0dIHDR\0\0\x01\x40\0\0\0\xf0\x08\x06", 18);
    double v[] = {0, 1, 2, 3, NAN, 4};
    assert_int_equal(bex_events_scalars(e, 0, tags, (double[]){2.5, NAN, 1e-3}, 3), 0);
    assert_int_equal(bex_events_scalars(e, 300, tags, (double[]){NAN, NAN, INFINITY}, 3), 0);
    assert_int_equal(bex_events_image(e, 300, "map", png, sizeof png), 0);
    assert_int_equal(bex_events_histogram(e, 5000000000LL, "w", v, 6, 2), 0);
    assert_int_equal(bex_events_histogram(e, 1, "none", v + 4, 1, 2), 0);
    assert_int_equal(bex_events_image(e, 1, "bad", "GIF89a", 6), -1);
    assert_message("image 'bad': not a PNG");

    // read while still open: each call has reached the file
    span s = load(&text, bex_events_path(e));
    assert_int_equal(read_head(&s), 0);
    event one = read_event(next_record(&s));
    assert_int_equal(one.step, 0);
    assert_true(value_of(&one.summary, "loss").real == 2.5);
    field lr = value_of(&one.summary, "lr");
    assert_true(lr.number == 2 && lr.real == (double)1e-3f);
    assert_true(one.summary.at == one.summary.end);

    one = read_event(next_record(&s));
    assert_int_equal(one.step, 300);
    field f = value_of(&one.summary, "map");
    assert_int_equal(f.number, 4);
    static const uint64_t image[] = {240, 320, 4};
    for (int i = 0; i < 3; i++) {
        field g = {0};
        assert_true(next_field(&f.bytes, &g) && g.number == i + 1 && g.integer == image[i]);
    }
    field pixels = {0};
    assert_true(next_field(&f.bytes, &pixels) && pixels.number == 4);
    assert_int_equal(pixels.bytes.end - pixels.bytes.at, sizeof png);
    assert_memory_equal(pixels.bytes.at, png, sizeof png);

    one = read_event(next_record(&s));
    assert_true(one.step == 5000000000LL);
    f = value_of(&one.summary, "w");
    assert_int_equal(f.number, 5);
    check_histogram(f.bytes);
    assert_true(s.at == s.end);
    assert_int_equal(bex_events_sync(e), 0);
    bex_events_close(e);
    free(text);
    bex_folder_remove(dir);
}

static void log_steps(bex_events *e, int first, int last) {
    for (int i = first; i <= last; i++)
        assert_int_equal(bex_events_scalars(e, 100 * i, tags, (double[]){i, i, i}, 1), 0);
}

// steps of all summaries in all files, in the order of names; the files must be whole
static int all_steps(long long *steps, const char *dir) {
    char **names, path[1024], *text;
    int files = bex_folder_list(&names, dir), count = 0;
    for (int i = 0; i < files; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        span s = load(&text, path);
        while (s.at < s.end) {
            event e = read_event(next_record(&s));
            if (e.summary.at) steps[count++] = e.step;
        }
        free(text);
    }
    free(names);
    return count;
}

static void resume_has_one_branch(void **state) {
    (void)state;
    char *dir = folder("resume"), first[1024], *text;
    bex_events *e = bex_events_open(dir);
    snprintf(first, sizeof first, "%s", bex_events_path(e));
    log_steps(e, 1, 7);
    bex_events_close(e);
    FILE *f = fopen(first, "ab");
    fwrite("\x18\0\0\0\0\0\0\0torn", 1, 12, f);
    fclose(f);

    e = bex_events_resume(dir, 450); // the checkpoint of step 450: 500 to 700 are lost
    assert_non_null(e);
    assert_true(strcmp(bex_events_path(e), first) > 0);
    log_steps(e, 5, 9);
    span s = load(&text, bex_events_path(e));
    assert_int_equal(read_head(&s), 451);
    free(text);
    bex_events_close(e);
    e = bex_events_resume(dir, 900);
    log_steps(e, 10, 10);
    bex_events_close(e);
    long long steps[64];
    assert_int_equal(all_steps(steps, dir), 10);
    for (int i = 0; i < 10; i++) assert_int_equal(steps[i], 100 * (i + 1));

    // from the beginning: nothing of before is left
    e = bex_events_resume(dir, -1);
    bex_events_close(e);
    assert_int_equal(all_steps(steps, dir), 0);
    bex_folder_remove(dir);
    assert_null(bex_events_resume(dir, 0));
    assert_null(bex_events_open(dir));
    assert_message("resume");
}

static void a_full_disk_leaves_whole_records(void **state) {
    (void)state;
    char *dir = folder("full");
    bex_events *e = bex_events_open(dir);
    struct rlimit was, small;
    getrlimit(RLIMIT_FSIZE, &was);
    small = was;
    small.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    int wrote = 0;
    while (wrote < 1000 && bex_events_scalars(e, wrote + 1, tags, (double[]){1}, 1) == 0) wrote++;
    setrlimit(RLIMIT_FSIZE, &was);
    assert_true(wrote > 5 && wrote < 1000);
    assert_message("File too large");
    // room again: the file goes on, the lost step aside
    assert_int_equal(bex_events_scalars(e, 5000, tags, (double[]){1}, 1), 0);
    bex_events_close(e);
    long long steps[1024];
    assert_int_equal(all_steps(steps, dir), wrote + 1);
    assert_int_equal(steps[wrote], 5000);
    bex_folder_remove(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksums),
        cmocka_unit_test(every_byte_reads_back),
        cmocka_unit_test(resume_has_one_branch),
        cmocka_unit_test(a_full_disk_leaves_whole_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
