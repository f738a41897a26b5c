/* demo/kitchen_import.c - logs to episodes. */
#include "demo/kitchen_import.h"

#include "base/error.h"
#include "data/kitchen_logs.h"
#include "env/kitchen/kitchen_replay.h"
#include "host/progress.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)BEX_KITCHEN_LOG_QPOS == (int)BEX_KITCHEN_QPOS &&
                   (int)BEX_KITCHEN_LOG_QVEL == (int)BEX_KITCHEN_QVEL &&
                   (int)BEX_KITCHEN_LOG_CTRL == (int)BEX_KITCHEN_A,
               "a log row is a state and the controls of the kitchen");

void bex_kitchen_import_fini(bex_kitchen_import *m) {
    bex_dataset_free(m->data);
    bex_names_fini(&m->names);
    free(m->labelled);
    free(m->done);
    free(m->logged);
    free(m->drift);
    *m = (bex_kitchen_import){0};
}

// the sub-tasks between the underscores of a group's name
static unsigned labels_of(const char *group) {
    unsigned tasks = 0;
    for (const char *word = group; *word;) {
        size_t length = strcspn(word, "_");
        for (int k = 0; k < BEX_KITCHEN_TASKS; k++)
            if (strlen(bex_kitchen_tasks[k].label) == length &&
                !strncmp(word, bex_kitchen_tasks[k].label, length))
                tasks |= 1u << k;
        word += length + (word[length] == '_');
    }
    return tasks;
}

// which logs become episodes: their indices into `chosen`. Returns how many, or negative
static int choose(bex_kitchen_import *m, int *chosen, const bex_kitchen_logs *logs,
                  const bex_world *world) {
    int n = 0;
    for (int i = 0; i < logs->count; i++) {
        const char *group = logs->groups.text[logs->group[i]];
        unsigned tasks = labels_of(group);
        if (!tasks) return bex_fail("group '%s' names no sub-task", group);
        if (world->class == &bex_kitchen_complete && tasks != bex_kitchen_goals(world)) continue;
        if (bex_names_push(&m->names, logs->names.text[i]) < 0) return -1;
        m->labelled[n] = tasks;
        chosen[n++] = i;
    }
    return n ? n : bex_fail("no log performs the tasks of %s", world->name);
}

// a row for each row of a log but its last
static int make_episodes(bex_dataset *d, const bex_kitchen_logs *logs, const int *chosen, int n) {
    int *start = calloc((size_t)n + 1, sizeof *start);
    if (!start) return bex_fail("out of memory");
    for (int e = 0; e < n; e++)
        start[e + 1] = start[e] + logs->start[chosen[e] + 1] - logs->start[chosen[e]] - 1;
    unsigned long long rows = (unsigned long long)start[n];
    if (bex_dataset_take_episodes(d, start, n) < 0 ||
        bex_dataset_allocate(d, rows, BEX_KITCHEN_O, BEX_KITCHEN_A, 1, 0) < 0)
        return -1;
    for (int e = 0; e < n; e++) {
        d->task[e] = bex_names_add(&d->tasks, logs->groups.text[logs->group[chosen[e]]]);
        if (d->task[e] < 0) return -1;
        d->terminals[start[e + 1] - 1] = 1;
    }
    return 0;
}

static int plan(bex_kitchen_import *m, int *chosen, const bex_kitchen_logs *logs,
                const bex_world *world) {
    size_t room = (size_t)logs->count;
    m->labelled = calloc(room, sizeof *m->labelled);
    m->done = calloc(room, sizeof *m->done);
    m->logged = calloc(room, sizeof *m->logged);
    m->drift = calloc(room, sizeof *m->drift);
    m->data = bex_dataset_new();
    if (!m->labelled || !m->done || !m->logged || !m->drift || !m->data)
        return bex_fail("out of memory");
    int n = choose(m, chosen, logs, world);
    return n < 0 ? -1 : make_episodes(m->data, logs, chosen, n);
}

static int replay(bex_kitchen_import *m, int e, const bex_kitchen_logs *logs, int i, bex_env *env,
                  bex_rng rng) {
    size_t from = (size_t)logs->start[i], to = (size_t)m->data->start[e];
    bex_kitchen_log log = {logs->start[i + 1] - logs->start[i],
                           logs->qpos + from * BEX_KITCHEN_QPOS,
                           logs->qvel + from * BEX_KITCHEN_QVEL, logs->ctrl + from * BEX_KITCHEN_A};
    bex_kitchen_rows rows = {.obs = m->data->observations + to * BEX_KITCHEN_O,
                             .act = m->data->actions + to * BEX_KITCHEN_A,
                             .reward = m->data->rewards + to};
    if (bex_kitchen_replay(env, rng, &log, &rows) < 0) return bex_fail_in("%s", m->names.text[e]);
    m->done[e] = rows.done, m->logged[e] = rows.logged, m->drift[e] = rows.drift;
    return 0;
}

static int replay_all(bex_kitchen_import *m, const bex_kitchen_logs *logs, const int *chosen,
                      const bex_world *world, uint64_t seed, FILE *out) {
    bex_rng root = bex_rng_seed(seed);
    int failed = -1, rows = 0;
    char text[512] = "";
    bex_progress p;
    bex_progress_start(&p, out, "replay", m->data->rows);
#pragma omp parallel
    {
        bex_env *env = world->class->new (world);
#pragma omp for schedule(dynamic)
        for (int e = 0; e < m->data->episodes; e++) {
            bex_rng rng = bex_rng_split(root, "log", (uint64_t)chosen[e]);
            int code = env ? replay(m, e, logs, chosen[e], env, rng) : -1;
#pragma omp critical
            {
                if (code < 0 && (failed < 0 || e < failed)) {
                    failed = e;
                    snprintf(text, sizeof text, "%s", bex_error());
                }
                rows += bex_dataset_length(m->data, e);
                bex_progress_update(&p, rows, "%s", logs->groups.text[logs->group[chosen[e]]]);
            }
        }
        world->class->free(env);
    }
    bex_progress_finish(&p);
    return failed < 0 ? 0 : bex_fail("%s", text);
}

static void count_tasks(bex_kitchen_import *m) {
    for (int e = 0; e < m->data->episodes; e++)
        for (int k = 0; k < BEX_KITCHEN_TASKS; k++)
            if (m->labelled[e] >> k & 1) {
                m->task_labelled[k]++;
                m->task_done[k] += (int)(m->done[e] >> k & 1);
                m->task_logged[k] += (int)(m->logged[e] >> k & 1);
            }
}

int bex_kitchen_import_run(bex_kitchen_import *m, const bex_world *world, const char *path,
                           int every, uint64_t seed, FILE *progress) {
    *m = (bex_kitchen_import){0};
    bex_kitchen_logs logs;
    if (bex_kitchen_logs_load(&logs, path, every) < 0) return -1;
    int *chosen = malloc((size_t)logs.count * sizeof *chosen), code = -1;
    if (!chosen)
        bex_fail("out of memory");
    else
        code = plan(m, chosen, &logs, world);
    if (code == 0) code = replay_all(m, &logs, chosen, world, seed, progress);
    if (code == 0)
        count_tasks(m);
    else
        bex_kitchen_import_fini(m), bex_fail_in("'%s'", path);
    free(chosen);
    bex_kitchen_logs_fini(&logs);
    return code;
}

const bex_demonstrator_class bex_kitchen_demonstrator = {
    .family = "kitchen",
    .algorithm = "human teleoperation, replayed",
    .instead = "bex data import-kitchen makes some",
};
