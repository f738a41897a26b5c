/* data/grouped.c - episodes that lie in groups of their own: measure all, then read all. */
#include "base/error.h"
#include "base/path.h"
#include "data/reader.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int bex_grouped_keys(bex_h5 *file, const char *group, const char *prefix, bex_names *keys) {
    char path[BEX_PATH_SIZE], inner[BEX_PATH_SIZE];
    if (bex_path_join(path, group, "%s", prefix) < 0) return -1;
    if (strlen(path) > 500) return bex_fail("'%.60s...' is nested too deep", path);
    bex_h5_kind kind = bex_h5_find(file, path);
    if (kind == BEX_H5_DATASET) {
        bex_h5_shape s;
        if (bex_h5_measure(file, path, &s) < 0) return -1;
        int usable = (s.content == BEX_H5_NUMBERS || s.content == BEX_H5_BOOLEANS) && s.rank >= 1 &&
                     s.rank <= 2;
        return usable && bex_names_push(keys, prefix) < 0 ? -1 : 0;
    }
    if (kind != BEX_H5_GROUP) return 0;
    bex_names names = {0};
    int code = bex_h5_names(file, path, &names);
    bex_names_sort_natural(&names);
    for (int i = 0; i < names.count && code == 0; i++) {
        code = bex_path_join(inner, prefix, "%s", names.text[i]);
        if (code == 0) code = bex_grouped_keys(file, group, inner, keys);
    }
    bex_names_fini(&names);
    return code;
}

// width of an array with `rows` rows (*rows < 0: any, set), or negative
static int measure(bex_h5 *file, const char *group, const char *key, long long *rows, int spare) {
    char path[BEX_PATH_SIZE];
    bex_h5_shape s;
    if (bex_path_join(path, group, "%s", key) < 0 || bex_h5_measure(file, path, &s) < 0) return -1;
    if (s.rank < 1 || s.rank > 2)
        return bex_fail("'%s' has rank %d, expected 1 or 2%s", path, s.rank,
                        s.rank > 2 ? " (an image?)" : "");
    if (s.content != BEX_H5_NUMBERS && s.content != BEX_H5_BOOLEANS)
        return bex_fail("'%s' does not hold numbers", path);
    if (!s.columns || s.columns > 1u << 20)
        return bex_fail("'%s' has %llu columns", path, s.columns);
    if (*rows < 0) *rows = (long long)s.rows;
    long long more = (long long)s.rows - *rows;
    if (more != 0 && more != spare)
        return bex_fail("'%s' has %llu rows, the actions have %lld", path, s.rows, *rows);
    return (int)s.columns;
}

typedef struct widths {
    int obs[BEX_DATASET_MOST_KEYS], act[BEX_DATASET_MOST_KEYS], O, A;
} widths;

static int measure_keys(bex_h5 *file, const char *group, const bex_names *keys, long long *rows,
                        int spare, int *width, int *total, int first_group) {
    for (int k = 0; k < keys->count; k++) {
        int w = measure(file, group, keys->text[k], rows, spare);
        if (w < 0) return -1;
        if (first_group) width[k] = w, *total += w;
        if (w != width[k])
            return bex_fail("'%s/%s' has %d columns, before it %d", group, keys->text[k], w,
                            width[k]);
    }
    return 0;
}

static int measure_all(bex_h5 *file, const bex_grouped *p, int episodes, int *start, widths *w) {
    *w = (widths){.O = 0};
    start[0] = 0;
    for (int e = 0; e < episodes; e++) {
        const char *group = p->groups->text[e];
        long long rows = -1;
        if (measure_keys(file, group, p->actions, &rows, 0, w->act, &w->A, e == 0) < 0 ||
            measure_keys(file, group, p->observations, &rows, p->spare_rows, w->obs, &w->O,
                         e == 0) < 0)
            return -1;
        if (!rows) return bex_fail("'%s' has no rows", group);
        if (rows > 0x7ffffffe - start[e]) return bex_fail("'%s': absurd number of rows", group);
        start[e + 1] = start[e] + (int)rows;
    }
    return 0;
}

static int read_keys(bex_dataset *d, bex_h5 *file, const char *group, const bex_names *keys,
                     const int *width, int at, int rows, bex_real *out, int stride,
                     const bex_load_options *o) {
    char path[BEX_PATH_SIZE];
    for (int k = 0, column = 0, bad; k < keys->count; column += width[k++]) {
        if (bex_path_join(path, group, "%s", keys->text[k]) < 0) return -1;
        bex_real *to = out + (size_t)at * (size_t)stride + (size_t)column;
        if (bex_h5_read(file, path, 0, rows, to, stride, &bad) < 0 ||
            bex_reader_check_finite(d, path, bad, o) < 0)
            return -1;
    }
    return 0;
}

