/* metrics.csv: the bytes written, the cut on resume, and each refusal. */
#include "host/csv.h"

#include "base/error.h"
#include "base/file.h"

#include "test.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>

static const char *const columns[] = {"loss", "lr"};

static void put(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    fputs(text, f);
    fclose(f);
}

static void assert_file(const char *path, const char *want) {
    char *text;
    size_t size;
    assert_int_equal(bex_file_read(&text, &size, path, 1 << 20), 0);
    assert_string_equal(text, want);
    free(text);
}

static int write_steps(bex_csv *csv, int first, int last) {
    for (int i = first; i <= last; i++)
        if (bex_csv_row(csv, i * 100, (double[]){1.0 / i, 3e-4}) < 0) return -1;
    return 0;
}

static void rows_are_there_at_once(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("a.csv"));
    bex_csv *csv = bex_csv_create(path, columns, 2);
    assert_non_null(csv);
    assert_file(path, "step,loss,lr\n");
    assert_int_equal(bex_csv_row(csv, 12345678901LL, (double[]){1.0 / 3, NAN}), 0);
    assert_file(path, "step,loss,lr\n12345678901,0.333333333,nan\n");
    assert_int_equal(bex_csv_row(csv, 12345678901LL, (double[]){-1e-20, INFINITY}), 0);
    assert_int_equal(bex_csv_sync(csv), 0);
    assert_file(path, "step,loss,lr\n12345678901,0.333333333,nan\n12345678901,-1e-20,inf\n");
    bex_csv_close(csv);
    assert_null(bex_csv_create(path, columns, 2));
    assert_message("a.csv': File exists");
    unlink(path);
    bex_csv_close(NULL);
}

static void resume_equals_uninterrupted(void **state) {
    (void)state;
    char whole[512], cut[512];
    snprintf(whole, sizeof whole, "%s", scratch_path("whole.csv"));
    snprintf(cut, sizeof cut, "%s", scratch_path("cut.csv"));
    bex_csv *csv = bex_csv_create(whole, columns, 2);
    assert_int_equal(write_steps(csv, 1, 9), 0);
    bex_csv_close(csv);
    char *want;
    size_t size;
    assert_int_equal(bex_file_read(&want, &size, whole, 1 << 20), 0);
    for (int at = 0; at <= 9; at++) { // the checkpoint's step; the crash came at 7, row 8 is torn
        unlink(cut);
        csv = bex_csv_create(cut, columns, 2);
        write_steps(csv, 1, 7);
        bex_csv_close(csv);
        FILE *f = fopen(cut, "ab");
        fputs("800,0.", f);
        fclose(f);
        csv = bex_csv_resume(cut, columns, 2, at * 100 + 50);
        assert_non_null(csv);
        assert_int_equal(write_steps(csv, (at < 7 ? at : 7) + 1, 9), 0);
        bex_csv_close(csv);
        assert_file(cut, want);
    }
    free(want);
    unlink(whole);
    unlink(cut);
}

static void malformed_files_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "bad.csv:1: another header than 'step,loss,lr'"},
        {"step,loss\n", "bad.csv:1: another header"},
        {"step,loss,lr,x\n", "bad.csv:1: another header"},
        {"step,loss,lr", "bad.csv:1: another header"},
        {"step,loss,lr\n1,2\n", "bad.csv:2: the row has 2 columns, the header 3"},
        {"step,loss,lr\n1,2,3\n\n", "bad.csv:3: the row has 1 columns"},
        {"step,loss,lr\nx,2,3\n", "bad.csv:2: the row begins with no step"},
        {"step,loss,lr\n1111111111111111111111111,2,3\n", "begins with no step"},
        {"step,loss,lr\n5,2,3\n4,2,3\n", "bad.csv:3: step 4 after step 5"},
    };
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("bad.csv"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(path, cases[i].text);
        assert_null(bex_csv_resume(path, columns, 2, 100));
        assert_message(cases[i].message);
        assert_file(path, cases[i].text); // a refused file is left as it was
    }
    unlink(path);
    assert_null(bex_csv_resume(path, columns, 2, 100));
    assert_message("bad.csv': No such file");
    assert_null(bex_csv_create("/no/such/x.csv", columns, 2));
    assert_message("/no/such/x.csv");
}

static void a_full_disk_is_reported(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("full.csv"));
    bex_csv *csv = bex_csv_create(path, columns, 2);
    struct rlimit was, small;
    getrlimit(RLIMIT_FSIZE, &was);
    small = was;
    small.rlim_cur = 100;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    int code = write_steps(csv, 1, 20);
    setrlimit(RLIMIT_FSIZE, &was);
    assert_int_equal(code, -1);
    assert_message("full.csv': File too large");
    bex_csv_close(csv);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_there_at_once),
        cmocka_unit_test(resume_equals_uninterrupted),
        cmocka_unit_test(malformed_files_are_refused),
        cmocka_unit_test(a_full_disk_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
