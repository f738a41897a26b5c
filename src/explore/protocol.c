#include "explore/protocol.h"

#include "base/error.h"
#include "base/nearest.h"
#include "base/path.h"
#include "host/folder.h"
#include "host/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "configs/protocols"
enum { NAMES = 64, NAME_SIZE = 64 };

const char *const bex_each_names[] = {"world", "scene", "task", NULL};

// what one is given as --option on the command line
static const bex_config_row rows[] = {
    BEX_CONFIG_TEXT(bex_protocol, env, "", "the world; see bex env --list"),
    BEX_CONFIG_TEXT(bex_protocol, maze, "", "text grid, for env maze2d or antmaze"),
    BEX_CONFIG_TEXT(bex_protocol, start, "",
                    "ROW,COLUMN where episodes start; else the world's own"),
    BEX_CONFIG_INTEGER(bex_protocol, episode_length, "0", 0, 1e6, "steps; 0: the world's own"),
    BEX_CONFIG_INTEGER(bex_protocol, steps, "0", 0, 1e9,
                       "budget of a trial in environment steps; 0: episodes count"),
    BEX_CONFIG_INTEGER(bex_protocol, episodes, "0", 0, 10000, "of a trial; 0: steps count"),
    BEX_CONFIG_INTEGER(bex_protocol, trials, "10", 1, 10000,
                       "independent, each with an empty memory"),
    BEX_CONFIG_INTEGER(bex_protocol, splits, "0", 0, 16,
                       "a cell counts as N x N regions; 0: the world's own"),
    BEX_CONFIG_TEXT(bex_protocol, history, "uniform",
                    "states of previous episodes, drawn anew each episode: uniform, first, last3, "
                    "file:F"),
    BEX_CONFIG_CHOICE(bex_protocol, each, "world", bex_each_names,
                      "world: one exploration; scene, task: one for each of the world's"),
    BEX_CONFIG_BOOL(bex_protocol, until, "false",
                    "a trial ends as soon as the world's own task is done"),
    BEX_CONFIG_TEXT(bex_protocol, tell, "given",
                    "what a policy with a task input is told: given, scene, any"),
    BEX_CONFIG_END,
};
static const bex_config_row env_rows[] = {
    BEX_CONFIG_KEYS(bex_protocol, keys, "an option of the world (bex env NAME --help)"),
    BEX_CONFIG_END,
};
static const bex_config_section sections[] = {{"protocol", rows, 0, "how trials are played"},
                                              {"env", env_rows, 0, "options of the world"},
                                              {"online", bex_learner_rows,
                                               offsetof(bex_protocol, online),
                                               "agents that learn while they explore"}};
const bex_config_schema bex_protocol_schema = {.sections = sections,
                                               .count = sizeof sections / sizeof *sections};

// the protocols that come with bex, sorted; returns how many
static int list_names(char (*text)[NAME_SIZE], const char **names) {
    char folder[BEX_PATH_SIZE], **files = NULL;
    int n = 0, count = bex_share_find(folder, FOLDER);
    if (count == 0) count = bex_folder_list(&files, folder);
    for (int i = 0; i < count && n < NAMES; i++) {
        size_t length = strlen(files[i]);
        if (length < 5 || length - 4 >= NAME_SIZE || strcmp(files[i] + length - 4, ".ini") != 0)
            continue;
        snprintf(text[n], NAME_SIZE, "%.*s", (int)(length - 4), files[i]);
        names[n] = text[n], n++;
    }
    free(files);
    return n;
}

static int unknown(const char *name) {
    char text[NAMES][NAME_SIZE], all[256] = "";
    const char *names[NAMES];
    int n = list_names(text, names);
    const char *near = bex_nearest(name, names, n, sizeof *names);
    for (int i = 0; i < n; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", names[i]);
    }
    bex_fail("no protocol '%.100s'", name);
    if (near) return bex_fail_hint("did you mean %s?", near);
    return bex_fail_hint("%s%sthe path of an ini file", all, n ? ", or " : "");
}

static int find(char path[BEX_PATH_SIZE], const char *name) {
    char inside[BEX_PATH_SIZE];
    size_t length = strlen(name);
    if (strchr(name, '/') || (length > 4 && !strcmp(name + length - 4, ".ini")))
        return bex_path_print(path, "%s", name);
    if (bex_path_join(inside, FOLDER, "%s.ini", name) < 0) return -1;
    return bex_share_find(path, inside) < 0 ? unknown(name) : 0;
}

int bex_protocol_load(bex_protocol *p, const char *name) {
    char path[BEX_PATH_SIZE];
    bex_config_defaults(&bex_protocol_schema, p);
    if (find(path, name) < 0) return -1;
    if (bex_config_load(&bex_protocol_schema, p, path) < 0) return -1;
    if (p->steps && p->episodes) {
        bex_fail("%s: steps and episodes", path);
        return bex_fail_hint("a trial ends after the one or the other");
    }
    if (!p->env[0]) return bex_fail("%s: no env", path);
    return 0;
}
