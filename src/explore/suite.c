#include "explore/suite.h"

#include "base/error.h"
#include "base/nearest.h"
#include "data/names.h"
#include "explore/explore.h"
#include "explore/request.h"
#include "host/folder.h"
#include "run/provenance.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REQUEST "suite.json"
#define RESULTS "tasks.json"

/* ---- which worlds ---- */

static int wanted(const bex_names *scenes, const char *scene) {
    return !scenes->count || bex_names_find(scenes, scene) >= 0;
}

// every scene that was asked for is one
static int check_scenes(const bex_suite *s, const bex_names *scenes) {
    const char **known = calloc((size_t)s->members + 1, sizeof *known);
    if (!known) return bex_fail("out of memory");
    int code = 0;
    for (int i = 0; i < s->members; i++) known[i] = s->member[i].scene;
    for (int k = 0; k < scenes->count && code == 0; k++) {
        bool there = false;
        for (int i = 0; i < s->members; i++) there |= !strcmp(known[i], scenes->text[k]);
        if (there) continue;
        code = bex_fail("no scene '%s' in %s", scenes->text[k], s->q->env);
        const char *near = bex_nearest(scenes->text[k], known, s->members, sizeof *known);
        if (near) bex_fail_hint("did you mean %s?", near);
    }
    free(known);
    return code;
}

// those that were asked for; of scenes, each once
static int choose_members(bex_suite *s) {
    bex_names scenes = {0};
    s->members = bex_world_list(s->q->env, s->q->env_keys, &s->member);
    int code = s->members < 0 ? -1 : 0, n = 0;
    if (code == 0 && s->scenes && *s->scenes) code = bex_names_parse(&scenes, s->scenes);
    if (code == 0) code = check_scenes(s, &scenes);
    for (int i = 0; code == 0 && i < s->members; i++) {
        const bex_world_label *m = &s->member[i];
        bool again = s->each == BEX_EACH_SCENE && n && !strcmp(s->member[n - 1].scene, m->scene);
        if (wanted(&scenes, m->scene) && !again) s->member[n++] = *m;
    }
    s->members = n;
    bex_names_fini(&scenes);
    return code;
}

// DIR/SCENE, DIR/SCENE_task
static int place_of(char path[BEX_PATH_SIZE], const bex_suite *s, int i) {
    const bex_world_label *m = &s->member[i];
    return s->each == BEX_EACH_TASK ? bex_path_join(path, s->q->out, "%s_%s", m->scene, m->task)
                                    : bex_path_join(path, s->q->out, "%s", m->scene);
}

static int keys_of(char *keys, size_t size, const bex_suite *s, int i) {
    const bex_world_label *m = &s->member[i];
    bool tasks = s->each == BEX_EACH_TASK;
    int n = snprintf(keys, size, "%s\nscene=%s\ntask=%s\n", s->q->env_keys ? s->q->env_keys : "",
                     m->scene, tasks ? m->task : "");
    return n < (int)size ? 0 : bex_fail("the options of the world are too long");
}

/* ---- the directory ---- */

static int file_in(char path[BEX_PATH_SIZE], const char *folder, const char *name) {
    return bex_path_join(path, folder, "%s", name);
}

static bool has(const char *folder, const char *name) {
    char path[BEX_PATH_SIZE];
    return file_in(path, folder, name) == 0 && access(path, F_OK) == 0;
}

bool bex_suite_exists(const char *folder) {
    return has(folder, REQUEST);
}

json_t *bex_suite_request(const char *folder) {
    char path[BEX_PATH_SIZE];
    return file_in(path, folder, REQUEST) < 0 ? NULL : bex_json_load(path);
}

static int save_request(const bex_suite *s) {
    char path[BEX_PATH_SIZE];
    return file_in(path, s->q->out, REQUEST) < 0 ? -1 : bex_json_save(s->request, path);
}

static int drop(const char *folder, const char *name) {
    char path[BEX_PATH_SIZE];
    if (file_in(path, folder, name) < 0) return -1;
    return unlink(path) == 0 || errno == ENOENT
               ? 0
               : bex_fail("cannot replace '%s': %s", path, strerror(errno));
}

static int prepare(bex_suite *s) {
    const char *out = s->q->out;
    if (bex_folder_make(out) < 0 || bex_folder_tidy(out) < 0) return -1;
    if (s->again) return 0;
    if (!s->q->force && (has(out, REQUEST) || has(out, RESULTS))) {
        bex_fail("'%s' holds an exploration", out);
        return bex_fail_hint("bex explore --resume %s goes on, --force begins anew", out);
    }
    json_t *nothing = json_pack("{s:s, s:{}}", "model", "", "files");
    s->request = bex_explore_request_new(s->command, s->started, s->argc, s->argv, nothing);
    return !s->request || drop(out, RESULTS) < 0 ? -1 : save_request(s);
}

int bex_suite_open(bex_suite *s) {
    if (!s->q->out) {
        bex_fail("where to? An exploration of several worlds keeps what it finds: --out DIR");
        return bex_misused();
    }
    if (choose_members(s) < 0) return bex_misused();
    if (s->again && !(s->request = bex_suite_request(s->q->out))) return -1;
    return prepare(s);
}

/* ---- playing ---- */

