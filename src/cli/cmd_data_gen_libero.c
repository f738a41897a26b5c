/* cli/cmd_data_gen_libero.c - `bex data gen libero-90`: scripted demonstrations of the tabletop tasks in
 * LIBERO's own files, one a task, and a table of how often the script succeeds. */
#include "cli/command.h"
#include "cli/env_options.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/path.h"
#include "demo/tabletop/episodes.h"
#include "env/mj.h"
#include "host/folder.h"
#include "host/json.h"
#include "host/progress.h"
#include "host/statistics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct request {
    const char *scene, *task, *out;
    bex_env_flags world;
    long long demos, attempts, images, seed, limit;
    double noise;
    bool json, count;
} request;

typedef struct total {
    int tasks, attempts, successes,
        short_of; // short_of: tasks with fewer demonstrations than asked for
    double share; // sum over tasks of successes per attempt
    json_t *rows;
} total;

typedef struct keeping {
    bex_libero_file *file;
    const char *model;
} keeping;

static int keep(const bex_tabletop_episode *e, void *payload) {
    const keeping *k = payload;
    bex_libero_demo d = bex_tabletop_demo(e, k->model);
    return bex_libero_file_add(k->file, &d);
}

static json_t *env_args(const bex_bddl *s, const char *bddl) {
    return json_pack("{s:i, s:s, s:s, s:s, s:{s:[s], s:i, s:{s:s, s:f, s:f, s:s}}}", "type", 1,
                     "env_name", s->room->problem, "problem_name", s->room->problem, "bddl_file",
                     bddl, "env_kwargs", "robots", "Panda", "control_freq", 20,
                     "controller_configs", "type", "OSC_POSE", "kp", 150.0, "damping_ratio", 1.0,
                     "impedance_mode", "fixed");
}

// opens the task's file; *model is malloced
static int open_file(keeping *k, char **model, const bex_world *w, int task, const char *path) {
    const bex_bddl *s = bex_libero_scene(w);
    const bex_libero_options *given = bex_libero_given(w);
    char bddl[BEX_PATH_SIZE];
    if (bex_path_print(bddl, "libero_90/%s_%s.bddl", given->scene, s->task[task].name) < 0)
        return -1;
    json_t *args = env_args(s, bddl),
           *info = json_pack("{s:s, s:s, s:s}", "problem_name", s->room->problem, "domain_name",
                             "robosuite", "language_instruction", s->task[task].language);
    char *args_text = args ? json_dumps(args, JSON_COMPACT) : NULL;
    char *info_text = info ? json_dumps(info, JSON_COMPACT) : NULL,
         *content = bex_bddl_text(s, task);
    int code = -1;
    *model = bex_libero_model_text(w);
    if (args_text && info_text && content && *model) {
        const bex_libero_about about = {.env_name = s->room->problem,
                                        .env_args = args_text,
                                        .problem_info = info_text,
                                        .bddl_file_name = bddl,
                                        .bddl_file_content = content,
                                        .settle = (int)given->settle};
        code = bex_libero_file_create(&k->file, path, &about);
    } else if (*model) {
        bex_fail("out of memory");
    }
    k->model = *model;
    json_decref(args), json_decref(info);
    free(args_text), free(info_text), free(content);
    return code;
}

static void report(const request *q, total *t, const bex_world *w, int task,
                   const bex_tabletop_tally *y, double seconds) {
    const bex_libero_options *given = bex_libero_given(w);
    const char *name = bex_libero_scene(w)->task[task].name;
    double share = y->attempts ? (double)y->successes / y->attempts : 0;
    double steps = y->successes ? (double)y->steps / y->successes : 0;
    t->tasks++;
    t->attempts += y->attempts;
    t->successes += y->successes;
    t->short_of += y->kept < q->demos;
    t->share += share;
    json_array_append_new(t->rows,
                          json_pack("{s:s, s:s, s:i, s:i, s:f, s:f}", "scene", given->scene, "task",
                                    name, "attempts", y->attempts, "successes", y->successes,
                                    "steps", steps, "seconds", seconds));
    bex_interval interval = bex_interval_wilson(y->successes, y->attempts, 0.95);
    if (!q->json)
        printf("  %-18s %-72s %4d of %4d  %5.1f %% [%.1f, %.1f]  %4.0f steps\n", given->scene, name,
               y->successes, y->attempts, 100 * share, 100 * interval.low, 100 * interval.high,
               steps);
    fflush(stdout);
}

