/* record/exploration_summary.c - the struct's memory; results.json written from it, and read. */
#include "record/exploration_summary.h"

#include "base/error.h"
#include "coverage/target.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CURVE_MOST = 1 << 20, GRID_MOST = 1 << 20 };

void bex_exploration_summary_init(bex_exploration_summary *s) {
    const bex_estimate none = {(double)NAN, (double)NAN, (double)NAN, 0};
    *s = (bex_exploration_summary){
        .seed = -1, .trials = -1, .episodes = -1, .length = -1, .regions = -1, .budget = -1};
    s->final = s->final_goals = s->overlap = none;
    s->goal_attempt = s->agent.quantile = (double)NAN;
    s->agent.candidates = s->agent.guidance = s->agent.noise = (double)NAN;
}

bex_curve bex_curve_new(int n) {
    size_t bytes = ((size_t)n + 1) * sizeof(double);
    bex_curve c = {n, malloc(bytes), malloc(bytes), malloc(bytes)};
    BEX_CHECK(c.x && c.mean && c.error, "out of memory for a curve of %d", n);
    return c;
}

void bex_curve_fini(bex_curve *c) {
    free(c->x), free(c->mean), free(c->error);
    *c = (bex_curve){0};
}

void bex_grid_fini(bex_grid *g) {
    free(g->count);
    *g = (bex_grid){0};
}

void bex_exploration_summary_fini(bex_exploration_summary *s) {
    bex_curve *const curves[] = {&s->by_episode, &s->repeated, &s->by_step, &s->goals_by_step,
                                 &s->goals_by_episode};
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) bex_curve_fini(curves[i]);
    for (int g = 0; s->goal && g < s->goals; g++) bex_curve_fini(&s->goal[g]);
    for (int c = 0; c < s->conducts; c++) free(s->conduct[c].trials);
    int paths = 0;
    for (int i = 0; i < s->rollout_trials; i++) paths += s->rollout_episodes[i];
    for (int i = 0; i < paths; i++) free(s->rollouts[i].at);
    bex_grid_fini(&s->visits), bex_grid_fini(&s->demonstrations);
    bex_exploration_agent *a = &s->agent;
    void *const owned[] = {s->command,
                           s->environment,
                           a->name,
                           a->run,
                           a->history,
                           a->exp,
                           a->choose,
                           a->label,
                           s->by_episode_trials,
                           s->region_reached,
                           s->region_attempt,
                           s->attempts,
                           s->goal_name,
                           s->goal,
                           s->goal_share,
                           s->goal_step,
                           s->goal_attempt_of,
                           s->overlap_trials,
                           s->occupancy,
                           s->walls.at,
                           s->goal_boxes.at,
                           s->start_boxes.at,
                           s->segment.at,
                           s->rollouts,
                           s->rollout_episodes};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) free(owned[i]);
    *s = (bex_exploration_summary){0};
}

/* ---- write ---- */

// null for what is not a number, which JSON has not
static json_t *real_or_null(double x) {
    return isnan(x) ? json_null() : json_real(x);
}

static json_t *reals(const double *v, int n) {
    json_t *list = json_array();
    for (int i = 0; i < n; i++) json_array_append_new(list, real_or_null(v[i]));
    return list;
}

static json_t *integers(const int *v, int n) {
    json_t *list = json_array();
    for (int i = 0; i < n; i++) json_array_append_new(list, json_integer(v[i]));
    return list;
}

static json_t *estimate_json(bex_estimate e) {
    return json_pack("{s:f, s:f}", "mean", e.mean, "error", e.error);
}

static json_t *curve_json(const bex_curve *c, const char *x) {
    json_t *at = json_array();
    for (int i = 0; i < c->n; i++) json_array_append_new(at, json_integer((json_int_t)c->x[i]));
    return json_pack("{s:o, s:o, s:o}", x, at, "mean", reals(c->mean, c->n), "error",
                     reals(c->error, c->n));
}

