/* Numbers read back from CSV: what bex_csv wrote, torn files, each refusal. */
#include "host/table.h"

#include "base/error.h"
#include "host/csv.h"

#include "test.h"

#include <math.h>

static char path[512];

static void put(const char *text) {
    FILE *f = fopen(path, "wb");
    fputs(text, f);
    fclose(f);
}

static void what_was_written_comes_back(void **state) {
    (void)state;
    static const char *const columns[] = {"loss", "lr"};
    unlink(path);
    bex_csv *csv = bex_csv_create(path, columns, 2);
    bex_csv_row(csv, 10, (double[]){0.5, NAN});
    bex_csv_row(csv, 20, (double[]){-1e-7, INFINITY});
    bex_csv_row(csv, 30, (double[]){3, -INFINITY});
    bex_csv_close(csv);
    FILE *f = fopen(path, "ab");
    fputs("40,1.2", f); // torn
    fclose(f);
    bex_table t;
    assert_int_equal(bex_table_load(&t, path), 0);
    assert_int_equal(t.columns, 3);
    assert_int_equal(t.rows, 3);
    const double *step = bex_table_column(&t, "step"), *loss = bex_table_column(&t, "loss");
    const double *lr = bex_table_column(&t, "lr");
    assert_true(step[0] == 10 && step[2] == 30 && loss[1] == -1e-7 && loss[2] == 3);
    assert_true(isnan(lr[0]) && isinf(lr[1]) && lr[2] < 0);
    assert_null(bex_table_column(&t, "none"));
    bex_table_fini(&t);
    put("step,loss\n");
    assert_int_equal(bex_table_load(&t, path), 0);
    assert_int_equal(t.rows, 0);
    assert_non_null(bex_table_column(&t, "loss"));
    bex_table_fini(&t);
}

static void malformed_files_are_refused(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", "has no header"},
        {"step,loss", "has no header"},
        {"step,loss\n1\n", "table.csv:2: not the 2 columns of the header"},
        {"step,loss\n1,2\n1,2,3\n", "table.csv:3: not the 2 columns"},
        {"step,loss\n1,x\n", "table.csv:2: 'x' is not a number"},
        {"step,loss\n1,\n", "table.csv:2: '' is not a number"},
    };
    bex_table t;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(cases[i][0]);
        assert_int_equal(bex_table_load(&t, path), -1);
        assert_message(cases[i][1]);
        assert_int_equal(t.rows, 0);
    }
    unlink(path);
    assert_int_equal(bex_table_load(&t, path), -1);
    assert_message("No such file");
}

int main(void) {
    snprintf(path, sizeof path, "%s", scratch_path("table.csv"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_comes_back),
        cmocka_unit_test(malformed_files_are_refused),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return code;
}
