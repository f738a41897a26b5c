/* report/exploration.c - read one results.json. */
#include "report/exploration.h"

#include "base/error.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRID_MOST = 1 << 20 };

/* ---- typed, optional members ---- */
static const json_t *at(const json_t *object, const char *key) {
    return json_object_get(object, key);
}

static const char *text_at(const json_t *object, const char *key) {
    const char *s = json_string_value(at(object, key));
    return s ? s : "";
}

static long long integer_at(const json_t *object, const char *key) {
    const json_t *v = at(object, key);
    return json_is_integer(v) ? (long long)json_integer_value(v) : -1;
}

static double number_at(const json_t *object, const char *key) {
    const json_t *v = at(object, key);
    return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

// numbers of an array, null as NaN; NULL and a message for anything else
static double *numbers(const json_t *array, int n) {
    double *v = malloc(((size_t)n + 1) * sizeof *v);
    BEX_CHECK(v, "out of memory for %d numbers", n);
    for (int i = 0; i < n; i++) {
        const json_t *x = json_array_get(array, (size_t)i);
        if (!json_is_number(x) && !json_is_null(x)) {
            free(v);
            bex_fail("element %d is not a number", i);
            return NULL;
        }
        v[i] = json_is_number(x) ? json_number_value(x) : (double)NAN;
    }
    return v;
}

/* ---- curves and grids ---- */
static int read_curve(bex_curve *c, const json_t *results, const char *by, const char *what,
                      const char *x) {
    const json_t *from = at(at(results, by), what);
    const json_t *columns[] = {at(from, x), at(from, "mean"), at(from, "error")};
    if (!from) return 0;
    size_t n = json_array_size(columns[0]);
    for (int k = 0; k < 3; k++)
        if (!json_is_array(columns[k]) || json_array_size(columns[k]) != n || n > 1 << 20)
            return bex_fail("%s.%s: %s, mean and error are not arrays of one length", by, what, x);
    c->n = (int)n;
    c->x = numbers(columns[0], c->n);
    c->mean = c->x ? numbers(columns[1], c->n) : NULL;
    c->error = c->mean ? numbers(columns[2], c->n) : NULL;
    return c->error ? 0 : bex_fail_in("%s.%s", by, what);
}

// goal g by itself: a share of trials, whose error follows from it
static int read_goal(bex_exploration *e, int g, const json_t *share) {
    bex_curve *c = &e->goal[g];
    if ((int)json_array_size(share) != e->goals.n)
        return bex_fail("by_step.goals.each: goal %d has another length", g);
    c->mean = numbers(share, e->goals.n);
    if (!c->mean) return bex_fail_in("by_step.goals.each");
    c->n = e->goals.n;
    c->x = malloc(((size_t)c->n + 1) * sizeof *c->x);
    c->error = malloc(((size_t)c->n + 1) * sizeof *c->error);
    BEX_CHECK(c->x && c->error, "out of memory for a curve of %d", c->n);
    for (int i = 0; i < c->n; i++) {
        double p = c->mean[i];
        c->x[i] = e->goals.x[i];
        c->error[i] = e->trials > 1 ? sqrt(p * (1 - p) / (double)(e->trials - 1)) : 0;
    }
    return 0;
}

static int read_goals(bex_exploration *e) {
    const json_t *r = e->results, *names = at(at(r, "goals"), "names");
    const json_t *each = at(at(at(r, "by_step"), "goals"), "each");
    if (read_curve(&e->goals, r, "by_step", "goals", "step") < 0) return -1;
    size_t n = json_array_size(names);
    if (e->goals.n == 0 || n > BEX_GOALS_MOST || json_array_size(each) != n) return 0;
    for (size_t g = 0; g < n; g++) {
        const char *name = json_string_value(json_array_get(names, g));
        e->goal_name[g] = name ? name : "";
        if (read_goal(e, (int)g, json_array_get(each, g)) < 0) return -1;
    }
    e->goal_count = (int)n;
    return 0;
}

static int read_grid(bex_grid *g, const json_t *from, const char *name) {
    if (!from || json_is_null(from)) return 0;
    long long rows = integer_at(from, "rows"), columns = integer_at(from, "columns");
    const json_t *counts = at(from, "counts");
    *g = (bex_grid){
        0, 0, number_at(from, "left"), number_at(from, "top"), number_at(from, "unit"), NULL};
    if (rows < 1 || columns < 1 || rows > GRID_MOST || columns > GRID_MOST / rows ||
        (long long)json_array_size(counts) != rows * columns || !(g->unit > 0) ||
        !isfinite(g->left + g->top))
        return bex_fail("%s: not a grid of rows x columns counts", name);
    g->count = numbers(counts, (int)(rows * columns));
    if (!g->count) return bex_fail_in("%s", name);
    g->rows = (int)rows, g->columns = (int)columns;
    return 0;
}

void bex_curve_fini(bex_curve *c) {
    free(c->x), free(c->mean), free(c->error);
    *c = (bex_curve){0};
}

void bex_grid_fini(bex_grid *g) {
    free(g->count);
    *g = (bex_grid){0};
}

/* ---- what it is called ---- */
static const char *agent_name(const bex_exploration *e) {
    static const char *const names[][2] = {{"be", "BE"},
                                           {"bc", "BC"},
                                           {"bc-history", "BC with history"},
                                           {"retrieval", "Retrieval"},
                                           {"policy", "Policy"},
                                           {"", "Agent"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(e->agent, names[i][0])) return names[i][1];
    return e->agent;
}

static const char *history_name(const char *rule) {
    static const char *const names[][2] = {{"uniform", "online history"},
                                           {"first", "first-state history"},
                                           {"last3", "history of three episodes"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(rule, names[i][0])) return names[i][1];
    return strncmp(rule, "file:", 5) == 0 ? "given history" : rule;
}

static void add_setting(bex_exploration *e, const char *key, double plain, const char *word) {
    double value = number_at(at(e->results, "agent"), key);
    size_t n = strlen(e->label);
    if (isfinite(value) && value != plain)
        snprintf(e->label + n, sizeof e->label - n, ", %s %g", word, value);
}

static void make_label(bex_exploration *e) {
    const json_t *agent = at(e->results, "agent");
    const char *given = text_at(agent, "label");
    bool random = !strcmp(text_at(agent, "choose"), "random");
    snprintf(e->label, sizeof e->label, "%s", *given ? given : agent_name(e));
    if (*given) return;
    size_t n = strlen(e->label);
    // what is in a run nobody said: its name must do
    const char *run = text_at(agent, "run"), *slash = strrchr(run, '/');
    if (!strcmp(e->agent, "policy") && *run)
        n += (size_t)snprintf(e->label + n, sizeof e->label - n, " %.60s", slash ? slash + 1 : run);
    // a cloned policy and a random choice do not look at their history
    if (random)
        snprintf(e->label + n, sizeof e->label - n, ", random choice");
    else if (strcmp(e->agent, "bc") != 0 && *e->history)
        snprintf(e->label + n, sizeof e->label - n, ", %s", history_name(e->history));
    add_setting(e, "candidates", 1, "candidates");
    add_setting(e, "guidance", 1, "guidance");
    add_setting(e, "noise", 0, "action noise");
}

bool bex_exploration_given(const bex_exploration *e) {
    return strncmp(e->history, "file:", 5) == 0;
}

const bex_curve *bex_exploration_curve(const bex_exploration *e, int which) {
    static const bex_curve none = {0};
    switch (which) {
    case BEX_REGIONS_BY_STEP:
        return &e->by_step;
    case BEX_REGIONS_BY_EPISODE:
        return &e->by_episode;
    case BEX_GOALS_BY_STEP:
        return &e->goals;
    default:
        return which - BEX_GOAL_BY_STEP < e->goal_count ? &e->goal[which - BEX_GOAL_BY_STEP]
                                                        : &none;
    }
}

/* ---- load ---- */
static int read_parts(bex_exploration *e) {
    const json_t *r = e->results;
    const json_t *const pairs[] = {at(r, "final"), at(r, "overlap"), at(at(r, "final"), "goals")};
    double *const to[] = {e->final, e->overlap, e->final_goals};
    if (read_curve(&e->by_episode, r, "by_episode", "regions", "episode") < 0 ||
        read_curve(&e->by_step, r, "by_step", "regions", "step") < 0 || read_goals(e) < 0)
        return -1;
    if (e->by_episode.n == 0) {
        bex_fail("no by_episode.regions");
        return bex_fail_hint("is it from bex explore?");
    }
    for (int k = 0; k < 3; k++) {
        to[k][0] = number_at(pairs[k], "mean");
        to[k][1] = number_at(pairs[k], "error");
    }
    if (read_grid(&e->visits, at(at(r, "occupancy"), "grid"), "occupancy.grid") < 0) return -1;
    return read_grid(&e->demonstrations, at(at(r, "demonstrations"), "grid"),
                     "demonstrations.grid");
}

int bex_exploration_load(bex_exploration *e, const char *path, const char *name) {
    *e = (bex_exploration){.quantile = (double)NAN};
    json_t *r = e->results = bex_json_load(path);
    e->path = strdup(path), e->name = strdup(name);
    BEX_CHECK(e->path && e->name, "out of memory");
    if (!r) {
        bex_exploration_fini(e);
        return -1;
    }
    const json_t *agent = at(r, "agent"), *world = at(r, "environment");
    e->environment = text_at(world, "name"), e->command = text_at(r, "command");
    e->agent = text_at(agent, "name"), e->history = text_at(agent, "history");
    e->exp = text_at(agent, "exp");
    e->seed = integer_at(r, "seed"), e->trials = integer_at(r, "trials");
    e->episodes = integer_at(r, "episodes");
    e->budget = integer_at(r, "budget");
    e->length = integer_at(world, "episode_length"), e->regions = integer_at(world, "regions");
    if (!strncmp(e->exp, "q:", 2) && bex_number_parse(&e->quantile, e->exp + 2) < 0)
        e->quantile = (double)NAN;
    make_label(e);
    if (read_parts(e) == 0) return 0;
    bex_fail_in("%s", path);
    bex_exploration_fini(e);
    return -1;
}

void bex_exploration_fini(bex_exploration *e) {
    bex_curve_fini(&e->by_step), bex_curve_fini(&e->by_episode), bex_curve_fini(&e->goals);
    for (int g = 0; g < BEX_GOALS_MOST; g++) bex_curve_fini(&e->goal[g]);
    bex_grid_fini(&e->visits), bex_grid_fini(&e->demonstrations);
    json_decref(e->results);
    free(e->path), free(e->name);
    *e = (bex_exploration){0};
}
