/* report/record.c - find and read runs and explorations. */
#include "report/record.h"

#include "base/error.h"
#include "base/file.h"
#include "base/path.h"
#include "host/folder.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST = 6 };

static bool has(const char *folder, const char *name) {
    char path[BEX_PATH_SIZE];
    return bex_path_join(path, folder, "%s", name) == 0 && access(path, R_OK) == 0;
}

/* ---- a training run ---- */
static void read_status(bex_training *t) {
    char path[BEX_PATH_SIZE], *text;
    size_t size;
    if (!has(t->path, "status") || bex_path_join(path, t->path, "status") < 0) return;
    if (bex_file_read(&text, &size, path, 1 << 16) < 0) return;
    text[strcspn(text, "\n")] = 0;
    snprintf(t->status, sizeof t->status, "%s", text);
    free(text);
}

static int load_training(bex_training *t, const char *path, const char *name) {
    char file[BEX_PATH_SIZE];
    size_t size;
    *t = (bex_training){.name = strdup(name), .path = strdup(path)};
    BEX_CHECK(t->name && t->path, "out of memory");
    if (bex_path_join(file, path, "metrics.csv") < 0 || bex_table_load(&t->metrics, file) < 0)
        return -1;
    if (has(path, "provenance.json")) {
        if (bex_path_join(file, path, "provenance.json") < 0) return -1;
        if (!(t->provenance = bex_json_load(file))) return -1;
    }
    if (has(path, "config.ini")) {
        if (bex_path_join(file, path, "config.ini") < 0) return -1;
        if (bex_file_read(&t->config, &size, file, 1 << 20) < 0) return -1;
    }
    read_status(t);
    return 0;
}

/* ---- below a path ---- */
static int add_training(bex_record *r, const char *path, const char *name) {
    r->met++;
    for (int i = 0; i < r->run_count; i++)
        if (!strcmp(r->runs[i].path, path)) return 0;
    bex_training *more = realloc(r->runs, ((size_t)r->run_count + 1) * sizeof *more);
    BEX_CHECK(more, "out of memory");
    r->runs = more;
    return load_training(&r->runs[r->run_count++], path, name);
}

static int add_exploration(bex_record *r, const char *path, const char *name) {
    r->met++;
    for (int i = 0; i < r->exploration_count; i++)
        if (!strcmp(r->explorations[i].path, path)) return 0;
    size_t n = (size_t)r->exploration_count + 1;
    bex_exploration *more = realloc(r->explorations, n * sizeof *more);
    BEX_CHECK(more, "out of memory");
    r->explorations = more;
    if (bex_exploration_load(&r->explorations[n - 1], path, name) < 0) return -1;
    r->exploration_count++;
    return 0;
}

// who: "BC, action noise 0.39, told a random task"
static void label_suite(bex_suite_record *s, const json_t *agent) {
    static const char *const names[][2] = {
        {"be", "BE"}, {"bc", "BC"}, {"bc-history", "BC with history"}};
    const char *name = json_string_value(json_object_get(agent, "name")), *shown = name;
    const char *own = json_string_value(json_object_get(agent, "label"));
    const char *history = json_string_value(json_object_get(agent, "history"));
    const char *told = json_string_value(json_object_get(agent, "told"));
    double noise = json_number_value(json_object_get(agent, "noise"));
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i][0])) shown = names[i][1];
    int n = snprintf(s->label, sizeof s->label, "%.80s", own ? own : shown ? shown : "agent");
    if (noise > 0)
        n += snprintf(s->label + n, sizeof s->label - (size_t)n, ", action noise %.2g", noise);
    if (history && !strcmp(history, "first"))
        n += snprintf(s->label + n, sizeof s->label - (size_t)n, ", first-state history");
    if (told && strcmp(told, "given") != 0)
        snprintf(s->label + n, sizeof s->label - (size_t)n, ", told a random task%s",
                 !strcmp(told, "scene") ? " of the scene" : "");
}

