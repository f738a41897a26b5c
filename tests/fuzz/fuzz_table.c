/* libFuzzer target: any text is a table of numbers, or one clear line; and what a run goes on from after a
 * kill (host/csv.h). */
#include "host/table.h"

#include "host/csv.h"

#include "base/error.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char *const columns[] = {"loss", "lr"};
    bex_table t;
    bex_error_clear();
    if (bex_table_load(&t, fuzz_path(bytes, size)) < 0)
        demand(is_one_line(bex_error()));
    else
        demand(t.columns >= 1 && t.rows >= 0);
    for (int c = 0; c < t.columns; c++) demand(bex_table_column(&t, t.name[c]) != NULL);
    bex_table_fini(&t);
    // a resume writes: a file with a name of its own, links being refused
    char name[] = "/dev/shm/fuzz-table-XXXXXX";
    int fd = mkstemp(name);
    demand(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && close(fd) == 0);
    bex_error_clear();
    bex_csv *csv = bex_csv_resume(name, columns, 2, 100);
    if (!csv)
        demand(is_one_line(bex_error()));
    else
        demand(bex_csv_row(csv, 101, (double[]){1, 2}) == 0);
    bex_csv_close(csv);
    unlink(name);
    return 0;
}
