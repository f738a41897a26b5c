/* data/writer_robomimic.c - a data set in robomimic's layout, pictures and all; LIBERO's attributes where
 * there is a scene.
 *
 *   data (attributes total, env_args; problem_info, bddl_file_name)
 *   data/demo_0 (attribute num_samples)/actions, rewards, dones, obs/<key>, obs/<camera>
 *
 * Arrays are contiguous, as they are read fastest: a picture is one piece of the file. One episode's pictures
 * of a camera are in memory at a time. */
#include "data/writer.h"

#include "base/error.h"
#include "base/path.h"
#include "base/real.h"
#include "data/dataset.h"
#include "data/hdf5_write.h"
#include "data/writer_parts.h"
#include "host/json.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *last_part(const char *key) {
    const char *slash = strrchr(key, '/');
    return slash ? slash + 1 : key;
}

// columns first .. first + width - 1 of an episode, as an array of its own
static int write_columns(bex_h5_out *file, const char *key, const bex_real *rows, int n, int stride,
                         int width) {
    bex_real *part = malloc((size_t)n * (size_t)width * sizeof *part);
    if (!part) return bex_fail("out of memory: %d rows", n);
    for (int r = 0; r < n; r++)
        memcpy(part + (size_t)r * (size_t)width, rows + (size_t)r * (size_t)stride,
               (size_t)width * sizeof *part);
    const int dims[2] = {n, width};
    int code = bex_h5_out_array(file, key, BEX_COLUMN_FLOAT64, 2, dims, part);
    free(part);
    return code;
}

static int write_observations(bex_h5_out *file, const bex_dataset *d, const char *demo, int first,
                              int n) {
    char key[BEX_PATH_SIZE];
    const bex_real *rows = d->observations + (size_t)first * (size_t)d->O;
    int code = 0;
    if (d->keys.count < 2) {
        const char *name = d->keys.count ? last_part(d->keys.text[0]) : "state";
        if (!strcmp(name, "observations")) name = "state";
        if (bex_path_join(key, demo, "obs/%s", name) < 0) return -1;
        return write_columns(file, key, rows, n, d->O, d->O);
    }
    for (int k = 0, at = 0; k < d->keys.count && code == 0; at += d->key_width[k++]) {
        if (bex_path_join(key, demo, "obs/%s", last_part(d->keys.text[k])) < 0) return -1;
        code = write_columns(file, key, rows + at, n, d->O, d->key_width[k]);
    }
    return code;
}

static int write_pictures(bex_h5_out *file, const bex_dataset *d, const char *demo, int first,
                          int n) {
    char key[BEX_PATH_SIZE];
    int code = 0;
    if (!d->pictures) return 0;
    const int dims[4] = {n, bex_pictures_height(d->pictures), bex_pictures_width(d->pictures), 3};
    size_t picture = bex_picture_bytes(dims[1], dims[2]);
    unsigned char *all = malloc((size_t)n * picture);
    if (!all) return bex_fail("out of memory: %d pictures", n);
    for (int c = 0; c < bex_dataset_cameras(d) && code == 0; c++) {
        code = bex_path_join(key, demo, "obs/%s", bex_pictures_cameras(d->pictures)->text[c]);
        for (int t = 0; t < n && code == 0; t++)
            code =
                bex_pictures_read(d->pictures, d->frames[first + t], c, all + (size_t)t * picture);
        if (code == 0) code = bex_h5_out_array(file, key, BEX_COLUMN_BYTE, 4, dims, all);
    }
    free(all);
    return code;
}

