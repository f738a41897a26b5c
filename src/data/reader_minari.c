/* data/reader_minari.c - Minari's HDF5 storage.
 *
 *   episode_0/observations (rows + 1, O), or a group of arrays for Dict (and _index_k for Tuple) spaces
 *   episode_0/actions (rows, A)   rewards, terminations, truncations (rows)
 *
 * A Dict observation is flattened in natural order of the names, inner groups in place: achieved_goal,
 * desired_goal, observation: gymnasium's own order for a Dict made from a dict. --obs-keys chooses and
 * orders. The last observation of an episode has no action and is dropped. metadata.json beside the
 * file, if there, must agree on the number of episodes and names the task (the environment's id). */
#include "base/error.h"
#include "base/path.h"
#include "data/reader.h"
#include "host/json.h"

#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int is_episode(const char *name) {
    return !strncmp(name, "episode_", 8) && name[8] &&
           strspn(name + 8, "0123456789") == strlen(name + 8);
}

static int list_episodes(bex_h5 *file, bex_names *groups) {
    bex_names names = {0};
    int code = bex_h5_names(file, "/", &names);
    bex_names_sort_natural(&names);
    for (int i = 0; i < names.count && code == 0; i++)
        if (is_episode(names.text[i])) code = bex_names_push(groups, names.text[i]) < 0 ? -1 : 0;
    bex_names_fini(&names);
    return code;
}

static int recognise(bex_h5 *file) {
    bex_names groups = {0};
    int code = list_episodes(file, &groups);
    int yes = code == 0 && groups.count;
    bex_names_fini(&groups);
    return yes;
}

// the environment's id: env_spec is a JSON text inside the JSON, or an object
static int note_task(bex_dataset *d, const json_t *meta) {
    const json_t *spec = json_object_get(meta, "env_spec");
    json_t *inner = json_is_string(spec) ? json_loads(json_string_value(spec), 0, NULL) : NULL;
    const char *id = json_string_value(json_object_get(inner ? inner : spec, "id"));
    if (!id) id = json_string_value(json_object_get(meta, "dataset_id"));
    int task = id ? bex_names_add(&d->tasks, id) : -1, code = id && task < 0 ? -1 : 0;
    for (int e = 0; e < d->episodes; e++) d->task[e] = task;
    json_decref(inner);
    return code;
}

static json_t *load_metadata(const char *path, int *code) {
    char copy[BEX_PATH_SIZE], beside[BEX_PATH_SIZE];
    *code = bex_path_print(copy, "%s", path);
    if (*code == 0) *code = bex_path_join(beside, dirname(copy), "metadata.json");
    if (*code < 0 || access(beside, F_OK) != 0) return NULL;
    json_t *meta = bex_json_load(beside);
    if (!meta) *code = -1;
    return meta;
}

static int check_metadata(const json_t *meta, int episodes) {
    const char *format = json_string_value(json_object_get(meta, "data_format"));
    if (format && strcmp(format, "hdf5") != 0)
        return bex_fail("metadata.json says data_format '%s', only hdf5 is read", format);
    const json_t *total = json_object_get(meta, "total_episodes");
    if (json_is_integer(total) && json_integer_value(total) != episodes)
        return bex_fail("metadata.json says %lld episodes, the file holds %d",
                        (long long)json_integer_value(total), episodes);
    return 0;
}

// "observation" -> "observations/observation"; a plain array is just "observations"
static int choose_keys(bex_h5 *file, const char *episode, const char *wanted, bex_names *keys) {
    if (!wanted) return bex_grouped_keys(file, episode, "observations", keys);
    bex_names names = {0};
    int code = bex_names_parse(&names, wanted);
    for (int i = 0; i < names.count && code == 0; i++) {
        char key[BEX_PATH_SIZE], path[BEX_PATH_SIZE];
        if (bex_path_join(key, "observations", "%s", names.text[i]) < 0 ||
            bex_path_join(path, episode, "%s", key) < 0)
            code = -1;
        else if (bex_h5_find(file, path) == BEX_H5_ABSENT)
            code = bex_fail("'%s' is missing", path);
        else
            code = bex_grouped_keys(file, episode, key, keys);
    }
    bex_names_fini(&names);
    return code;
}

static int load(bex_dataset *d, bex_h5 *file, const char *path, const bex_load_options *o) {
    bex_names groups = {0}, observations = {0}, actions = {0}, cameras = {0}, images = {0};
    int code;
    json_t *meta = load_metadata(path, &code);
    if (o->filter) code = bex_fail("a filter key needs a robomimic file (this is minari)");
    if (code == 0) code = list_episodes(file, &groups);
    if (code == 0 && !groups.count)
        code = bex_fail("there are no groups episode_0, episode_1, ...");
    if (code == 0) code = check_metadata(meta, groups.count);
    if (code == 0) code = choose_keys(file, groups.text[0], o->keys, &observations);
    if (code == 0 && !observations.count)
        code = bex_fail("'%s/observations' is missing or holds no arrays of rank 1 or 2",
                        groups.text[0]);
    if (code == 0) code = bex_grouped_keys(file, groups.text[0], "actions", &actions);
    if (code == 0 && !actions.count) code = bex_fail("'%s/actions' is missing", groups.text[0]);
    if (code == 0)
        code = bex_grouped_cameras(file, groups.text[0], "observations", o, &d->cameras, &cameras,
                                   &images);
    if (code == 0)
        code = bex_grouped_load(d, file,
                                &(bex_grouped){.groups = &groups,
                                               .observations = &observations,
                                               .actions = &actions,
                                               .rewards = "rewards",
                                               .terminals = "terminations",
                                               .timeouts = "truncations",
                                               .images = &images,
                                               .cameras = &cameras,
                                               .path = path,
                                               .spare_rows = 1},
                                o);
    if (code == 0 && meta) code = note_task(d, meta);
    json_decref(meta);
    bex_names_fini(&cameras);
    bex_names_fini(&images);
    bex_names_fini(&groups);
    bex_names_fini(&observations);
    bex_names_fini(&actions);
    return code;
}

const bex_reader bex_reader_minari = {"minari", recognise, load};
