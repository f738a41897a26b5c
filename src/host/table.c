/* host/table.c - split lines and cells in place. */
#include "host/table.h"

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t LARGEST_FILE = (size_t)1 << 30;

static int parse_cell(double *value, const char *text) {
    if (!strcmp(text, "nan") || !strcmp(text, "-nan")) return *value = (double)NAN, 0;
    if (!strcmp(text, "inf")) return *value = (double)INFINITY, 0;
    if (!strcmp(text, "-inf")) return *value = -(double)INFINITY, 0;
    return bex_number_parse(value, text);
}

// cut off the next cell of a line; NULL after the last
static char *next_cell(char **line) {
    char *cell = *line;
    if (!cell) return NULL;
    char *comma = strchr(cell, ',');
    if (comma) *comma = 0;
    *line = comma ? comma + 1 : NULL;
    return cell;
}

static int read_names(bex_table *t, char *line) {
    int count = 1;
    for (const char *c = line; *c; c++) count += *c == ',';
    t->name = malloc((size_t)count * sizeof *t->name);
    if (!t->name) return bex_fail("out of memory");
    for (char *name; (name = next_cell(&line));) t->name[t->columns++] = name;
    return 0;
}

static int read_row(bex_table *t, char *line, int room) {
    int c = 0;
    for (char *cell; (cell = next_cell(&line)); c++) {
        if (c < t->columns &&
            parse_cell(&t->value[(size_t)c * (size_t)room + (size_t)t->rows], cell) < 0)
            return bex_fail("'%.40s' is not a number", cell);
    }
    if (c != t->columns) return bex_fail("not the %d columns of the header", t->columns);
    t->rows++;
    return 0;
}

int bex_table_load(bex_table *t, const char *path) {
    size_t size;
    *t = (bex_table){0};
    if (bex_file_read(&t->text, &size, path, LARGEST_FILE) < 0) return -1;
    int lines = 0, code = -1;
    for (size_t i = 0; i < size; i++) lines += t->text[i] == '\n';
    int number = 0, room = lines ? lines - 1 : 0;
    char *line = t->text;
    for (char *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        number++;
        if (number == 1) {
            if (read_names(t, line) < 0) goto done;
            t->value = malloc(((size_t)t->columns * (size_t)room + 1) * sizeof *t->value);
            if (!t->value) goto done;
        } else if (read_row(t, line, room) < 0) {
            bex_fail_in("%s:%d", path, number);
            goto done;
        }
    }
    code = number ? 0 : bex_fail("'%s' has no header", path);
done:
    if (code < 0) bex_table_fini(t);
    return code;
}

void bex_table_fini(bex_table *t) {
    free(t->name), free(t->value), free(t->text);
    *t = (bex_table){0};
}

const double *bex_table_column(const bex_table *t, const char *name) {
    for (int c = 0; c < t->columns; c++)
        if (!strcmp(t->name[c], name)) return t->value + (size_t)c * (size_t)t->rows;
    return NULL;
}
