/* cli/compare_film.c - recorded rows and counts of one trial of each, to show/world_picture.h. */
#include "cli/compare_film.h"

#include "base/error.h"
#include "base/path.h"
#include "explore/trajectories.h"
#include "host/json.h"
#include "show/world_picture.h"

#include <stdlib.h>

enum { FRAMES = 144 }; // about

/* One exploration, and which of its episodes are of the trial. */
typedef struct entrant {
    json_t *results;
    bex_trajectories rows;
    int first, episodes; // of the trial
    int *after;          // (episodes) regions
} entrant;

static void entrant_fini(entrant *e) {
    bex_trajectories_fini(&e->rows);
    json_decref(e->results);
    free(e->after);
}

static int entrant_open(entrant *e, const char *folder, int trial) {
    char path[BEX_PATH_SIZE];
    if (bex_path_join(path, folder, "results.json") < 0) return -1;
    if (!(e->results = bex_json_load(path)))
        return bex_fail_hint("a film is of directories of bex explore --out");
    if (bex_path_join(path, folder, "trajectories.hdf5") < 0) return -1;
    if (bex_trajectories_load(&e->rows, path) < 0) return -1;
    if (trial > e->rows.trials)
        return bex_fail("'%s' has %d trials, no trial %d", folder, e->rows.trials, trial);
    while (e->rows.trial[e->first] < trial - 1) e->first++;
    while (e->first + e->episodes < e->rows.episodes &&
           e->rows.trial[e->first + e->episodes] == trial - 1)
        e->episodes++;
    const json_t *regions = json_object_get(json_object_get(e->results, "by_episode"), "regions");
    const json_t *counts = json_object_get(regions, "trials");
    if ((int)json_array_size(counts) < e->episodes) return 0; // then from the rows
    if (!(e->after = calloc((size_t)e->episodes + 1, sizeof *e->after)))
        return bex_fail("out of memory");
    for (int k = 0; k < e->episodes; k++)
        e->after[k] = (int)json_integer_value(
            json_array_get(json_array_get(counts, (size_t)k), (size_t)trial - 1));
    return 0;
}

static int open_world(bex_world **out, const entrant *e, const bex_env_flags *flags) {
    const json_t *env = json_object_get(e->results, "environment");
    const char *name = json_string_value(json_object_get(env, "name"));
    long long regions = json_integer_value(json_object_get(env, "regions"));
    if (!name) return bex_fail("results.json does not tell its environment");
    if (bex_env_flags_open(out, name, &(bex_world_options){.explore = true}, flags) < 0) return -1;
    if ((*out)->spec.state != e->rows.O)
        return bex_fail("%d observation values are recorded, %s has %d", e->rows.O, name,
                        (*out)->spec.state);
    if ((*out)->regions == regions) return 0;
    bex_fail("%lld regions were counted, %s has %d", regions, name, (*out)->regions);
    return bex_fail_hint("was it opened with --env.splits or --maze? give them here too");
}

int bex_compare_film(const char *const from[2], const char *const name[2], int trial,
                     const bex_env_flags *flags, const char *path) {
    entrant e[2] = {0};
    bex_world *world = NULL;
    bex_racer racer[2];
    int code = 0, rows = 0;
    for (int who = 0; code == 0 && who < 2; who++)
        if ((code = entrant_open(&e[who], from[who], trial)) == 0) {
            const int *start = e[who].rows.start + e[who].first;
            racer[who] = (bex_racer){.name = name[who],
                                     .obs = e[who].rows.obs,
                                     .start = start,
                                     .episodes = e[who].episodes,
                                     .stride = e[who].rows.O,
                                     .after = e[who].after};
            int all = start[e[who].episodes] - start[0];
            rows = all > rows ? all : rows;
        }
    if (code == 0) code = open_world(&world, &e[0], flags);
    if (code == 0 && e[1].rows.O != e[0].rows.O) code = bex_fail("their states differ in size");
    if (code == 0) code = bex_world_race(world, racer, rows / FRAMES + 1, path);
    bex_world_close(world);
    for (int who = 0; who < 2; who++) entrant_fini(&e[who]);
    return code;
}
