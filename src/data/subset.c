/* data/subset.c - every row array of the X-macro copied by episodes; names are kept whole. */
#include "data/subset.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static int copy_labels(bex_names *to, const bex_names *from) {
    for (int i = 0; i < from->count; i++)
        if (bex_names_push(to, from->text[i]) < 0) return -1;
    return 0;
}

static int copy_episodes(bex_dataset *s, const bex_dataset *d, const int *episodes, int n) {
    for (int i = 0; i < n; i++) {
        size_t to = (size_t)s->start[i], from = (size_t)d->start[episodes[i]];
        size_t rows = (size_t)bex_dataset_length(d, episodes[i]);
#define COPY(field, type, width)                                                                   \
    if (width)                                                                                     \
        memcpy(s->field + to * (size_t)(width), d->field + from * (size_t)(width),                 \
               rows * (size_t)(width) * sizeof(type));
        BEX_DATASET_ROWS(COPY, d)
#undef COPY
        s->task[i] = d->task[episodes[i]];
        s->scene[i] = d->scene[episodes[i]];
    }
    memcpy(s->key_width, d->key_width, sizeof s->key_width);
    memcpy(s->kind, d->kind, sizeof s->kind);
    if (copy_labels(&s->cameras, &d->cameras) < 0) return -1;
    if (bex_columns_copy(&s->columns, &d->columns) < 0) return -1;
    if (copy_labels(&s->tasks, &d->tasks) < 0 || copy_labels(&s->scenes, &d->scenes) < 0) return -1;
    return copy_labels(&s->keys, &d->keys);
}

bex_dataset *bex_dataset_subset(const bex_dataset *d, const int *episodes, int n) {
    bex_dataset *s = bex_dataset_new();
    int *start = malloc(((size_t)n + 1) * sizeof *start);
    if (!s || !start) {
        bex_fail("out of memory: %d episodes", n);
        goto fail;
    }
    s->pictures = bex_pictures_share(d->pictures);
    start[0] = 0;
    for (int i = 0; i < n; i++) start[i + 1] = start[i] + bex_dataset_length(d, episodes[i]);
    if (bex_dataset_allocate(s, (unsigned long long)start[n], (unsigned)d->O, (unsigned)d->A,
                             d->has_rewards, 0) < 0)
        goto fail;
    int taken = bex_dataset_take_episodes(s, start, n);
    start = NULL; // the data set's now
    if (taken < 0 || copy_episodes(s, d, episodes, n) < 0) goto fail;
    return s;
fail:
    free(start);
    bex_dataset_free(s);
    return NULL;
}

static int increasing(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

// episodes in increasing order; their rows move together, and what is left over is given back
static void keep(bex_dataset *d, const int *episodes, int n) {
    for (int i = 0; i < n; i++) {
        int e = episodes[i], rows = bex_dataset_length(d, e);
        size_t to = (size_t)d->start[i], from = (size_t)d->start[e];
#define MOVE(field, type, width)                                                                   \
    if (width)                                                                                     \
        memmove(d->field + to * (size_t)(width), d->field + from * (size_t)(width),                \
                (size_t)rows * (size_t)(width) * sizeof(type));
        BEX_DATASET_ROWS(MOVE, d)
#undef MOVE
        d->start[i + 1] = d->start[i] + rows;
        d->task[i] = d->task[e];
        d->scene[i] = d->scene[e];
    }
    bex_dataset_truncate(d, n);
#define SHRINK(field, type, width)                                                                 \
    if (width) {                                                                                   \
        void *less = realloc(d->field, (size_t)d->rows * (size_t)(width) * sizeof(type));          \
        if (less) d->field = less;                                                                 \
    }
    BEX_DATASET_ROWS(SHRINK, d)
#undef SHRINK
}

bex_dataset *bex_dataset_hold_out(bex_dataset *d, double fraction, bex_rng rng) {
    int n = d->episodes, out = (int)(fraction * n + 0.5);
    if (n < 2) {
        bex_fail("one episode cannot be both trained on and held out");
        bex_fail_hint("data.held_out=0 trains on it; or the file was not cut: bex data show");
        return NULL;
    }
    if (out < 1) out = 1;
    if (out > n - 1) out = n - 1;
    int *order = malloc((size_t)n * sizeof *order);
    if (!order) return bex_fail("out of memory: %d episodes", n), NULL;
    for (int i = 0; i < n; i++) order[i] = i;
    bex_rng_shuffle(&rng, order, n);
    qsort(order, (size_t)out, sizeof *order, increasing);
    qsort(order + out, (size_t)(n - out), sizeof *order, increasing);
    bex_dataset *held = bex_dataset_subset(d, order, out);
    if (held) keep(d, order + out, n - out);
    free(order);
    return held;
}
