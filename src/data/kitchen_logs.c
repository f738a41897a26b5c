/* data/kitchen_logs.c - names first, then sizes, then rows. */
#include "data/kitchen_logs.h"

#include "base/error.h"
#include "base/path.h"
#include "data/hdf5.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_LOGS = 100000, ARRAYS = 3 };

static const struct {
    const char *key;
    int width;
} arrays[ARRAYS] = {
    {"qpos", BEX_KITCHEN_LOG_QPOS}, {"qvel", BEX_KITCHEN_LOG_QVEL}, {"ctrl", BEX_KITCHEN_LOG_CTRL}};

void bex_kitchen_logs_fini(bex_kitchen_logs *l) {
    bex_names_fini(&l->groups);
    bex_names_fini(&l->names);
    free(l->group);
    free(l->start);
    free(l->qpos);
    free(l->qvel);
    free(l->ctrl);
    *l = (bex_kitchen_logs){0};
}

// names of the chosen logs, and the group of each
static int list_logs(bex_h5 *file, bex_kitchen_logs *l, int every) {
    char path[BEX_PATH_SIZE];
    bex_names inner = {0};
    int code = bex_h5_names(file, "/", &l->groups);
    l->group = malloc(MOST_LOGS * sizeof *l->group);
    if (code == 0 && !l->group) code = bex_fail("out of memory");
    for (int g = 0; g < l->groups.count && code == 0; g++) {
        const char *group = l->groups.text[g];
        if (bex_h5_find(file, group) != BEX_H5_GROUP) continue;
        code = bex_h5_names(file, group, &inner);
        bex_names_sort_natural(&inner);
        for (int i = 0; i < inner.count && code == 0; i += every) {
            if (l->count == MOST_LOGS) code = bex_fail("more than %d logs", MOST_LOGS);
            if (code == 0) code = bex_path_join(path, group, "%s", inner.text[i]);
            if (code == 0 && bex_names_push(&l->names, path) < 0) code = -1;
            if (code == 0) l->group[l->count++] = g;
        }
        bex_names_fini(&inner);
    }
    if (code == 0 && !l->count) code = bex_fail("no groups of kitchen logs in it");
    return code;
}

// rows of one log, all its arrays agreeing; or negative
static int measure(bex_h5 *file, const char *log) {
    int rows = -1;
    for (int a = 0; a < ARRAYS; a++) {
        char key[BEX_PATH_SIZE];
        bex_h5_shape s;
        if (bex_path_join(key, log, "%s", arrays[a].key) < 0 || bex_h5_measure(file, key, &s) < 0)
            return -1;
        if (s.rank != 2 || s.columns != (unsigned)arrays[a].width)
            return bex_fail("'%s' is not an array of %d columns", key, arrays[a].width);
        if (s.rows > INT_MAX / 64) return bex_fail("'%s' has %llu rows", key, s.rows);
        if (rows >= 0 && rows != (int)s.rows)
            return bex_fail("'%s' has %llu rows, '%s' %d", key, s.rows, arrays[0].key, rows);
        rows = (int)s.rows;
    }
    return rows >= 2 ? rows : bex_fail("'%s' has %d rows; a log needs two", log, rows);
}

static int measure_all(bex_h5 *file, bex_kitchen_logs *l) {
    l->start = malloc(((size_t)l->count + 1) * sizeof *l->start);
    if (!l->start) return bex_fail("out of memory");
    l->start[0] = 0;
    for (int i = 0; i < l->count; i++) {
        int rows = measure(file, l->names.text[i]);
        if (rows < 0) return -1;
        if (rows > INT_MAX / 64 - l->start[i]) return bex_fail("too many rows");
        l->start[i + 1] = l->start[i] + rows;
    }
    return 0;
}

static int read_all(bex_h5 *file, bex_kitchen_logs *l) {
    bex_real **out[ARRAYS] = {&l->qpos, &l->qvel, &l->ctrl};
    for (int a = 0; a < ARRAYS; a++) {
        size_t width = (size_t)arrays[a].width;
        *out[a] = malloc((size_t)l->start[l->count] * width * sizeof **out[a]);
        if (!*out[a]) return bex_fail("out of memory for %d rows", l->start[l->count]);
        for (int i = 0; i < l->count; i++) {
            char key[BEX_PATH_SIZE];
            int bad, rows = l->start[i + 1] - l->start[i];
            if (bex_path_join(key, l->names.text[i], "%s", arrays[a].key) < 0 ||
                bex_h5_read(file, key, 0, rows, *out[a] + (size_t)l->start[i] * width, (int)width,
                            &bad) < 0)
                return -1;
            if (bad >= 0) return bex_fail("'%s' row %d is not finite", key, bad);
        }
    }
    return 0;
}

int bex_kitchen_logs_load(bex_kitchen_logs *l, const char *path, int every) {
    bex_h5 *file = NULL;
    *l = (bex_kitchen_logs){0};
    int code = bex_h5_open(&file, path);
    if (code == 0) code = list_logs(file, l, every);
    if (code == 0) code = measure_all(file, l);
    if (code == 0) code = read_all(file, l);
    bex_h5_close(file);
    if (code == 0) return 0;
    bex_kitchen_logs_fini(l);
    return bex_fail_in("'%s'", path);
}
