/* data/dataset.c - memory of a data set. */
#include "data/dataset.h"

#include "base/error.h"
#include "base/pages.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bex_dataset *bex_dataset_new(void) {
    bex_dataset *d = calloc(1, sizeof *d);
    if (!d) bex_fail("out of memory");
    return d;
}

// FNV-1a over 32-bit floats, so that a build in double tells the same
uint64_t bex_dataset_identity(const bex_dataset *d, int episode) {
    uint64_t hash = 14695981039346656037u;
    size_t A = (size_t)d->A;
    for (size_t i = (size_t)d->start[episode] * A; i < (size_t)d->start[episode + 1] * A; i++) {
        float value = (float)d->actions[i];
        unsigned char byte[sizeof value];
        memcpy(byte, &value, sizeof value);
        for (size_t k = 0; k < sizeof value; k++) hash = (hash ^ byte[k]) * 1099511628211u;
    }
    return hash;
}

void bex_dataset_forget_rows(bex_dataset *d) {
#define FREE(field, type, width) free(d->field), d->field = NULL;
    BEX_DATASET_ROWS(FREE, d)
#undef FREE
}

void bex_dataset_free(bex_dataset *d) {
    if (!d) return;
    bex_dataset_forget_rows(d);
    free(d->start);
    free(d->task);
    free(d->scene);
    bex_names_fini(&d->tasks);
    bex_names_fini(&d->scenes);
    bex_names_fini(&d->keys);
    bex_columns_fini(&d->columns);
    bex_names_fini(&d->notes);
    bex_names_fini(&d->cameras);
    bex_pictures_free(d->pictures);
    free(d);
}

static unsigned long long default_limit(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || size <= 0) return 1ull << 32;
    return (unsigned long long)pages * (unsigned long long)size / 4 * 3;
}

static unsigned long long row_bytes(const bex_dataset *d, unsigned long long O,
                                    unsigned long long A) {
    return (O + A + 1) * sizeof(bex_real) + 2 + (d->pictures ? sizeof(int) : 0);
}

// bytes are flags and zeroed, reals are not
static void *allocate(size_t bytes, size_t element) {
    return element == 1 ? calloc(bytes, 1) : bex_pages_alloc(bytes);
}

int bex_dataset_allocate(bex_dataset *d, unsigned long long rows, unsigned long long O,
                         unsigned long long A, int has_rewards, unsigned long long limit) {
    if (!limit) limit = default_limit();
    if (!rows) return bex_fail("there are no rows: no episode");
    if (rows >= INT_MAX || O > 1u << 20 || A > 1u << 20)
        return bex_fail("absurd size: %llu rows of %llu observation and %llu action values", rows,
                        O, A);
    // below 2^31 * 2^21 * 8: no overflow
    unsigned long long bytes = rows * row_bytes(d, O, A);
    if (bytes > limit)
        return bex_fail("%llu rows of %llu + %llu values need %.1f GB of memory, the limit is %.1f",
                        rows, O, A, (double)bytes / 1e9, (double)limit / 1e9);
    d->rows = (int)rows, d->O = (int)O, d->A = (int)A, d->has_rewards = has_rewards != 0;
    int failed = 0;
#define ALLOCATE(field, type, width)                                                               \
    if (width) d->field = allocate((size_t)rows * (size_t)(width) * sizeof(type), sizeof(type));   \
    failed |= (width) && !d->field;
    BEX_DATASET_ROWS(ALLOCATE, d)
#undef ALLOCATE
    return failed ? bex_fail("out of memory: %.1f GB", (double)bytes / 1e9) : 0;
}

int bex_dataset_widen(bex_dataset *d, int more, const char *key) {
    size_t before = (size_t)d->O, wide = before + (size_t)more, rows = (size_t)d->rows;
    bex_real *all = bex_pages_alloc(rows * wide * sizeof *all);
    if (!all) return bex_fail("out of memory: %d rows of %zu values", d->rows, wide);
    memset(all, 0, rows * wide * sizeof *all);
    for (size_t r = 0; r < rows; r++)
        memcpy(all + r * wide, d->observations + r * before, before * sizeof *all);
    free(d->observations);
    d->observations = all, d->O = (int)wide;
    // columns without names stay without
    return d->columns.count ? bex_columns_add_key(&d->columns, key, more) : 0;
}