static int write_episode(bex_h5_out *file, const bex_dataset *d, int number, int e) {
    char demo[BEX_PATH_SIZE], key[BEX_PATH_SIZE];
    int first = d->start[e], n = bex_dataset_length(d, e), code = 0;
    if (bex_path_print(demo, "data/demo_%d", number) < 0 ||
        bex_path_join(key, demo, "actions") < 0 ||
        write_columns(file, key, d->actions + (size_t)first * (size_t)d->A, n, d->A, d->A) < 0)
        return -1;
    if (d->rewards) {
        code = bex_path_join(key, demo, "rewards");
        if (code == 0)
            code = bex_h5_out_array(file, key, BEX_COLUMN_FLOAT64, 1, &n, d->rewards + first);
    }
    if (code == 0) code = bex_path_join(key, demo, "dones");
    if (code == 0) code = bex_h5_out_array(file, key, BEX_COLUMN_BYTE, 1, &n, d->terminals + first);
    if (code == 0) code = write_observations(file, d, demo, first, n);
    if (code == 0) code = write_pictures(file, d, demo, first, n);
    return code < 0 ? -1 : bex_h5_out_integer(file, demo, "num_samples", n);
}

/* ---- what all episodes share ---- */

// the one label of these episodes, -1: none; -2 with a message: several
static int only(const int *label, const int *episodes, int count, const char *what) {
    for (int i = 1; i < count; i++)
        if (label[episodes[i]] != label[episodes[0]]) {
            bex_fail("several %ss: robomimic's layout has one a file", what);
            bex_fail_hint("convert file by file");
            return -2;
        }
    return label[episodes[0]];
}

static int write_json(bex_h5_out *file, const char *name, json_t *value) {
    char *text = value ? json_dumps(value, 0) : NULL;
    int code = text ? bex_h5_out_text(file, "data", name, text) : bex_fail("out of memory");
    free(text);
    json_decref(value);
    return code;
}

// a task is called as its BDDL file (data/reader_robomimic.c); the instruction is what follows the scene
static int write_task(bex_h5_out *file, const char *scene, const char *task) {
    char name[BEX_PATH_SIZE], said[BEX_PATH_SIZE];
    size_t n = strlen(scene);
    bool within = !strncmp(task, scene, n) && task[n] == '_';
    if (bex_path_print(said, "%s", within ? task + n + 1 : task) < 0 ||
        bex_path_print(name, "%s_%s.bddl", scene, said) < 0)
        return -1;
    for (char *c = name; *c; c++)
        if (*c == ' ') *c = '_';
    for (char *c = said; *c; c++)
        if (*c == '_') *c = ' ';
    int code = bex_h5_out_text(file, "data", "bddl_file_name", name);
    return code < 0
               ? code
               : write_json(file, "problem_info", json_pack("{s:s}", "language_instruction", said));
}

static int write_attributes(bex_h5_out *file, const bex_dataset *d, const int *episodes,
                            int count) {
    int t = only(d->task, episodes, count, "task"), s = only(d->scene, episodes, count, "scene");
    long long total = 0;
    if (t < -1 || s < -1) return -1;
    const char *task = t < 0 ? "demonstrations" : d->tasks.text[t];
    for (int i = 0; i < count; i++) total += bex_dataset_length(d, episodes[i]);
    int code = bex_h5_out_integer(file, "data", "total", total);
    if (code == 0)
        code = write_json(file, "env_args",
                          json_pack("{s:s, s:i, s:{}}", "env_name", task, "type", 1, "env_kwargs"));
    return code == 0 && s >= 0 ? write_task(file, d->scenes.text[s], task) : code;
}

int bex_writer_open_robomimic(bex_writer **writer, const char *path, const bex_dataset *d,
                              const int *episodes, int count) {
    int *all = NULL;
    if (!episodes) {
        count = d->episodes;
        all = malloc((size_t)count * sizeof *all + 1);
        if (!all) return bex_fail("out of memory: %d episodes", count);
        for (int e = 0; e < count; e++) all[e] = e;
        episodes = all;
    }
    int code = bex_writer_open(writer, path, NULL, 0);
    bex_h5_out *file = code < 0 ? NULL : bex_writer_file(*writer);
    for (int i = 0; i < count && code == 0; i++) code = write_episode(file, d, i, episodes[i]);
    if (code == 0) code = write_attributes(file, d, episodes, count);
    if (code < 0 && *writer) {
        bex_fail_in("'%s'", path);
        bex_writer_free(*writer);
        *writer = NULL;
    }
    free(all);
    return code;
}
