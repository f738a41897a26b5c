#include "explore/request.h"

#include "base/error.h"
#include "base/file.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// a directory of demonstrations is taken as it is
static int add_file(json_t *files, const char *path) {
    struct stat about;
    unsigned long long digest;
    long long bytes;
    char text[80];
    if (!path || !*path || (stat(path, &about) == 0 && S_ISDIR(about.st_mode))) return 0;
    if (bex_file_digest(&digest, &bytes, path) < 0) return -1;
    snprintf(text, sizeof text, "%lld bytes, %016llx", bytes, digest);
    return json_object_set_new(files, path, json_string(text)) < 0
               ? bex_fail("'%s' is not UTF-8", path)
               : 0;
}

json_t *bex_explore_settings(const bex_explore_request *q, const bex_world *world,
                             const json_t *agent, const char *model, const char *history) {
    const char *memory = !strncmp(history, "file:", 5) ? history + 5 : NULL;
    const char *const paths[] = {model, world->file, memory, q->demonstrations, q->data};
    json_t *files = json_object(), *s = NULL;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (add_file(files, paths[i]) < 0) return json_decref(files), NULL;
    s = json_pack("{s:s, s:I, s:I, s:I, s:i, s:i, s:i, s:i, s:s, s:s, s:s, s:I, s:O, s:s, s:o}",
                  "env", world->name, "trials", (json_int_t)q->trials, "episodes",
                  (json_int_t)q->episodes, "steps", (json_int_t)q->steps, "episode_length",
                  world->time_limit, "regions", world->regions, "observation", world->spec.state,
                  "action", world->A, "start", q->start ? q->start : "", "env_keys",
                  world->keys ? world->keys : "", "history", history, "seed", (json_int_t)q->seed,
                  "agent", (json_t *)agent, "model", model, "files", files);
    if (!s) bex_fail("an option is not UTF-8");
    return s;
}

json_t *bex_explore_request_new(const char *command, const char *started, int argc, char **argv,
                                json_t *settings) {
    json_t *arguments = json_array();
    for (int i = 1; i < argc; i++) json_array_append_new(arguments, json_string(argv[i]));
    bool whole = (int)json_array_size(arguments) == argc - 1;
    json_t *r = json_pack("{s:s, s:s, s:o, s:o}", "command", command, "started", started,
                          "arguments", arguments, "settings", settings);
    if (r && whole) return r;
    json_decref(r);
    bex_fail("an option is not UTF-8");
    return NULL;
}

char **bex_explore_request_arguments(const json_t *request, int *argc) {
    static char name[] = "explore";
    const json_t *arguments, *settings = json_object_get(request, "settings");
    const char *text;
    if (bex_json_get_array(request, "arguments", &arguments) < 0 ||
        bex_json_get_string(request, "command", &text) < 0 ||
        bex_json_get_string(settings, "model", &text) < 0)
        return NULL;
    size_t n = json_array_size(arguments);
    char **argv = calloc(n + 2, sizeof *argv);
    if (!argv) return bex_fail("out of memory"), NULL;
    argv[0] = name;
    for (size_t i = 0; i < n; i++) {
        argv[i + 1] = (char *)json_string_value(json_array_get(arguments, i));
        if (argv[i + 1]) continue;
        bex_fail("argument %zu is not a text", i);
        return free(argv), NULL;
    }
    *argc = (int)n + 1;
    return argv;
}

static void put_value(char out[100], const json_t *value) {
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    snprintf(out, 100, "%.90s", text ? text : "none");
    free(text);
}

static int check(const char *above, const json_t *was, const json_t *now) {
    const char *key;
    json_t *value;
    char old[100], new[100];
    json_object_foreach((json_t *)was, key, value) {
        const json_t *other = json_object_get(now, key);
        if (json_equal(value, other)) continue;
        if (json_is_object(value) && json_is_object(other) && check(key, value, other) < 0)
            return -1;
        put_value(old, value), put_value(new, other);
        if (!strcmp(above, "files"))
            return bex_fail("'%s' has changed since this exploration began", key);
        return bex_fail("%s%s%s is %s, was %s when this exploration began", above,
                        *above ? "." : "", key, new, old);
    }
    return 0;
}

int bex_explore_request_check(const json_t *request, const json_t *settings) {
    const json_t *was = json_object_get(request, "settings");
    return check("", was, settings);
}