int bex_dataset_take_episodes(bex_dataset *d, int *start, int episodes) {
    size_t n = episodes > 0 ? (size_t)episodes : 1;
    free(d->start);
    free(d->task);
    free(d->scene);
    d->start = start, d->episodes = episodes;
    d->task = malloc(n * sizeof *d->task);
    d->scene = malloc(n * sizeof *d->scene);
    if (!d->task || !d->scene) return bex_fail("out of memory: %d episodes", episodes);
    for (int e = 0; e < episodes; e++) d->task[e] = d->scene[e] = -1;
    return 0;
}

void bex_dataset_truncate(bex_dataset *d, int episodes) {
    if (episodes >= d->episodes) return;
    d->episodes = episodes;
    d->rows = d->start[episodes];
}

static int check_same_shape(const bex_dataset *d, const bex_dataset *other) {
    if (other->O != d->O)
        return bex_fail("observations have %d columns, those before have %d", other->O, d->O);
    if (other->A != d->A)
        return bex_fail("actions have %d columns, those before have %d", other->A, d->A);
    if (!other->pictures != !d->pictures)
        return bex_fail("pictures are %s, unlike before", other->pictures ? "present" : "absent");
    if (other->has_rewards != d->has_rewards)
        return bex_fail("rewards are %s, unlike before", other->has_rewards ? "present" : "absent");
    return 0;
}

// grow *field by `extra` values and copy them behind the `used` there are
static int extend(void **field, size_t used, const void *more, size_t extra) {
    void *grown = realloc(*field, used + extra);
    if (!grown) return -1;
    *field = grown;
    memcpy((char *)grown + used, more, extra);
    return 0;
}

int bex_dataset_append(bex_dataset *d, const bex_dataset *o, unsigned long long limit) {
    if (check_same_shape(d, o) < 0) return -1;
    unsigned long long rows = (unsigned long long)d->rows + (unsigned long long)o->rows;
    unsigned long long row = row_bytes(d, (unsigned)d->O, (unsigned)d->A);
    if (!limit) limit = default_limit();
    if (rows >= INT_MAX || rows * row > limit)
        return bex_fail("%llu rows are too many: %.1f GB of memory, the limit is %.1f", rows,
                        (double)(rows * row) / 1e9, (double)limit / 1e9);
    int failed = 0, frame = d->pictures ? bex_pictures_append(d->pictures, o->pictures) : 0;
    if (frame < 0) return -1;
#define EXTEND(field, type, width)                                                                 \
    if (width) {                                                                                   \
        size_t values = (size_t)(width) * sizeof(type);                                            \
        void *array = d->field;                                                                    \
        failed |=                                                                                  \
            extend(&array, (size_t)d->rows * values, o->field, (size_t)o->rows * values) < 0;      \
        d->field = array;                                                                          \
    }
    BEX_DATASET_ROWS(EXTEND, d)
#undef EXTEND
    size_t n = (size_t)d->episodes + (size_t)o->episodes;
    int *start = realloc(d->start, (n + 1) * sizeof *start);
    if (start) d->start = start;
    int *task = realloc(d->task, (n + 1) * sizeof *task);
    if (task) d->task = task;
    int *scene = realloc(d->scene, (n + 1) * sizeof *scene);
    if (scene) d->scene = scene;
    if (failed || !start || !task || !scene) return bex_fail("out of memory: %llu rows", rows);
    for (int e = 0; e < o->episodes; e++) {
        int to = d->episodes + e;
        start[to + 1] = d->rows + o->start[e + 1];
        task[to] = o->task[e] < 0 ? -1 : bex_names_add(&d->tasks, o->tasks.text[o->task[e]]);
        scene[to] = o->scene[e] < 0 ? -1 : bex_names_add(&d->scenes, o->scenes.text[o->scene[e]]);
    }
    for (unsigned long long r = (unsigned long long)d->rows; d->pictures && r < rows; r++)
        d->frames[r] += frame;
    d->rows = (int)rows, d->episodes = (int)n;
    for (int i = 0; i < o->notes.count; i++)
        if (bex_names_add(&d->notes, o->notes.text[i]) < 0) return -1;
    return 0;
}

int bex_dataset_note(bex_dataset *d, const char *fmt, ...) {
    char text[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return bex_names_add(&d->notes, text) < 0 ? -1 : 0;
}

void bex_dataset_gather(const bex_dataset *d, const int *rows, int n, bex_real *out) {
    const size_t O = (size_t)d->O;
    for (int i = 0; i < n; i++)
        memcpy(out + (size_t)i * O, d->observations + (size_t)rows[i] * O, O * sizeof *out);
}