// 1 if group/key is an array of `rows` single values, 0 if absent
static int has_series(bex_h5 *file, const char *group, const char *key, int rows,
                      char path[BEX_PATH_SIZE]) {
    if (!key) return 0;
    if (bex_path_join(path, group, "%s", key) < 0) return -1;
    if (bex_h5_find(file, path) == BEX_H5_ABSENT) return 0;
    long long expected = rows;
    int w = measure(file, group, key, &expected, 0);
    if (w > 1) return bex_fail("'%s' has %d columns, expected one value a row", path, w);
    return w;
}

static int read_series(bex_dataset *d, bex_h5 *file, const bex_grouped *p, int e,
                       const bex_load_options *o) {
    const char *group = p->groups->text[e];
    char path[BEX_PATH_SIZE];
    int at = d->start[e], rows = bex_dataset_length(d, e), there, bad;
    if ((there = has_series(file, group, p->terminals, rows, path)) < 0) return -1;
    if (there && bex_h5_read_flags(file, path, 0, rows, d->terminals + at) < 0) return -1;
    if ((there = has_series(file, group, p->timeouts, rows, path)) < 0) return -1;
    if (there && bex_h5_read_flags(file, path, 0, rows, d->timeouts + at) < 0) return -1;
    if (!d->has_rewards) return 0;
    if ((there = has_series(file, group, p->rewards, rows, path)) < 0) return -1;
    if (!there) return bex_fail("'%s/%s' is missing, other episodes have it", group, p->rewards);
    if (bex_h5_read(file, path, 0, rows, d->rewards + at, 1, &bad) < 0) return -1;
    return bex_reader_check_finite(d, path, bad, o);
}

/* ---- pictures ---- */

// does group/key hold pictures? Names of arrays that merely have three dimensions too many are no cameras
static int is_camera(bex_h5 *file, const char *path) {
    bex_h5_pictures p;
    bex_h5_shape s;
    if (bex_h5_find(file, path) != BEX_H5_DATASET) return 0;
    int yes = bex_h5_measure(file, path, &s) == 0 && s.rank == 4 &&
              bex_h5_measure_pictures(file, path, &p) == 0;
    bex_error_clear();
    return yes;
}

static const char *last_part(const char *key) {
    const char *slash = strrchr(key, '/');
    return slash ? slash + 1 : key;
}

static int list_cameras(bex_h5 *file, const char *group, const char *prefix, bex_names *there) {
    char path[BEX_PATH_SIZE], inner[BEX_PATH_SIZE];
    bex_names names = {0};
    if (bex_path_join(path, group, "%s", prefix) < 0) return -1;
    if (bex_h5_find(file, path) == BEX_H5_DATASET)
        return is_camera(file, path) ? bex_names_push(there, last_part(prefix)) : 0;
    if (bex_h5_find(file, path) != BEX_H5_GROUP) return 0;
    int code = bex_h5_names(file, path, &names);
    bex_names_sort_natural(&names);
    for (int i = 0; i < names.count && code >= 0; i++) {
        code = bex_path_join(inner, path, "%s", names.text[i]);
        if (code == 0 && is_camera(file, inner)) code = bex_names_push(there, names.text[i]);
    }
    bex_names_fini(&names);
    return code < 0 ? -1 : 0;
}

static int no_camera(const char *name, const bex_names *there) {
    char list[200] = "";
    size_t used = 0;
    for (int i = 0; i < there->count && used < sizeof list; i++)
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? "," : "", there->text[i]);
    bex_fail("no camera '%s' (%s)", name, there->count ? list : "there are no pictures");
    return there->count ? bex_fail_hint("--data.images=%s", list) : -1;
}

int bex_grouped_cameras(bex_h5 *file, const char *group, const char *prefix,
                        const bex_load_options *o, bex_names *there, bex_names *cameras,
                        bex_names *keys) {
    char key[BEX_PATH_SIZE], whole[BEX_PATH_SIZE];
    bex_names wanted = {0};
    if (list_cameras(file, group, prefix, there) < 0) return -1;
    if (!o->images || !o->images[0]) return 0;
    bool all = !strcmp(o->images, "all");
    int code = all ? 0 : bex_names_parse(&wanted, o->images);
    const bex_names *list = all ? there : &wanted;
    for (int i = 0; i < list->count && code >= 0; i++) {
        const char *name = list->text[i];
        if (bex_names_find(cameras, name) >= 0) {
            code = bex_fail("camera '%s' is named twice", name);
            break;
        }
        code = bex_path_join(key, prefix, "%s", name);
        if (code == 0) code = bex_path_join(whole, group, "%s", key);
        if (code == 0 && bex_h5_find(file, whole) == BEX_H5_ABSENT &&
            bex_names_find(there, name) >= 0)
            code = bex_path_print(key, "%s", prefix); // the observation is the picture itself
        else if (code == 0 && bex_h5_find(file, whole) == BEX_H5_ABSENT)
            code = no_camera(name, there);
        if (code >= 0) code = bex_names_push(cameras, name);
        if (code >= 0) code = bex_names_push(keys, key);
    }
    if (code >= 0 && cameras->count > BEX_CAMERAS)
        code = bex_fail("%d cameras, at most %d are possible", cameras->count, BEX_CAMERAS);
    bex_names_fini(&wanted);
    return code < 0 ? -1 : 0;
}