// what all of them have in common: the first says it, the others must agree
static int check_same(bex_suite *s, const bex_explore_session *m) {
    static const char *const shared[] = {"agent",    "model", "files",          "seed",    "trials",
                                         "episodes", "steps", "episode_length", "history", NULL};
    json_t *all = bex_explore_settings(m->q, m->world, m->agent, m->source->file(m->state),
                                       bex_explore_history(m->source, m->state));
    json_t *some = json_object();
    for (int i = 0; all && shared[i]; i++)
        json_object_set(some, shared[i], json_object_get(all, shared[i]));
    const json_t *was = json_object_get(s->request, "settings");
    int code = all ? 0 : -1;
    if (code == 0 && !json_object_get(was, "agent")) {
        json_object_set(s->request, "settings", some);
        code = save_request(s);
    } else if (code == 0) {
        code = bex_explore_request_check(s->request, some);
    }
    json_decref(all), json_decref(some);
    return code;
}

static int finish(bex_explore_session *m) {
    return bex_explore_session_judge(m) < 0 || bex_explore_session_save(m) < 0
               ? -1
               : bex_explore_session_finish(m);
}

static int explore(bex_suite *s, bex_explore_session *m, const bex_explore_request *q, int i) {
    char store[BEX_PATH_SIZE];
    if (bex_path_join(store, q->out, "unfinished") < 0) return -1;
    if (q->resume && bex_explore_session_find(m, q->out) < 0) return -1;
    int code = bex_explore_session_open(m);
    if (code == 0) code = check_same(s, m);
    if (code == 0) code = bex_explore_session_play(m);
    if (code == 0) code = finish(m);
    if (code == 0 && s->told) s->told(s, i, &m->summary);
    return code;
}

static int play_member(bex_suite *s, int i) {
    char path[BEX_PATH_SIZE], keys[4096], store[BEX_PATH_SIZE];
    bex_explore_request q = *s->q;
    if (place_of(path, s, i) < 0 || keys_of(keys, sizeof keys, s, i) < 0) return -1;
    if (s->again && has(path, "results.json")) return 0;
    if (bex_path_join(store, path, "unfinished") < 0) return -1;
    q.out = path, q.env_keys = keys;
    q.resume = s->again && bex_explore_store_exists(store) ? path : NULL;
    bex_explore_session m = {
        .q = &q, .command = s->command, .started = s->started, .argc = s->argc, .argv = s->argv};
    int code = explore(s, &m, &q, i);
    bex_explore_session_fini(&m);
    return code < 0 ? bex_fail_in("%s", s->member[i].scene) : code;
}

/* ---- what it came to ---- */

// a member's tasks: all of its scene, or its own
static int add_tasks(bex_suite *s, int i, const bex_exploration_summary *e) {
    const bex_world_label *m = &s->member[i];
    if (!e->goals || !e->goal_attempt_of)
        return bex_fail("no tasks were recorded (env.tasks = true)");
    for (int g = 0; g < e->goals; g++) {
        if (s->each == BEX_EACH_TASK && strcmp(e->goal_name[g], m->task) != 0) continue;
        if (bex_attempts_add(&s->attempts, m->scene, e->goal_name[g], e->goal_attempt_of + g,
                             (int)e->trials, e->goals) < 0)
            return -1;
    }
    return 0;
}

static int add_member(bex_suite *s, int i) {
    char folder[BEX_PATH_SIZE], path[BEX_PATH_SIZE];
    bex_exploration_summary e;
    if (place_of(folder, s, i) < 0 || file_in(path, folder, "results.json") < 0) return -1;
    json_t *r = bex_json_load(path);
    if (!r) return -1;
    int code = bex_exploration_summary_read(&e, r);
    if (code == 0) code = add_tasks(s, i, &e);
    bex_exploration_summary_fini(&e);
    json_decref(r);
    return code < 0 ? bex_fail_in("%s", path) : 0;
}

static int combine(bex_suite *s) {
    char path[BEX_PATH_SIZE];
    s->attempts =
        (bex_attempts){.shared = s->each == BEX_EACH_SCENE, .attempts = (int)s->q->episodes};
    for (int i = 0; i < s->members; i++)
        if (add_member(s, i) < 0) return -1;
    const json_t *settings = json_object_get(s->request, "settings");
    s->results = bex_provenance(s->command, s->q->seed, s->started);
    if (!s->results) return bex_fail("out of memory");
    json_object_set(s->results, "agent", json_object_get(settings, "agent"));
    json_object_set_new(s->results, "environment", json_string(s->q->env));
    if (s->q->protocol) json_object_set_new(s->results, "protocol", json_string(s->q->protocol));
    if (bex_attempts_write(&s->attempts, s->results) < 0) return -1;
    return file_in(path, s->q->out, RESULTS) < 0 ? -1 : bex_json_save(s->results, path);
}

int bex_suite_play(bex_suite *s) {
    if (!s->q->episodes) {
        bex_fail("trials of several worlds are counted in attempts: --episodes");
        return bex_misused();
    }
    for (int i = 0; i < s->members; i++) {
        int code = play_member(s, i);
        if (code != 0) return code;
    }
    return combine(s);
}

void bex_suite_fini(bex_suite *s) {
    free(s->member);
    bex_attempts_fini(&s->attempts);
    json_decref(s->request);
    json_decref(s->results);
}
