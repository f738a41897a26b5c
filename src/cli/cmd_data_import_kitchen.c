/* cli/cmd_data_import_kitchen.c - `bex data import-kitchen`: human logs through our kitchen into a
 * D4RL-layout file, with the share of their sub-tasks that come out done. */
#include "cli/command.h"
#include "cli/options.h"

#include "base/clock.h"
#include "base/error.h"
#include "data/writer.h"
#include "demo/kitchen_import.h"
#include "env/mj.h"
#include "host/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct request {
    const char *in, *out, *env;
    long long every, seed;
    bool json;
} request;

static double percent(int part, int whole) {
    return whole ? 100.0 * part / whole : 0;
}

typedef struct total {
    int labelled, done, logged, whole; // whole: episodes with every labelled sub-task done
    double drift;
} total;

static total sum_up(const bex_kitchen_import *m) {
    total t = {0};
    for (int k = 0; k < BEX_KITCHEN_TASKS; k++) {
        t.labelled += m->task_labelled[k];
        t.done += m->task_done[k];
        t.logged += m->task_logged[k];
    }
    for (int e = 0; e < m->data->episodes; e++) {
        t.whole += !(m->labelled[e] & ~m->done[e]);
        t.drift += m->drift[e] / m->data->episodes;
    }
    return t;
}

static json_t *missed(const bex_kitchen_import *m) {
    json_t *rows = json_array();
    for (int e = 0; e < m->data->episodes; e++)
        for (int k = 0; k < BEX_KITCHEN_TASKS; k++)
            if (m->labelled[e] & ~m->done[e] & 1u << k)
                json_array_append_new(rows, json_pack("{s:s, s:s, s:b}", "log", m->names.text[e],
                                                      "task", bex_kitchen_tasks[k].name,
                                                      "done_in_log", m->logged[e] >> k & 1));
    return rows;
}

static void print_json(const request *q, const bex_kitchen_import *m, double seconds) {
    total t = sum_up(m);
    json_t *tasks = json_object();
    for (int k = 0; k < BEX_KITCHEN_TASKS; k++)
        json_object_set_new(tasks, bex_kitchen_tasks[k].name,
                            json_pack("{s:i, s:i, s:i}", "labelled", m->task_labelled[k], "done",
                                      m->task_done[k], "done_in_log", m->task_logged[k]));
    json_t *report =
        json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:o, s:o}", "file", q->out,
                  "episodes", m->data->episodes, "rows", m->data->rows, "labelled", t.labelled,
                  "done", t.done, "done_in_log", t.logged, "episodes_whole", t.whole, "arm_error",
                  t.drift, "seconds", seconds, "tasks", tasks, "missed", missed(m));
    bex_json_print(report);
    json_decref(report);
}

static void print_text(const request *q, const bex_kitchen_import *m, double seconds) {
    total t = sum_up(m);
    printf("  %-14s %8s %8s %8s %10s\n", "sub-task", "labelled", "done", "share", "in the log");
    for (int k = 0; k < BEX_KITCHEN_TASKS; k++)
        if (m->task_labelled[k])
            printf("  %-14s %8d %8d %6.1f %% %8.1f %%\n", bex_kitchen_tasks[k].name,
                   m->task_labelled[k], m->task_done[k],
                   percent(m->task_done[k], m->task_labelled[k]),
                   percent(m->task_logged[k], m->task_labelled[k]));
    printf("  %-14s %8d %8d %6.1f %% %8.1f %%\n", "all", t.labelled, t.done,
           percent(t.done, t.labelled), percent(t.logged, t.labelled));
    printf("%s: %d rows in %d episodes, %d with all their sub-tasks done; arm joints %.4f rad from "
           "the log on average; %.0f s\n",
           q->out, m->data->rows, m->data->episodes, t.whole, t.drift, seconds);
}

