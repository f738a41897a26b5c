/* report/exploration.c - one results.json, and what its agent is called. */
#include "report/exploration.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what it is called ---- */
static const char *agent_name(const bex_exploration_agent *a) {
    static const char *const names[][2] = {{"be", "BE"},
                                           {"bc", "BC"},
                                           {"bc-history", "BC with history"},
                                           {"retrieval", "Retrieval"},
                                           {"sac", "SAC"},
                                           {"policy", "Policy"},
                                           {"", "Agent"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(a->name, names[i][0])) return names[i][1];
    return a->name;
}

static const char *history_name(const char *rule) {
    static const char *const names[][2] = {{"uniform", "with its past"},
                                           {"first", "without its past"},
                                           {"last3", "history of three episodes"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(rule, names[i][0])) return names[i][1];
    return strncmp(rule, "file:", 5) == 0 ? "given history" : rule;
}

static void add_setting(bex_exploration *e, double value, double plain, const char *word) {
    size_t n = strlen(e->label);
    if (isfinite(value) && value != plain)
        snprintf(e->label + n, sizeof e->label - n, ", %s %g", word, value);
}

static void make_label(bex_exploration *e) {
    const bex_exploration_agent *a = &e->s.agent;
    snprintf(e->label, sizeof e->label, "%s", *a->label ? a->label : agent_name(a));
    if (*a->label) return;
    size_t n = strlen(e->label);
    // what is in a run nobody said: its name must do
    const char *slash = strrchr(a->run, '/');
    if (!strcmp(a->name, "policy") && *a->run)
        n += (size_t)snprintf(e->label + n, sizeof e->label - n, " %.60s",
                              slash ? slash + 1 : a->run);
    // a cloned policy and a random choice do not look at their history
    if (!strcmp(a->choose, "random"))
        snprintf(e->label + n, sizeof e->label - n, ", random choice");
    else if (strcmp(a->name, "bc") != 0 && *a->history)
        snprintf(e->label + n, sizeof e->label - n, ", %s", history_name(a->history));
    add_setting(e, a->candidates, 1, "candidates");
    add_setting(e, a->guidance, 1, "guidance");
    add_setting(e, a->noise, 0, "action noise");
}

bool bex_exploration_given(const bex_exploration *e) {
    return strncmp(e->s.agent.history, "file:", 5) == 0;
}

const bex_curve *bex_exploration_curve(const bex_exploration *e, int which) {
    static const bex_curve none = {0};
    switch (which) {
    case BEX_REGIONS_BY_STEP:
        return &e->s.by_step;
    case BEX_REGIONS_BY_EPISODE:
        return &e->s.by_episode;
    case BEX_GOALS_BY_STEP:
        return &e->s.goals_by_step;
    default:
        return which - BEX_GOAL_BY_STEP < e->s.goals ? &e->s.goal[which - BEX_GOAL_BY_STEP] : &none;
    }
}

/* ---- load ---- */
int bex_exploration_load(bex_exploration *e, const char *path, const char *name) {
    *e = (bex_exploration){0};
    json_t *results = bex_json_load(path);
    e->path = strdup(path), e->name = strdup(name);
    BEX_CHECK(e->path && e->name, "out of memory");
    int code = -1;
    if (results) {
        code = bex_exploration_summary_read(&e->s, results);
        if (code < 0) bex_fail_in("%s", path);
        e->machine = json_incref(json_object_get(results, "machine"));
        json_decref(results);
    }
    if (code < 0)
        bex_exploration_fini(e);
    else
        make_label(e);
    return code;
}

void bex_exploration_fini(bex_exploration *e) {
    bex_exploration_summary_fini(&e->s);
    json_decref(e->machine);
    free(e->path), free(e->name);
    *e = (bex_exploration){0};
}
