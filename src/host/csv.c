/* host/csv.c - write rows whole, and cut a file back to a step. */
#include "host/csv.h"

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "base/path.h"
#include "base/text.h"
#include "host/nofollow.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const size_t LARGEST_FILE = (size_t)1 << 30;

struct bex_csv {
    FILE *stream;
    int count;
    long long last; // step of the last row
    char path[BEX_PATH_SIZE];
};

static char *header_line(const char *const *columns, int count) {
    bex_text text;
    if (bex_text_begin(&text) < 0) return NULL;
    FILE *out = text.out;
    fputs("step", out);
    for (int i = 0; i < count; i++) {
        for (const char *c = columns[i]; *c; c++)
            BEX_CHECK((unsigned char)*c >= 0x20 && *c != ',' && *c != '"', "csv column '%s'",
                      columns[i]);
        fprintf(out, ",%s", columns[i]);
    }
    fputc('\n', out);
    return bex_text_end(&text);
}

// a new file, or one that is there
static bex_csv *open_csv(const char *path, bool new, int count) {
    bex_csv *csv = calloc(1, sizeof *csv);
    BEX_CHECK(csv, "out of memory");
    csv->count = count;
    csv->last = LLONG_MIN;
    int fd = bex_path_print(csv->path, "%s", path) < 0
                 ? -1
                 : bex_open_nofollow(path, new ? O_WRONLY | O_CREAT | O_EXCL : O_RDWR);
    if (fd >= 0 && !(csv->stream = fdopen(fd, new ? "w" : "r+"))) {
        bex_fail("cannot write '%s': %s", path, strerror(errno));
        close(fd);
    }
    if (csv->stream) return csv;
    free(csv);
    return NULL;
}

static int flush(bex_csv *csv) {
    if (!fflush(csv->stream) && !ferror(csv->stream)) return 0;
    return bex_fail("cannot write '%s': %s", csv->path, strerror(errno));
}

bex_csv *bex_csv_create(const char *path, const char *const *columns, int count) {
    char *header = header_line(columns, count);
    bex_csv *csv = header ? open_csv(path, true, count) : NULL;
    if (csv) {
        fputs(header, csv->stream);
        if (flush(csv) < 0) bex_csv_close(csv), csv = NULL;
    }
    free(header);
    return csv;
}

// the step of a row line[0..length) with `count` more cells; negative with a message
static int row_step(long long *step, const char *line, size_t length, int count) {
    char word[24];
    size_t digits = 0;
    int commas = 0;
    for (size_t i = 0; i < length; i++) commas += line[i] == ',';
    while (digits < length && line[digits] != ',') digits++;
    snprintf(word, sizeof word, "%.*s", digits < sizeof word ? (int)digits : 0, line);
    if (commas != count)
        return bex_fail("the row has %d columns, the header %d", commas + 1, count + 1);
    if (bex_integer_parse(step, word) < 0) return bex_fail("the row begins with no step");
    return 0;
}

// bytes of text to keep: the header and the whole rows up to `step`
static int kept_bytes(bex_csv *csv, size_t *keep, const char *text, size_t size, const char *header,
                      long long step) {
    size_t at = strlen(header);
    if (size < at || memcmp(text, header, at) != 0)
        return bex_fail("%s:1: another header than '%.*s'", csv->path, (int)at - 1, header);
    for (int line = 2; at < size; line++) {
        const char *end = memchr(text + at, '\n', size - at);
        if (!end) break; // torn by a crash: never reported as written
        long long row;
        if (row_step(&row, text + at, (size_t)(end - text) - at, csv->count) < 0)
            return bex_fail_in("%s:%d", csv->path, line);
        if (row < csv->last)
            return bex_fail("%s:%d: step %lld after step %lld", csv->path, line, row, csv->last);
        if (row > step) break;
        csv->last = row;
        at = (size_t)(end - text) + 1;
    }
    *keep = at;
    return 0;
}

bex_csv *bex_csv_resume(const char *path, const char *const *columns, int count, long long step) {
    char *text, *header = NULL;
    size_t size, keep = 0;
    bex_csv *csv = NULL;
    if (bex_file_read(&text, &size, path, LARGEST_FILE) < 0) return NULL;
    header = header_line(columns, count);
    csv = header ? open_csv(path, false, count) : NULL;
    if (!csv) goto done;
    int bad = kept_bytes(csv, &keep, text, size, header, step);
    if (!bad && (ftruncate(fileno(csv->stream), (off_t)keep) < 0 ||
                 fseek(csv->stream, (long)keep, SEEK_SET) < 0))
        bad = bex_fail("cannot cut '%s': %s", path, strerror(errno));
    if (bad) bex_csv_close(csv), csv = NULL;
done:
    free(header);
    free(text);
    return csv;
}

int bex_csv_row(bex_csv *csv, long long step, const double *values) {
    BEX_CHECK(step >= csv->last, "csv step %lld after %lld", step, csv->last);
    fprintf(csv->stream, "%lld", step);
    for (int i = 0; i < csv->count; i++) {
        char text[BEX_NUMBER_SIZE];
        fprintf(csv->stream, ",%s", bex_number_round(text, values[i], 9));
    }
    fputc('\n', csv->stream);
    csv->last = step;
    return flush(csv);
}

int bex_csv_sync(bex_csv *csv) {
    if (flush(csv) < 0) return -1;
    if (fsync(fileno(csv->stream)) == 0) return 0;
    return bex_fail("cannot write '%s': %s", csv->path, strerror(errno));
}

void bex_csv_close(bex_csv *csv) {
    if (!csv) return;
    fclose(csv->stream);
    free(csv);
}