static int write_file(const request *q, const bex_kitchen_import *m) {
    char text[256];
    bex_writer *w;
    snprintf(text, sizeof text, "bex data import-kitchen LOGS --env %s --every %lld --seed %lld",
             q->env, q->every, q->seed);
    if (bex_writer_open_dataset(&w, q->out, m->data, NULL, 0) < 0) return -1;
    int code = bex_writer_text(w, "metadata/command", text);
    if (code == 0)
        code = bex_writer_text(w, "metadata/algorithm", bex_kitchen_demonstrator.algorithm);
    if (code == 0) code = bex_writer_commit(w);
    bex_writer_free(w);
    return code;
}

static int import(const request *q) {
    double began = bex_seconds();
    bex_world *world;
    bex_kitchen_import m;
    if (access(q->out, F_OK) == 0) { // before the long part, not after it
        bex_fail("'%s' exists", q->out);
        return bex_fail_hint("it is never overwritten"), BEX_EXIT_FAILED;
    }
    if (bex_world_open(&world, q->env, NULL) < 0)
        return bex_mj_version() ? BEX_EXIT_USAGE : BEX_EXIT_FAILED;
    int code = BEX_EXIT_FAILED;
    if (!bex_world_is(world, "kitchen")) {
        bex_fail("%s is not a kitchen", q->env);
        code = BEX_EXIT_USAGE;
    } else if (bex_kitchen_import_run(&m, world, q->in, (int)q->every, (uint64_t)q->seed, stderr) ==
               0) {
        if (write_file(q, &m) == 0) {
            code = BEX_EXIT_OK;
            (q->json ? print_json : print_text)(q, &m, bex_seconds() - began);
        }
        bex_kitchen_import_fini(&m);
    }
    bex_world_close(world);
    return code;
}

int bex_cmd_data_import_kitchen(int argc, char **argv) {
    static request q = {.env = "kitchen-partial", .every = 1};
    static const bex_option options[] = {
        {"out", BEX_OPTION_TEXT, &q.out, "FILE", "the HDF5 file to make; must not exist", 0, 0},
        {"env", BEX_OPTION_TEXT, &q.env, "ENV",
         "whose four tasks are goal and reward: kitchen-partial, -complete, -mixed", 0, 0},
        {"every", BEX_OPTION_INTEGER, &q.every, "N", "of each group every N-th log only", 1, 1e6},
        {"seed", BEX_OPTION_INTEGER, &q.seed, "N", "of the observation noise", 0, 9e15},
        {"json", BEX_OPTION_FLAG, &q.json, NULL, "report as JSON, with every sub-task missed", 0,
         0},
    };
    static const bex_usage usage = {
        .command = "data import-kitchen",
        .synopsis = "LOGS.hdf5 --out FILE [options]",
        .about =
            "Replay human teleoperation logs (groups named by their sub-tasks, each log qpos, qvel,\n"
            "ctrl, a row per 0.08 s) through the kitchen by D4RL's conversion, on all cores, and\n"
            "write the rows in D4RL's layout: 60 observations, 9 actions. Reports how many of the\n"
            "sub-tasks a log's group names come out done. kitchen-complete takes only the logs that\n"
            "perform its four tasks.",
        .example = "bex data import-kitchen human_demos.hdf5 --out kitchen-partial.hdf5\n"
                   "bex data import-kitchen human_demos.hdf5 --env kitchen-mixed --out mixed.hdf5",
        .options = options,
        .count = sizeof options / sizeof *options,
    };
    const char *in[1];
    int n = bex_options_parse(&usage, argc, argv, in, 1);
    if (n == BEX_OPTIONS_HELP) return BEX_EXIT_OK;
    if (n < 0) return BEX_EXIT_USAGE;
    if (n == 0 || !q.out) {
        bex_fail(n ? "where to? (--out FILE)" : "which file of logs?");
        return bex_command_fail(&usage, BEX_EXIT_USAGE);
    }
    q.in = in[0];
    int code = import(&q);
    return code == BEX_EXIT_OK ? code : bex_command_fail(&usage, code);
}
