/* data/reader_robomimic.c - robomimic's HDF5, and LIBERO's, which follows it.
 *
 *   data (attributes env_args; LIBERO: problem_info, bddl_file_name)
 *   data/demo_0/actions (rows, A)   rewards, dones (rows)   states (rows, ..)   obs/<key> (rows, ...)
 *   mask/<name>   list of demo names: a filter key
 *
 * Demos in numeric order (demo_2 before demo_10). Observation = the chosen keys, concatenated: looked for in
 * obs/, then beside it (states, LIBERO's robot_states). Default: LIBERO joint_states and gripper_states, its
 * own policies' input (9 columns); robomimic every low-dimensional key of obs/ in natural order of the names;
 * without obs/, states. Pictures are (rows, height, width, 3) bytes in obs/. Task and scene: of LIBERO's,
 * from the BDDL file's name or, without, from the file's: KITCHEN_SCENE10_close_the_top_drawer of
 * KITCHEN_SCENE10. The instruction alone would make one task of those that several scenes have. Otherwise
 * the task is the instruction, or the environment's name. */
#include "base/error.h"
#include "base/path.h"
#include "data/reader.h"
#include "host/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_demo(const char *name) {
    return !strncmp(name, "demo_", 5) && name[5] &&
           strspn(name + 5, "0123456789") == strlen(name + 5);
}

static int list_demos(bex_h5 *file, bex_names *groups) {
    bex_names names = {0};
    char path[BEX_PATH_SIZE];
    int code = bex_h5_names(file, "data", &names);
    bex_names_sort_natural(&names);
    for (int i = 0; i < names.count && code == 0; i++) {
        if (!is_demo(names.text[i])) continue;
        code = bex_path_join(path, "data", "%s", names.text[i]);
        if (code == 0 && bex_names_push(groups, path) < 0) code = -1;
    }
    bex_names_fini(&names);
    return code;
}

static int recognise(bex_h5 *file) {
    bex_names groups = {0};
    int yes =
        bex_h5_find(file, "data") == BEX_H5_GROUP && list_demos(file, &groups) == 0 && groups.count;
    bex_names_fini(&groups);
    return yes;
}

static int has_attribute(bex_h5 *file, const char *name) {
    char *text;
    int there = bex_h5_attribute(file, "data", name, &text);
    free(text);
    return there > 0;
}

static int recognise_libero(bex_h5 *file) {
    return recognise(file) &&
           (has_attribute(file, "problem_info") || has_attribute(file, "bddl_file_name"));
}

// keep the demos listed in mask/<filter>, still in numeric order
static int apply_filter(bex_h5 *file, const char *filter, bex_names *groups) {
    char key[BEX_PATH_SIZE], path[BEX_PATH_SIZE];
    bex_names wanted = {0}, kept = {0};
    int code = -1;
    if (bex_path_join(key, "mask", "%s", filter) < 0) return -1;
    if (bex_h5_find(file, key) != BEX_H5_DATASET) {
        bex_names masks = {0};
        bex_fail("filter key '%s' is missing", key);
        if (bex_h5_find(file, "mask") == BEX_H5_GROUP && bex_h5_names(file, "mask", &masks) == 0)
            bex_fail("filter key '%s' is missing (%d others, the first is '%s')", key, masks.count,
                     masks.count ? masks.text[0] : "");
        bex_names_fini(&masks);
        return -1;
    }
    if (bex_h5_read_texts(file, key, &wanted) < 0) goto done;
    for (int i = 0; i < wanted.count; i++) {
        if (bex_path_join(path, "data", "%s", wanted.text[i]) < 0) goto done;
        if (bex_names_find(groups, path) < 0) {
            bex_fail("'%s' lists '%s', which is not in 'data'", key, wanted.text[i]);
            goto done;
        }
        if (bex_names_add(&kept, path) < 0) goto done;
    }
    if (!kept.count) {
        bex_fail("'%s' lists no demos", key);
        goto done;
    }
    bex_names_sort_natural(&kept);
    bex_names_fini(groups);
    *groups = kept, kept = (bex_names){0};
    code = 0;
done:
    bex_names_fini(&wanted);
    bex_names_fini(&kept);
    return code;
}