// an episode's pictures, as many as rows (or spare ones more)
static int measure_pictures(bex_h5 *file, const bex_grouped *p, int e, int rows,
                            bex_h5_pictures *found, char keys[][BEX_PATH_SIZE]) {
    for (int c = 0; c < p->images->count; c++) {
        if (bex_path_join(keys[c], p->groups->text[e], "%s", p->images->text[c]) < 0 ||
            bex_h5_measure_pictures(file, keys[c], &found[c]) < 0)
            return -1;
        int more = found[c].rows - rows;
        if (more != 0 && more != p->spare_rows)
            return bex_fail("'%s' has %d pictures, the actions have %d rows", keys[c],
                            found[c].rows, rows);
        found[c].rows = rows;
    }
    return 0;
}

static int check_size(const bex_dataset *d, const bex_load_options *o, const bex_h5_pictures *f,
                      const char *key) {
    if (o->pictures.size || (f->height == bex_pictures_height(d->pictures) &&
                             f->width == bex_pictures_width(d->pictures)))
        return 0;
    bex_fail("'%s' has pictures of %d x %d pixels, others %d x %d", key, f->height, f->width,
             bex_pictures_height(d->pictures), bex_pictures_width(d->pictures));
    return bex_fail_hint("--data.image_size=%d makes them one size", f->height);
}

// all pieces, before memory is taken for rows
static int add_pictures(bex_dataset *d, bex_h5 *file, const bex_grouped *p,
                        const bex_load_options *o) {
    bex_h5_pictures found[BEX_CAMERAS];
    char keys[BEX_CAMERAS][BEX_PATH_SIZE];
    for (int e = 0; e < d->episodes; e++) {
        const char *names[BEX_CAMERAS];
        if (measure_pictures(file, p, e, bex_dataset_length(d, e), found, keys) < 0) return -1;
        if (!d->pictures)
            d->pictures =
                bex_pictures_new(p->cameras, found[0].height, found[0].width, &o->pictures);
        if (!d->pictures) return -1;
        for (int c = 0; c < p->images->count; c++) {
            names[c] = keys[c];
            if (check_size(d, o, &found[c], keys[c]) < 0) return -1;
        }
        if (bex_pictures_add(d->pictures, p->path, names, found) < 0) return -1;
    }
    return 0;
}

int bex_grouped_load(bex_dataset *d, bex_h5 *file, const bex_grouped *p,
                     const bex_load_options *o) {
    int episodes = p->groups->count;
    if (o->limit && o->limit < episodes) episodes = o->limit;
    if (!episodes) return bex_fail("there are no episodes");
    if (!p->observations->count) return bex_fail("'%s' has no observations", p->groups->text[0]);
    if (!p->actions->count) return bex_fail("'%s' has no actions", p->groups->text[0]);
    if (p->observations->count > BEX_DATASET_MOST_KEYS || p->actions->count > BEX_DATASET_MOST_KEYS)
        return bex_fail("more than %d observation or action keys", BEX_DATASET_MOST_KEYS);
    int *start = malloc(((size_t)episodes + 1) * sizeof *start);
    if (!start) return bex_fail("out of memory: %d episodes", episodes);
    widths w;
    if (measure_all(file, p, episodes, start, &w) < 0) return free(start), -1;
    if (bex_dataset_take_episodes(d, start, episodes) < 0) return -1;
    if (p->images && p->images->count && add_pictures(d, file, p, o) < 0) return -1;
    char path[BEX_PATH_SIZE];
    int rewards = has_series(file, p->groups->text[0], p->rewards, start[1], path);
    if (rewards < 0 ||
        bex_dataset_allocate(d, (unsigned long long)start[episodes], (unsigned long long)w.O,
                             (unsigned long long)w.A, rewards, o->most) < 0)
        return -1;
    for (int r = 0; d->pictures && r < d->rows; r++) d->frames[r] = r;
    for (int k = 0; k < p->observations->count; k++) {
        if (bex_names_push(&d->keys, p->observations->text[k]) < 0) return -1;
        d->key_width[k] = w.obs[k];
    }
    for (int e = 0; e < episodes; e++) {
        const char *group = p->groups->text[e];
        int rows = bex_dataset_length(d, e);
        if (read_keys(d, file, group, p->observations, w.obs, start[e], rows, d->observations, d->O,
                      o) < 0 ||
            read_keys(d, file, group, p->actions, w.act, start[e], rows, d->actions, d->A, o) < 0 ||
            read_series(d, file, p, e, o) < 0)
            return -1;
    }
    return 0;
}