static void write_curves(const bex_exploration_summary *s, json_t *out) {
    json_t *regions = curve_json(&s->by_episode, "episode"), *trials = json_array();
    for (int k = 0; k < s->by_episode.n; k++)
        json_array_append_new(
            trials, integers(s->by_episode_trials + (size_t)k * (size_t)s->trials, (int)s->trials));
    json_object_set_new(regions, "trials", trials);
    json_object_set_new(out, "by_episode",
                        json_pack("{s:o, s:o}", "regions", regions, "repeated",
                                  curve_json(&s->repeated, "episode")));
    json_t *by_step = json_pack("{s:o}", "regions", curve_json(&s->by_step, "step"));
    if (s->goals) {
        json_t *goals = curve_json(&s->goals_by_step, "step"), *each = json_array();
        for (int g = 0; g < s->goals; g++)
            json_array_append_new(each, reals(s->goal[g].mean, s->goal[g].n));
        json_object_set_new(goals, "each", each);
        json_object_set_new(by_step, "goals", goals);
    }
    json_object_set_new(out, "by_step", by_step);
}

static void write_end(const bex_exploration_summary *s, json_t *out) {
    json_t *final = estimate_json(s->final);
    if (s->goals) json_object_set_new(final, "goals", estimate_json(s->final_goals));
    json_object_set_new(out, "final", final);
    int regions = (int)s->regions;
    json_object_set_new(out, "attempts",
                        json_pack("{s:{s:o, s:o}, s:{s:f, s:o, s:o}}", "regions", "reached",
                                  reals(s->region_reached, regions), "mean",
                                  reals(s->region_attempt, regions), "goal", "reached",
                                  s->goal_reached, "mean", real_or_null(s->goal_attempt), "trials",
                                  integers(s->attempts, (int)s->trials)));
}

// (trials, goals), null for what is below `least`
static json_t *firsts(const bex_exploration_summary *s, const int *first, int least) {
    json_t *trials = json_array();
    for (long long i = 0; i < s->trials; i++) {
        json_t *one = json_array();
        for (int g = 0; g < s->goals; g++) {
            int n = first[i * s->goals + g];
            json_array_append_new(one, n < least ? json_null() : json_integer(n));
        }
        json_array_append_new(trials, one);
    }
    return trials;
}

static void write_goals(const bex_exploration_summary *s, json_t *out) {
    if (!s->goals) return;
    json_t *names = json_array();
    for (int g = 0; g < s->goals; g++) json_array_append_new(names, json_string(s->goal_name[g]));
    json_object_set_new(
        out, "goals",
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "names", names, "found",
                  estimate_json(s->final_goals), "reached", reals(s->goal_share, s->goals),
                  "by_episode", curve_json(&s->goals_by_episode, "episode"), "first_step",
                  firsts(s, s->goal_step, 0), "first_attempt", firsts(s, s->goal_attempt_of, 1)));
}

static json_t *with_trials(bex_estimate e, const double *trials, int n) {
    json_t *one = estimate_json(e);
    json_object_set_new(one, "trials", reals(trials, n));
    return one;
}

static void write_conduct(const bex_exploration_summary *s, json_t *out) {
    if (!s->conducts) return;
    json_t *conduct = json_object(), *shown = json_object();
    for (int c = 0; c < s->conducts; c++) {
        const bex_conduct *one = &s->conduct[c];
        json_object_set_new(conduct, one->name,
                            with_trials(one->value, one->trials, (int)s->trials));
        json_object_set_new(shown, one->name, json_real(one->shown));
    }
    json_object_set_new(out, "conduct", conduct);
    if (s->shown_conduct)
        json_object_set_new(out, "demonstrations", json_pack("{s:O}", "conduct", shown));
    json_decref(shown);
}

/* ---- write: the map ---- */

static json_t *boxes_json(const bex_boxes *b) {
    json_t *list = json_array();
    for (int i = 0; i < b->n; i++)
        json_array_append_new(
            list, json_pack("[f, f, f, f]", b->at[i][0], b->at[i][1], b->at[i][2], b->at[i][3]));
    return list;
}

static json_t *path_json(const bex_path *p) {
    json_t *list = json_array();
    for (int i = 0; i < p->n; i++)
        json_array_append_new(list, json_pack("[f, f]", p->at[i][0], p->at[i][1]));
    return list;
}