static int make_task(const request *q, total *t, const bex_world *w, int task) {
    const bex_bddl *s = bex_libero_scene(w);
    const bex_libero_options *given = bex_libero_given(w);
    const bex_tabletop_job job = {.world = w,
                                  .task = task,
                                  .settle = (int)given->settle,
                                  .seed = (uint64_t)q->seed,
                                  .noise = q->noise,
                                  .limit = (int)q->limit};
    char path[BEX_PATH_SIZE], *model = NULL;
    bex_tabletop_tally tally;
    keeping k = {NULL, NULL};
    double began = bex_seconds();
    int most = (int)(q->attempts ? q->attempts : 3 * q->demos + 10), code = 0;
    if (!q->count) {
        if (bex_path_join(path, q->out, "%s_%s_demo.hdf5", given->scene, s->task[task].name) < 0 ||
            bex_folder_make(q->out) < 0) // not before a scene and a task are found
            return -1;
        code = open_file(&k, &model, w, task, path);
    }
    if (code == 0)
        code = bex_tabletop_demonstrate(&tally, &job, q->count ? most : (int)q->demos, most,
                                        q->count ? NULL : keep, &k);
    if (code == 0 && k.file && tally.kept) code = bex_libero_file_commit(k.file);
    bex_libero_file_free(k.file);
    free(model);
    if (code == 0) report(q, t, w, task, &tally, bex_seconds() - began);
    return code < 0 ? bex_fail_in("%s, %s", given->scene, s->task[task].name) : 0;
}

static int make_scene(const request *q, total *t, const char *scene) {
    bex_world *w;
    char keys[2048];
    int found = 0, code = 0;
    snprintf(keys, sizeof keys, "scene=%s\nimages=%lld\n%s", scene, q->images, q->world.own.lines);
    if (strlen(keys) + 1 >= sizeof keys) return bex_fail("the options are too long"), bex_misused();
    if (bex_world_open(&w, "libero", &(bex_world_options){.keys = keys}) < 0) return bex_misused();
    const bex_bddl *s = bex_libero_scene(w);
    if (q->images &&
        (w->spec.cameras != BEX_LIBERO_CAMERAS || strcmp(w->camera[0], "agentview_rgb"))) {
        bex_fail("a file holds agentview and eye_in_hand: env.cameras is not for it");
        code = bex_misused();
    }
    for (int i = 0; i < s->tasks && code == 0; i++) {
        if (q->task && !strstr(s->task[i].name, q->task)) continue;
        found++;
        code = make_task(q, t, w, i);
    }
    bex_world_close(w);
    if (code == 0 && !found && q->scene) {
        bex_fail("no task of %s has '%s' in its name", scene, q->task);
        return bex_misused();
    }
    return code;
}

static void summarise(const request *q, const total *t, double seconds) {
    double mean = t->tasks ? 100 * t->share / t->tasks : 0;
    if (q->json) {
        json_t *j = json_pack("{s:i, s:i, s:i, s:f, s:i, s:f, s:O}", "tasks", t->tasks, "attempts",
                              t->attempts, "successes", t->successes, "mean_success", mean / 100,
                              "tasks_short", t->short_of, "seconds", seconds, "table", t->rows);
        if (j) bex_json_print(j);
        json_decref(j);
        return;
    }
    printf("%d tasks: %d of %d attempts succeeded, %.1f %% on average over tasks; %.0f s\n",
           t->tasks, t->successes, t->attempts, mean, seconds);
}

