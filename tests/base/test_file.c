/* Reading refuses what is not a whole regular file; writing shows the old file or the new one,
 * never a part, and leaves no temporary behind when the disk is full. */
#include "base/error.h"
#include "base/file.h"

#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static char folder[512]; // a directory of its own: what is in it can be counted
static char path[600];

static int setup(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "%s", scratch_path("file"));
    snprintf(path, sizeof path, "%s/out.txt", folder);
    return mkdir(folder, 0777);
}

static int entries(void) {
    int n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static int teardown(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder); // fails if anything was left behind
}

static void write_text(const char *text, int replace) {
    bex_file_out out;
    assert_int_equal(bex_file_create(&out, path, replace), 0);
    fputs(text, out.stream);
    assert_int_equal(bex_file_commit(&out), 0);
}

static void assert_content(const char *text) {
    char *got;
    size_t size;
    assert_int_equal(bex_file_read(&got, &size, path, 1000), 0);
    assert_string_equal(got, text);
    assert_int_equal(size, strlen(text));
    free(got);
}

static void written_is_read_back(void **state) {
    (void)state;
    write_text("", 0);
    assert_content("");
    write_text("one\ntwo", 1);
    assert_content("one\ntwo");
    assert_int_equal(entries(), 1);
}

static void reading_refuses(void **state) {
    (void)state;
    char *text;
    size_t size;
    assert_true(bex_file_read(&text, &size, "/no/such/file", 10) < 0);
    assert_message("cannot read '/no/such/file': No such file");
    assert_true(bex_file_read(&text, &size, folder, 10) < 0);
    assert_message("not a regular file");
    write_text("12345", 1);
    assert_true(bex_file_read(&text, &size, path, 4) < 0);
    assert_message("has 5 bytes, the limit is 4");
    assert_int_equal(bex_file_read(&text, &size, path, 5), 0);
    free(text);
    // a fifo nobody writes to is refused, not waited for
    char fifo[600];
    snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_true(bex_file_read(&text, &size, fifo, 10) < 0);
    assert_message("not a regular file");
    unlink(fifo);
}

static void nothing_shows_before_commit(void **state) {
    (void)state;
    write_text("old", 1);
    bex_file_out out;
    assert_int_equal(bex_file_create(&out, path, 1), 0);
    fputs("new", out.stream);
    fflush(out.stream);
    assert_content("old");
    bex_file_discard(&out);
    bex_file_discard(&out); // twice is fine
    assert_content("old");
    assert_int_equal(entries(), 1);
}

static void an_existing_file_is_refused(void **state) {
    (void)state;
    write_text("keep me", 1);
    bex_file_out out;
    assert_true(bex_file_create(&out, path, 0) < 0);
    assert_message("exists");
    bex_file_discard(&out);
    assert_content("keep me");
}

static void the_second_of_two_writers_loses(void **state) {
    (void)state;
    unlink(path);
    bex_file_out out;
    assert_int_equal(bex_file_create(&out, path, 0), 0);
    fputs("late", out.stream);
    write_text("first", 0); // same process, same path: its temporary is another file
    assert_true(bex_file_commit(&out) < 0);
    assert_message("File exists");
    assert_content("first");
    assert_int_equal(entries(), 1);
}

static void a_name_taken_meanwhile_is_refused(void **state) {
    (void)state;
    unlink(path);
    bex_file_out out;
    assert_int_equal(bex_file_create(&out, path, 0), 0);
    fputs("late", out.stream);
    int fd = open(path, O_CREAT | O_WRONLY, 0600); // another program was faster
    assert_true(fd >= 0 && write(fd, "theirs", 6) == 6);
    close(fd);
    assert_true(bex_file_commit(&out) < 0);
    assert_message("File exists");
    assert_content("theirs");
    assert_int_equal(entries(), 1);
}

static void writing_refuses(void **state) {
    (void)state;
    bex_file_out out;
    assert_true(bex_file_create(&out, "/no/such/folder/x", 1) < 0);
    assert_message("cannot write '/no/such/folder/x': No such file");
    char longer[6000];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_true(bex_file_create(&out, longer, 1) < 0);
    assert_message("path too long");
    // a directory is in the way
    assert_int_equal(bex_file_create(&out, folder, 1), 0);
    assert_true(bex_file_commit(&out) < 0);
    assert_message("directory");
    assert_int_equal(access(folder, F_OK), 0);
}

// a limit on the size of files stands in for a full disk: the write fails part way
static void a_full_disk_leaves_the_old_file(void **state) {
    (void)state;
    write_text("old", 1);
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 10000;
    signal(SIGXFSZ, SIG_IGN);
    for (int bytes = 9999; bytes <= 1000000; bytes = bytes * 5 / 4 + 3) {
        bex_file_out out;
        assert_int_equal(bex_file_create(&out, path, 1), 0);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        for (int i = 0; i < bytes; i++) fputc('n', out.stream);
        int code = bex_file_commit(&out);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        if (bytes <= 10000) {
            assert_int_equal(code, 0);
            write_text("old", 1);
            continue;
        }
        assert_true(code < 0);
        assert_message("cannot write");
        assert_content("old");
        assert_int_equal(entries(), 1);
    }
}

// the error may be known only from an earlier write, whose errno is gone
static void an_early_write_error_is_not_forgotten(void **state) {
    (void)state;
    write_text("old", 1);
    bex_file_out out;
    assert_int_equal(bex_file_create(&out, path, 1), 0);
    FILE *full = fopen("/dev/full", "w");
    if (!full) skip();
    fclose(out.stream);
    unlink(out.temporary);
    out.stream = full;
    setvbuf(full, NULL, _IONBF, 0);
    assert_int_equal(fputs("lost", full), EOF);
    assert_true(bex_file_commit(&out) < 0);
    assert_message("No space left");
    assert_content("old");
}

static void digests_tell_contents_apart(void **state) {
    (void)state;
    unsigned long long a, b;
    long long bytes;
    write_text("", 1);
    assert_int_equal(bex_file_digest(&a, &bytes, path), 0);
    assert_true(a == 0xcbf29ce484222325ull && bytes == 0);
    write_text("a", 1);
    assert_int_equal(bex_file_digest(&a, &bytes, path), 0);
    assert_true(a == 0xaf63dc4c8601ec8cull && bytes == 1); // published for FNV-1a
    write_text("b", 1);
    assert_int_equal(bex_file_digest(&b, &bytes, path), 0);
    assert_true(a != b);
    assert_true(bex_file_digest(&b, &bytes, "no/such") < 0);
    assert_message("no/such");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_is_read_back),
        cmocka_unit_test(reading_refuses),
        cmocka_unit_test(nothing_shows_before_commit),
        cmocka_unit_test(an_existing_file_is_refused),
        cmocka_unit_test(the_second_of_two_writers_loses),
        cmocka_unit_test(a_name_taken_meanwhile_is_refused),
        cmocka_unit_test(writing_refuses),
        cmocka_unit_test(a_full_disk_leaves_the_old_file),
        cmocka_unit_test(an_early_write_error_is_not_forgotten),
        cmocka_unit_test(digests_tell_contents_apart),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