static int load_suite(bex_suite_record *s, const char *path) {
    json_t *j = bex_json_load(path);
    if (!j) return -1;
    const char *protocol = json_string_value(json_object_get(j, "protocol"));
    const char *base = protocol ? strrchr(protocol, '/') : NULL;
    snprintf(s->protocol, sizeof s->protocol, "%s", base ? base + 1 : protocol ? protocol : "");
    char *dot = strrchr(s->protocol, '.');
    if (dot) *dot = 0;
    label_suite(s, json_object_get(j, "agent"));
    int code = bex_attempts_read(&s->attempts, j);
    json_decref(j);
    return code < 0 ? bex_fail_in("%s", path) : 0;
}

static int add_suite(bex_record *r, const char *path) {
    r->met++;
    for (int i = 0; i < r->suite_count; i++)
        if (!strcmp(r->suites[i].path, path)) return 0;
    bex_suite_record *more = realloc(r->suites, ((size_t)r->suite_count + 1) * sizeof *more);
    BEX_CHECK(more, "out of memory");
    r->suites = more;
    bex_suite_record *s = &more[r->suite_count++];
    *s = (bex_suite_record){.path = strdup(path)};
    BEX_CHECK(s->path, "out of memory");
    return load_suite(s, path);
}

// name: of the directory below the given path
static int scan(bex_record *r, const char *path, const char *name, int depth) {
    char below[BEX_PATH_SIZE], called[BEX_PATH_SIZE], **names;
    if (has(path, "metrics.csv") && add_training(r, path, name) < 0) return -1;
    if (has(path, "results.json")) {
        if (bex_path_join(below, path, "results.json") < 0 || add_exploration(r, below, name) < 0)
            return -1;
    }
    // its worlds are its own affair: twenty sections would say less
    if (has(path, "tasks.json"))
        return bex_path_join(below, path, "tasks.json") < 0 ? -1 : add_suite(r, below);
    if (depth == DEEPEST) return 0;
    int count = bex_folder_list(&names, path), bad = count < 0;
    for (int i = 0; i < count && !bad; i++) {
        if (names[i][0] == '.' || !strcmp(names[i], "checkpoints")) continue;
        if (bex_path_join(below, path, "%s", names[i]) < 0 || !bex_folder_exists(below)) continue;
        bad = bex_path_print(called, "%s%s%s", depth ? name : "", depth ? "/" : "", names[i]) < 0 ||
              scan(r, below, called, depth + 1) < 0;
    }
    free(names);
    return bad ? -1 : 0;
}

static int load_path(bex_record *r, const char *given) {
    char path[BEX_PATH_SIZE];
    size_t n = strlen(given);
    while (n > 1 && given[n - 1] == '/') n--;
    if (bex_path_print(path, "%.*s", (int)n, given) < 0) return -1;
    int met = r->met;
    if (!bex_folder_exists(path)) {
        if (access(path, F_OK) < 0) return bex_fail("no such run: '%s'", path);
        size_t length = strlen(path);
        if (length >= 10 && !strcmp(path + length - 10, "tasks.json")) return add_suite(r, path);
        return add_exploration(r, path, path);
    }
    const char *slash = strrchr(path, '/');
    if (scan(r, path, slash && slash[1] ? slash + 1 : path, 0) < 0) return -1;
    if (r->met > met) return 0;
    return bex_fail("'%s' holds neither a training run nor an exploration", path),
           bex_fail_hint("metrics.csv, results.json or tasks.json, here or below");
}

int bex_record_load(bex_record *r, const char *const *paths, int count) {
    *r = (bex_record){0};
    for (int i = 0; i < count; i++)
        if (load_path(r, paths[i]) < 0) return -1;
    return 0;
}

void bex_record_fini(bex_record *r) {
    for (int i = 0; i < r->run_count; i++) {
        bex_training *t = &r->runs[i];
        bex_table_fini(&t->metrics);
        json_decref(t->provenance);
        free(t->name), free(t->path), free(t->config);
    }
    for (int i = 0; i < r->exploration_count; i++) bex_exploration_fini(&r->explorations[i]);
    for (int i = 0; i < r->suite_count; i++) {
        bex_attempts_fini(&r->suites[i].attempts);
        free(r->suites[i].path);
    }
    free(r->runs), free(r->explorations), free(r->suites);
    *r = (bex_record){0};
}

const char *bex_figure_name(char out[128], const char *environment, const char *what) {
    snprintf(out, 128, "%s%s%s", environment, *environment ? "-" : "", what);
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '_') *c = '-';
    return out;
}