static json_t *grid_json(const bex_grid *g) {
    if (!g->rows) return json_null();
    json_t *counts = json_array();
    for (int i = 0; i < g->rows * g->columns; i++)
        json_array_append_new(counts, json_integer((json_int_t)g->count[i]));
    return json_pack("{s:f, s:f, s:f, s:i, s:i, s:o}", "left", g->left, "top", g->top, "unit",
                     g->unit, "rows", g->rows, "columns", g->columns, "counts", counts);
}

static void write_map(const bex_exploration_summary *s, json_t *out) {
    if (!s->map) return;
    json_object_set_new(json_object_get(out, "occupancy"), "grid", grid_json(&s->visits));
    if (s->shown_grid) {
        json_t *shown = json_object_get(out, "demonstrations");
        if (!shown) json_object_set_new(out, "demonstrations", shown = json_object());
        json_object_set_new(shown, "grid", grid_json(&s->demonstrations));
    }
    if (s->segment.at) json_object_set_new(out, "segment", path_json(&s->segment));
    json_object_set_new(out, "map",
                        json_pack("{s:o, s:o, s:o}", "walls", boxes_json(&s->walls), "goal",
                                  boxes_json(&s->goal_boxes), "start",
                                  boxes_json(&s->start_boxes)));
    json_t *paths = json_array();
    const bex_path *next = s->rollouts;
    for (int i = 0; i < s->rollout_trials; i++) {
        json_t *trial = json_array();
        for (int k = 0; k < s->rollout_episodes[i]; k++)
            json_array_append_new(trial, path_json(next++));
        json_array_append_new(paths, trial);
    }
    json_object_set_new(out, "rollouts", paths);
}

void bex_exploration_summary_write(const bex_exploration_summary *s, json_t *out, json_t *agent) {
    json_t *more =
        json_pack("{s:I, s:I, s:{s:s, s:I, s:I}, s:O}", "trials", (json_int_t)s->trials, "episodes",
                  (json_int_t)s->episodes, "environment", "name", s->environment, "episode_length",
                  (json_int_t)s->length, "regions", (json_int_t)s->regions, "agent", agent);
    BEX_CHECK(more, "results of %s", s->environment);
    json_object_update(out, more);
    json_decref(more);
    if (s->budget > 0) json_object_set_new(out, "budget", json_integer(s->budget));
    write_curves(s, out);
    write_end(s, out);
    write_goals(s, out);
    json_object_set_new(out, "occupancy",
                        json_pack("{s:o}", "share", reals(s->occupancy, (int)s->regions)));
    if (s->overlap_trials)
        json_object_set_new(out, "overlap",
                            with_trials(s->overlap, s->overlap_trials, (int)s->trials));
    write_conduct(s, out);
    write_map(s, out);
}

/* ---- read: typed, optional members ---- */

static const json_t *at(const json_t *object, const char *key) {
    return json_object_get(object, key);
}

static char *text_at(const json_t *object, const char *key) {
    const char *s = json_string_value(at(object, key));
    char *copy = strdup(s ? s : "");
    BEX_CHECK(copy, "out of memory");
    return copy;
}

static long long integer_at(const json_t *object, const char *key) {
    const json_t *v = at(object, key);
    return json_is_integer(v) ? (long long)json_integer_value(v) : -1;
}

static double number_of(const json_t *v) {
    return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

static double number_at(const json_t *object, const char *key) {
    return number_of(at(object, key));
}

static bex_estimate estimate_of(const json_t *object, long long trials) {
    return (bex_estimate){number_at(object, "mean"), number_at(object, "error"), (double)NAN,
                          (int)trials};
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
        v[i] = number_of(x);
    }
    return v;
}

/* ---- read: curves ---- */

static int read_curve(bex_curve *c, const json_t *results, const char *by, const char *what,
                      const char *x) {
    const json_t *from = at(at(results, by), what);
    const json_t *columns[] = {at(from, x), at(from, "mean"), at(from, "error")};
    if (!from) return 0;
    size_t n = json_array_size(columns[0]);
    for (int k = 0; k < 3; k++)
        if (!json_is_array(columns[k]) || json_array_size(columns[k]) != n || n > CURVE_MOST)
            return bex_fail("%s.%s: %s, mean and error are not arrays of one length", by, what, x);
    c->n = (int)n;
    c->x = numbers(columns[0], c->n);
    c->mean = c->x ? numbers(columns[1], c->n) : NULL;
    c->error = c->mean ? numbers(columns[2], c->n) : NULL;
    return c->error ? 0 : bex_fail_in("%s.%s", by, what);
}

