/* data/load.c - the table of readers, and directories. */
#include "data/load.h"

#include "base/error.h"
#include "base/nearest.h"
#include "base/path.h"
#include "data/reader.h"
#include "data/recording.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const bex_reader *const readers[] = {&bex_reader_d4rl, &bex_reader_minari,
                                            &bex_reader_libero, &bex_reader_robomimic};
enum { READERS = sizeof readers / sizeof *readers };

const char *bex_load_formats(void) {
    return "d4rl, minari, libero, robomimic";
}

static const bex_reader *find_reader(const char *name) {
    const char *known[READERS];
    for (int i = 0; i < READERS; i++) {
        known[i] = readers[i]->name;
        if (!strcmp(known[i], name)) return readers[i];
    }
    bex_fail("no format '%s' (%s)", name, bex_load_formats());
    const char *near = bex_nearest(name, known, READERS, sizeof *known);
    if (near) bex_fail_hint("did you mean %s?", near);
    return NULL;
}

// say what the file does hold, so that its owner sees what is missing
static void unrecognised(bex_h5 *file) {
    bex_names names = {0};
    char list[200] = "";
    int shown = 0;
    if (bex_h5_names(file, "/", &names) < 0) goto done;
    for (size_t used = 0; shown < names.count && shown < 3; shown++) {
        int n = snprintf(list + used, sizeof list - used, "%s'%s'", shown ? ", " : "",
                         names.text[shown]);
        used += (size_t)n;
        if (used >= sizeof list) break;
    }
    bex_fail("no kind of demonstration file bex reads (%s): its root holds %s%s (%d in all)",
             bex_load_formats(), names.count ? list : "nothing", shown < names.count ? ", ..." : "",
             names.count);
    if (bex_names_find(&names, "observations") >= 0 && bex_names_find(&names, "actions") < 0)
        bex_fail_hint("d4rl has 'actions' beside 'observations', which is missing");
    else
        bex_fail_hint(
            "docs/your-robot.md writes such a file; --format, in training --data.format, forces a kind");
done:
    bex_names_fini(&names);
}

static const bex_reader *recognise(bex_h5 *file) {
    for (int i = 0; i < READERS; i++)
        if (readers[i]->recognise(file)) return readers[i];
    unrecognised(file);
    return NULL;
}

// the columns by the file's own keys, unless they were named one by one or the key says nothing
static int name_columns(bex_dataset *d) {
    if (d->columns.count || (d->keys.count == 1 && !strcmp(d->keys.text[0], "observations")))
        return 0;
    for (int k = 0; k < d->keys.count; k++) {
        const char *key = d->keys.text[k];
        if (!strncmp(key, "obs/", 4)) key += 4;
        if (!strncmp(key, "observations/", 13)) key += 13;
        if (bex_columns_add_key(&d->columns, key, d->key_width[k]) < 0) return -1;
    }
    return 0;
}

// a file without HDF5
static bex_dataset *load_recording(const char *path, const bex_load_options *o) {
    bex_recording r;
    bex_dataset *d = bex_recording_load(&r, path) < 0 ? NULL : bex_recording_dataset(&r);
    bex_recording_fini(&r);
    if (!d) return bex_fail_in("data"), NULL;
    if (o->limit) bex_dataset_truncate(d, o->limit);
    return d;
}

static bex_dataset *load_file(const char *path, const bex_load_options *o) {
    if (bex_is_recording(path)) return load_recording(path, o);
    bex_h5 *file = NULL;
    bex_dataset *d = NULL;
    int code = -1;
    const bex_reader *reader = o->format ? find_reader(o->format) : NULL;
    if (o->format && !reader) return NULL;
    if (bex_h5_open(&file, path) < 0) return bex_fail_in("data '%s'", path), NULL;
    if (!reader) reader = recognise(file);
    d = bex_dataset_new();
    if (!reader || !d) goto done;
    snprintf(d->kind, sizeof d->kind, "%s", reader->name);
    code = reader->load(d, file, path, o);
    if (code == 0) code = name_columns(d);
done:
    bex_h5_close(file);
    if (code == 0) return d;
    bex_dataset_free(d);
    bex_fail_in("data '%s'", path);
    return NULL;
}

static int exists(const char *path) {
    struct stat st;
    return stat(path, &st) == 0;
}

static int is_data_file(const char *name) {
    size_t n = strlen(name);
    return name[0] != '.' &&
           ((n > 5 && !strcmp(name + n - 5, ".hdf5")) || (n > 3 && !strcmp(name + n - 3, ".h5")));
}

static int list_files(bex_names *files, const char *path) {
    DIR *directory = opendir(path);
    if (!directory) return bex_fail("data '%s': cannot list this directory", path);
    int code = 0;
    for (struct dirent *e; code == 0 && (e = readdir(directory));)
        if (is_data_file(e->d_name)) code = bex_names_push(files, e->d_name) < 0 ? -1 : 0;
    closedir(directory);
    bex_names_sort_natural(files);
    if (code == 0 && !files->count)
        code = bex_fail("data '%s': no .hdf5 file in this directory", path);
    return code;
}

static bex_dataset *load_directory(const char *path, const bex_load_options *o) {
    static const char *const minari[] = {"main_data.hdf5", "data/main_data.hdf5"};
    char file[BEX_PATH_SIZE];
    for (int i = 0; i < 2; i++) {
        if (bex_path_join(file, path, "%s", minari[i]) < 0) return NULL;
        if (exists(file)) return load_file(file, o);
    }
    bex_names files = {0};
    bex_dataset *all = NULL;
    int code = list_files(&files, path);
    for (int i = 0; i < files.count && code == 0; i++) {
        if (all && o->limit && all->episodes >= o->limit) break;
        bex_dataset *d =
            bex_path_join(file, path, "%s", files.text[i]) < 0 ? NULL : load_file(file, o);
        if (!d) {
            code = -1;
        } else if (!all) {
            all = d;
        } else {
            code = bex_dataset_append(all, d, o->most);
            if (code < 0) bex_fail_in("data '%s'", file);
            bex_dataset_free(d);
        }
    }
    if (code == 0 && o->limit) bex_dataset_truncate(all, o->limit);
    if (code < 0) bex_dataset_free(all);
    bex_names_fini(&files);
    return code < 0 ? NULL : all;
}

bex_dataset *bex_dataset_load(const char *path, const bex_load_options *o) {
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return load_directory(path, o);
    return load_file(path, o);
}

int bex_reader_check_finite(bex_dataset *d, const char *key, int bad_row,
                            const bex_load_options *o) {
    if (bad_row < 0) return 0;
    if (o->keep_nonfinite)
        return bex_dataset_note(d, "'%s' holds NaN or infinite values, first in row %d", key,
                                bad_row);
    return bex_fail("'%s' has a NaN or infinite value in row %d", key, bad_row);
}