// obs/<name>, or <name> beside it
static int resolve(bex_h5 *file, const char *demo, const char *name, bex_names *keys) {
    char path[BEX_PATH_SIZE];
    if (bex_path_join(path, demo, "obs/%s", name) < 0) return -1;
    if (bex_h5_find(file, path) != BEX_H5_ABSENT)
        return bex_names_push(keys, path + strlen(demo) + 1) < 0 ? -1 : 0;
    if (bex_path_join(path, demo, "%s", name) < 0) return -1;
    if (bex_h5_find(file, path) != BEX_H5_ABSENT) return bex_names_push(keys, name) < 0 ? -1 : 0;
    return bex_fail("observation key '%s' is missing in '%s/obs' and '%s'", name, demo, demo);
}

// arrays of rank 3 or more that are not read, as cameras nobody asked for: said once
static int note_left_out(bex_dataset *d, bex_h5 *file, const char *demo, const bex_names *cameras) {
    char group[BEX_PATH_SIZE], path[BEX_PATH_SIZE], list[200] = "";
    bex_names names = {0};
    size_t used = 0;
    int n = 0;
    if (bex_path_join(group, demo, "obs") < 0 || bex_h5_find(file, group) != BEX_H5_GROUP) return 0;
    int code = bex_h5_names(file, group, &names);
    for (int i = 0; i < names.count && code == 0; i++) {
        bex_h5_shape s;
        code = bex_path_join(path, group, "%s", names.text[i]);
        if (code < 0 || bex_h5_find(file, path) != BEX_H5_DATASET) continue;
        if (bex_names_find(cameras, names.text[i]) >= 0) continue;
        code = bex_h5_measure(file, path, &s);
        if (code == 0 && s.rank > 2 && used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'", n++ ? ", " : "",
                                     names.text[i]);
    }
    bex_names_fini(&names);
    if (code < 0 || !n) return code;
    return bex_dataset_note(d,
                            "left out: %d array%s of rank 3 or more, %s (data.images reads some)",
                            n, n > 1 ? "s" : "", list);
}

static int choose_keys(bex_h5 *file, const char *demo, const char *wanted, int libero,
                       bex_names *keys) {
    if (!wanted && libero) {
        bex_names both = {0};
        int code = resolve(file, demo, "joint_states", &both) < 0 ||
                           resolve(file, demo, "gripper_states", &both) < 0
                       ? -1
                       : bex_names_push(keys, both.text[0]);
        if (code >= 0) code = bex_names_push(keys, both.text[1]) < 0 ? -1 : 0;
        bex_names_fini(&both);
        if (code == 0) return 0;
    }
    if (wanted) {
        bex_names names = {0};
        int code = bex_names_parse(&names, wanted);
        for (int i = 0; i < names.count && code == 0; i++)
            code = resolve(file, demo, names.text[i], keys);
        bex_names_fini(&names);
        return code;
    }
    if (bex_grouped_keys(file, demo, "obs", keys) < 0) return -1;
    if (!keys->count) return resolve(file, demo, "states", keys);
    return 0;
}

static char *member_of_attribute(bex_h5 *file, const char *attribute, const char *member) {
    char *text;
    if (bex_h5_attribute(file, "data", attribute, &text) <= 0) return NULL;
    json_t *object = json_loads(text, JSON_DECODE_ANY, NULL);
    free(text);
    const char *value = json_string_value(json_object_get(object, member));
    char *copy = value ? strdup(value) : NULL;
    json_decref(object);
    return copy;
}