// goal g by itself: a share of trials, whose error follows from it
static int read_goal(bex_exploration_summary *s, int g, const json_t *share) {
    const bex_curve *all = &s->goals_by_step;
    if ((int)json_array_size(share) != all->n)
        return bex_fail("by_step.goals.each: goal %d has another length", g);
    double *mean = numbers(share, all->n);
    if (!mean) return bex_fail_in("by_step.goals.each");
    bex_curve c = bex_curve_new(all->n);
    for (int i = 0; i < c.n; i++) {
        double p = c.mean[i] = mean[i];
        c.x[i] = all->x[i];
        c.error[i] = s->trials > 1 ? sqrt(p * (1 - p) / (double)(s->trials - 1)) : 0;
    }
    free(mean);
    s->goal[g] = c;
    return 0;
}

// files of before do not say
static int read_first_attempts(bex_exploration_summary *s, const json_t *trials) {
    size_t rows = json_array_size(trials), goals = (size_t)s->goals;
    if (!goals || !rows || (long long)rows != s->trials) return 0;
    s->goal_attempt_of = calloc(rows * goals + 1, sizeof *s->goal_attempt_of);
    BEX_CHECK(s->goal_attempt_of, "out of memory for %zu trials", rows);
    for (size_t i = 0; i < rows; i++)
        for (size_t g = 0; g < goals; g++) {
            json_int_t n = json_integer_value(json_array_get(json_array_get(trials, i), g));
            if (n < 0 || n > 1 << 20) return bex_fail("goals.first_attempt: %lld", (long long)n);
            s->goal_attempt_of[i * goals + g] = (int)n;
        }
    return 0;
}

static int read_goals(bex_exploration_summary *s, const json_t *r) {
    const json_t *goals = at(r, "goals"), *names = at(goals, "names");
    const json_t *each = at(at(at(r, "by_step"), "goals"), "each");
    if (read_curve(&s->goals_by_step, r, "by_step", "goals", "step") < 0 ||
        read_curve(&s->goals_by_episode, r, "goals", "by_episode", "episode") < 0)
        return -1;
    size_t n = json_array_size(names);
    if (s->goals_by_step.n == 0 || n > BEX_GOALS_MOST || json_array_size(each) != n) return 0;
    s->goal = calloc(n + 1, sizeof *s->goal);
    s->goal_name = calloc(n + 1, sizeof *s->goal_name);
    s->goal_share = calloc(n + 1, sizeof *s->goal_share);
    BEX_CHECK(s->goal && s->goal_name && s->goal_share, "out of memory for %zu goals", n);
    s->goals = (int)n;
    for (size_t g = 0; g < n; g++) {
        const char *name = json_string_value(json_array_get(names, g));
        snprintf(s->goal_name[g], sizeof s->goal_name[g], "%s", name ? name : "");
        s->goal_share[g] = number_of(json_array_get(at(goals, "reached"), g));
        if (read_goal(s, (int)g, json_array_get(each, g)) < 0) return -1;
    }
    return read_first_attempts(s, at(goals, "first_attempt"));
}

static void read_conduct(bex_exploration_summary *s, const json_t *r) {
    const json_t *shown = at(at(r, "demonstrations"), "conduct");
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)at(r, "conduct"), key, value) {
        if (s->conducts == BEX_CONDUCT_MOST) break;
        bex_conduct *c = &s->conduct[s->conducts++];
        snprintf(c->name, sizeof c->name, "%s", key);
        c->value = estimate_of(value, s->trials);
        c->shown = number_at(shown, key);
    }
    s->shown_conduct = shown != NULL;
}

/* ---- read: the map ---- */

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

// rows of `width` numbers, at (n, width); a row that is none is left out. Returns how many there are
static int read_rows(double **rows, const json_t *list, size_t width) {
    size_t n = json_array_size(list), used = 0;
    double *v = *rows = malloc((n + 1) * width * sizeof *v);
    BEX_CHECK(v, "out of memory for %zu shapes", n);
    for (size_t i = 0; i < n; i++) {
        bool whole = true;
        for (size_t k = 0; k < width; k++) {
            double x = number_of(json_array_get(json_array_get(list, i), k));
            v[used * width + k] = x;
            whole = whole && !isnan(x);
        }
        used += whole;
    }
    return (int)used;
}