static int generate(const request *q) {
    total t = {.rows = json_array()};
    double began = bex_seconds();
    int code = BEX_EXIT_OK;
    for (int i = 0; code == BEX_EXIT_OK && (q->scene ? i < 1 : bex_scene_at(i) != NULL); i++)
        if (make_scene(q, &t, q->scene ? q->scene : bex_scene_at(i)) < 0)
            code = bex_error_is_misuse() ? BEX_EXIT_USAGE : BEX_EXIT_FAILED;
    if (code == BEX_EXIT_OK && !t.tasks) {
        bex_fail("no task has '%s' in its name", q->task);
        code = BEX_EXIT_USAGE;
    }
    if (code == BEX_EXIT_OK) summarise(q, &t, bex_seconds() - began);
    if (code == BEX_EXIT_OK && t.short_of && !q->count) {
        bex_fail("%d of %d tasks have fewer than %lld demonstrations", t.short_of, t.tasks,
                 q->demos);
        code = BEX_EXIT_FAILED;
    }
    json_decref(t.rows);
    return code;
}

int bex_cmd_data_gen_libero(int argc, char **argv) {
    static request q = {.demos = 20, .noise = 0.1, .limit = 300};
    static const bex_option options[] = {
        {"out", BEX_OPTION_TEXT, &q.out, "DIR",
         "a file for each task is made there: SCENE_TASK_demo.hdf5", 0, 0},
        {"demos", BEX_OPTION_INTEGER, &q.demos, "N", "of each task", 1, 10000},
        {"scene", BEX_OPTION_TEXT, &q.scene, "SCENE",
         "one of twenty; else all: bex env libero --list", 0, 0},
        {"task", BEX_OPTION_TEXT, &q.task, "TEXT", "tasks with this in their name; else all", 0, 0},
        {"images", BEX_OPTION_INTEGER, &q.images, "N",
         "pixels of a picture's side, two a row; 0: none", 0, 1024},
        {"noise", BEX_OPTION_NUMBER, &q.noise, "SD", "normal noise on actions", 0, 1},
        {"attempts", BEX_OPTION_INTEGER, &q.attempts, "N",
         "at most; 0: three times --demos, and ten", 0, 100000},
        {"limit", BEX_OPTION_INTEGER, &q.limit, "N", "steps of an attempt", 1, 10000},
        {"count", BEX_OPTION_FLAG, &q.count, NULL,
         "make --attempts attempts and no files: the script's table", 0, 0},
        {"seed", BEX_OPTION_INTEGER, &q.seed, "N", "same seed, same files, on any number of cores",
         0, 9e15},
        BEX_ENV_OPTIONS(q.world),
        {"json", BEX_OPTION_FLAG, &q.json, NULL, "the table as JSON", 0, 0},
    };
    static const bex_usage usage = {
        .command = "data gen libero-90",
        .synopsis = "--out DIR [options]",
        .about =
            "Scripted demonstrations of LIBERO's 90 tasks in LIBERO's own HDF5 layout: grasps by\n"
            "kind, several ways to do a task where there are several, noise. Only successes are kept;\n"
            "the table says how many attempts they took. Our own parts, or LIBERO's with\n"
            "--env.libero and --env.robosuite.",
        .example =
            "bex data gen libero-90 --demos 20 --images 64 --out demos\n"
            "bex data gen libero-90 --scene KITCHEN_SCENE5 --task bowl --demos 5 --out demos\n"
            "bex data gen libero-90 --count --attempts 10",
        .options = options,
        .count = sizeof options / sizeof *options,
    };
    const char *env[1];
    int n = bex_options_parse(&usage, argc, argv, env, 1);
    if (n == BEX_OPTIONS_HELP) return BEX_EXIT_OK;
    if (n < 0) return BEX_EXIT_USAGE;
    if (!q.out && !q.count) {
        bex_fail("where to? (--out DIR, or --count)");
        return bex_command_fail(&usage, BEX_EXIT_USAGE);
    }
    int code = generate(&q);
    return code == BEX_EXIT_OK ? code : bex_command_fail(&usage, code);
}