// ".../KITCHEN_SCENE10_close_the_top_drawer.bddl", or "..._demo.hdf5", ->
// KITCHEN_SCENE10_close_the_top_drawer, and how much of it is the scene; 0: no such name
static int name_of(char task[256], const char *path) {
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    const char *at = strstr(base, "SCENE"), *dot = strrchr(base, '.');
    if (!at || at == base) return 0;
    at += 5;
    at += strspn(at, "0123456789");
    const char *end = dot && dot > at ? dot : base + strlen(base);
    if (end - at > 5 && !strncmp(end - 5, "_demo", 5)) end -= 5;
    if (*at != '_' || end <= at + 1 || end - base >= 256) return 0;
    snprintf(task, 256, "%.*s", (int)(end - base), base);
    return (int)(at - base);
}

// labels of all episodes; task, scene: NULL for none
static int label_with(bex_dataset *d, const char *task, const char *scene) {
    int t = task ? bex_names_add(&d->tasks, task) : -1,
        s = scene ? bex_names_add(&d->scenes, scene) : -1;
    if ((task && t < 0) || (scene && s < 0)) return -1;
    for (int e = 0; e < d->episodes; e++) d->task[e] = t, d->scene[e] = s;
    return 0;
}

static int label(bex_dataset *d, bex_h5 *file, const char *path) {
    char task[256], scene[256], *bddl = NULL;
    int length = bex_h5_attribute(file, "data", "bddl_file_name", &bddl) > 0 ? name_of(task, bddl)
                                                                             : name_of(task, path);
    free(bddl);
    if (length) {
        snprintf(scene, sizeof scene, "%.*s", length, task);
        return label_with(d, task, scene);
    }
    char *told = member_of_attribute(file, "problem_info", "language_instruction");
    if (!told) told = member_of_attribute(file, "env_args", "env_name");
    int code = label_with(d, told, NULL);
    free(told);
    return code;
}

static int load_demos(bex_dataset *d, bex_h5 *file, const char *path, const bex_load_options *o,
                      int libero) {
    bex_names groups = {0}, observations = {0}, actions = {0}, cameras = {0}, images = {0};
    int code = bex_h5_find(file, "data") == BEX_H5_GROUP ? list_demos(file, &groups)
                                                         : bex_fail("'data' is missing");
    if (code == 0 && !groups.count) code = bex_fail("'data' holds no demo_0, demo_1, ...");
    if (code == 0 && o->filter) code = apply_filter(file, o->filter, &groups);
    if (code == 0) code = choose_keys(file, groups.text[0], o->keys, libero, &observations);
    if (code == 0) code = bex_names_push(&actions, "actions") < 0 ? -1 : 0;
    if (code == 0)
        code = bex_grouped_cameras(file, groups.text[0], "obs", o, &d->cameras, &cameras, &images);
    if (code == 0)
        code = bex_grouped_load(d, file,
                                &(bex_grouped){.groups = &groups,
                                               .observations = &observations,
                                               .actions = &actions,
                                               .rewards = "rewards",
                                               .terminals = "dones",
                                               .images = &images,
                                               .cameras = &cameras,
                                               .path = path},
                                o);
    if (code == 0) code = label(d, file, path);
    if (code == 0) code = note_left_out(d, file, groups.text[0], &cameras);
    bex_names_fini(&cameras);
    bex_names_fini(&images);
    bex_names_fini(&groups);
    bex_names_fini(&observations);
    bex_names_fini(&actions);
    return code;
}

static int load(bex_dataset *d, bex_h5 *file, const char *path, const bex_load_options *o) {
    return load_demos(d, file, path, o, 0);
}

static int load_libero(bex_dataset *d, bex_h5 *file, const char *path, const bex_load_options *o) {
    return load_demos(d, file, path, o, 1);
}

const bex_reader bex_reader_robomimic = {"robomimic", recognise, load};
const bex_reader bex_reader_libero = {"libero", recognise_libero, load_libero};