static bex_boxes read_boxes(const json_t *list) {
    double *rows;
    int n = read_rows(&rows, list, 4);
    return (bex_boxes){n, (double(*)[4])rows};
}

static bex_path read_path(const json_t *list) {
    double *rows;
    int n = read_rows(&rows, list, 2);
    return (bex_path){n, (double(*)[2])rows};
}

static void read_rollouts(bex_exploration_summary *s, const json_t *trials) {
    size_t n = json_array_size(trials), paths = 0, next = 0;
    for (size_t i = 0; i < n; i++) paths += json_array_size(json_array_get(trials, i));
    s->rollout_episodes = calloc(n + 1, sizeof *s->rollout_episodes);
    s->rollouts = calloc(paths + 1, sizeof *s->rollouts);
    BEX_CHECK(s->rollout_episodes && s->rollouts, "out of memory for %zu paths", paths);
    s->rollout_trials = (int)n;
    for (size_t i = 0; i < n; i++) {
        const json_t *trial = json_array_get(trials, i);
        s->rollout_episodes[i] = (int)json_array_size(trial);
        for (size_t k = 0; k < json_array_size(trial); k++)
            s->rollouts[next++] = read_path(json_array_get(trial, k));
    }
}

static int read_map(bex_exploration_summary *s, const json_t *r) {
    const json_t *map = at(r, "map"), *shown = at(at(r, "demonstrations"), "grid");
    s->map = map != NULL, s->shown_grid = shown != NULL;
    s->walls = read_boxes(at(map, "walls"));
    s->goal_boxes = read_boxes(at(map, "goal")), s->start_boxes = read_boxes(at(map, "start"));
    if (at(r, "segment")) s->segment = read_path(at(r, "segment"));
    read_rollouts(s, at(r, "rollouts"));
    if (read_grid(&s->visits, at(at(r, "occupancy"), "grid"), "occupancy.grid") < 0) return -1;
    return read_grid(&s->demonstrations, shown, "demonstrations.grid");
}

static bex_exploration_agent read_agent(const json_t *agent) {
    bex_exploration_agent a = {.name = text_at(agent, "name"),
                               .run = text_at(agent, "run"),
                               .history = text_at(agent, "history"),
                               .exp = text_at(agent, "exp"),
                               .choose = text_at(agent, "choose"),
                               .label = text_at(agent, "label"),
                               .candidates = number_at(agent, "candidates"),
                               .guidance = number_at(agent, "guidance"),
                               .noise = number_at(agent, "noise"),
                               .quantile = (double)NAN};
    bex_target t;
    if (*a.exp && bex_target_parse(&t, a.exp) == 0 && t.form == BEX_TARGET_QUANTILE)
        a.quantile = t.x;
    return a;
}

int bex_exploration_summary_read(bex_exploration_summary *s, const json_t *r) {
    const json_t *world = at(r, "environment"), *final = at(r, "final");
    bex_exploration_summary_init(s);
    s->command = text_at(r, "command"), s->environment = text_at(world, "name");
    s->agent = read_agent(at(r, "agent"));
    s->seed = integer_at(r, "seed"), s->trials = integer_at(r, "trials");
    s->episodes = integer_at(r, "episodes"), s->budget = integer_at(r, "budget");
    s->length = integer_at(world, "episode_length"), s->regions = integer_at(world, "regions");
    if (read_curve(&s->by_episode, r, "by_episode", "regions", "episode") < 0 ||
        read_curve(&s->repeated, r, "by_episode", "repeated", "episode") < 0 ||
        read_curve(&s->by_step, r, "by_step", "regions", "step") < 0 || read_goals(s, r) < 0)
        return -1;
    if (s->by_episode.n == 0) {
        bex_fail("no by_episode.regions");
        return bex_fail_hint("is it from bex explore?");
    }
    s->final = estimate_of(final, s->trials);
    s->final_goals = estimate_of(at(final, "goals"), s->trials);
    s->overlap = estimate_of(at(r, "overlap"), s->trials);
    read_conduct(s, r);
    return read_map(s, r);
}
