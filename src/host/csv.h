/* host/csv.h - append-only table of numbers, one row a step: metrics.csv of a run.
 *
 *     step,loss,lr
 *     100,0.0321,0.0003
 *
 * The first column is an integer step that never decreases; the rest are written with 9 significant
 * digits, NaN as nan. Each row reaches the kernel before the call returns, so kill -9 loses none.
 * To resume from a checkpoint of step s, reopen: rows past s (and a torn last one) are cut off, and
 * the file goes on as if it had never been interrupted. One thread at a time. */
#ifndef BEX_HOST_CSV_H
#define BEX_HOST_CSV_H

typedef struct bex_csv bex_csv;

/* A new file with this header; columns[0..count) beside step. An existing path is refused. NULL
 * with a message. Names hold no comma, quote or control character (a bug otherwise). */
bex_csv *bex_csv_create(const char *path, const char *const *columns, int count);

/* Continue a file after `step`. A missing file, another header or a malformed row: NULL with a
 * message naming path and line. */
bex_csv *bex_csv_resume(const char *path, const char *const *columns, int count, long long step);

/* Append values[count]. 0, or negative with a message (full disk). A smaller step than the last is
 * a bug. */
int bex_csv_row(bex_csv *csv, long long step, const double *values);

/* Onto the disk itself: before a checkpoint that counts on these rows. 0 or negative. */
int bex_csv_sync(bex_csv *csv);

void bex_csv_close(bex_csv *csv); // NULL is fine

#endif
