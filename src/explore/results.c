#include "explore/results.h"

#include "base/error.h"
#include "explore/metrics.h"
#include "explore/region_map.h"
#include "run/provenance.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 200 };

static void append(json_t *array, double value) {
    json_array_append_new(array, json_real(value));
}

// {"mean": [], "error": []} beside a first column
static json_t *curve(const char *x) {
    return json_pack("{s:[], s:[], s:[]}", x, "mean", "error");
}

static void add_point(json_t *c, const char *x, int at, bex_spread s) {
    json_array_append_new(json_object_get(c, x), json_integer(at));
    append(json_object_get(c, "mean"), s.mean);
    append(json_object_get(c, "error"), s.error);
}

static const unsigned char *visited_in(const bex_explored *e, int trial, int episode) {
    return e->trial[trial].visited + (size_t)episode * (size_t)e->R;
}

// the share of an episode's regions that its trial had visited in earlier ones
static double repeated_share(const bex_explored *e, int trial, int episode) {
    const int *first = e->trial[trial].first_episode;
    const unsigned char *visited = visited_in(e, trial, episode);
    int all = 0, old = 0;
    for (int k = 0; k < e->R; k++) {
        all += visited[k];
        old += visited[k] && first[k] < episode;
    }
    return all ? (double)old / all : 0;
}

static json_t *spread_json(bex_spread s) {
    return json_pack("{s:f, s:f}", "mean", s.mean, "error", s.error);
}

// up to the last episode all trials have: every point is a mean of the same trials
static void add_by_episode(json_t *out, const bex_explored *e, double *values) {
    json_t *regions = curve("episode"), *repeated = curve("episode"), *trials = json_array();
    for (int k = 0; k < bex_explored_least_episodes(e); k++) {
        json_t *each = json_array();
        for (int i = 0; i < e->trials; i++) {
            int n = bex_explored_after_episodes(e, i, k + 1);
            json_array_append_new(each, json_integer(n));
            values[i] = n;
        }
        json_array_append_new(trials, each);
        add_point(regions, "episode", k + 1, bex_spread_of(values, e->trials));
        for (int i = 0; i < e->trials; i++) values[i] = repeated_share(e, i, k);
        add_point(repeated, "episode", k + 1, bex_spread_of(values, e->trials));
    }
    json_object_set_new(regions, "trials", trials);
    json_object_set_new(out, "by_episode",
                        json_pack("{s:o, s:o}", "regions", regions, "repeated", repeated));
}

typedef double measure(const bex_explored *e, int trial, int steps);

static double regions_after(const bex_explored *e, int trial, int steps) {
    return bex_explored_after_steps(e, trial, steps);
}

static bex_spread spread_after(const bex_explored *e, measure *of, int steps, double *values) {
    for (int i = 0; i < e->trials; i++) values[i] = of(e, i, steps);
    return bex_spread_of(values, e->trials);
}

static void add_final(json_t *out, const bex_explored *e, double *values) {
    json_t *final = spread_json(spread_after(e, regions_after, e->room, values));
    if (e->G)
        json_object_set_new(
            final, "goals",
            spread_json(spread_after(e, bex_explored_goals_after_steps, e->room, values)));
    json_object_set_new(out, "final", final);
}

// the share of trials that have found goal g
static double reached_after(const bex_explored *e, int g, int steps) {
    int n = 0;
    for (int i = 0; i < e->trials; i++) {
        int first = e->trial[i].goal_step[g];
        n += first >= 0 && first <= steps;
    }
    return (double)n / e->trials;
}

// up to the step the shortest trial reached: every point is a mean of the same trials
static void add_by_step(json_t *out, const bex_explored *e, double *values) {
    int end = bex_explored_least_steps(e), apart = end > POINTS ? end / POINTS : 1;
    json_t *regions = curve("step"), *goals = curve("step"), *each = json_array();
    for (int g = 0; g < e->G; g++) json_array_append_new(each, json_array());
    int last = end - end % apart; // a budget's end is among the points, as what it is about
    for (int n = 0; n <= end; n = n == last && e->budget && n < end ? end : n + apart) {
        add_point(regions, "step", n, spread_after(e, regions_after, n, values));
        add_point(goals, "step", n, spread_after(e, bex_explored_goals_after_steps, n, values));
        for (int g = 0; g < e->G; g++)
            append(json_array_get(each, (size_t)g), reached_after(e, g, n));
    }
    json_object_set_new(goals, "each", each);
    json_t *by_step = json_pack("{s:o}", "regions", regions);
    if (e->G) json_object_set(by_step, "goals", goals);
    json_decref(goals);
    json_object_set_new(out, "by_step", by_step);
}

// how often a first time came, and when: attempts count from 1, 0 is never
static void first_times(json_t *reached, json_t *mean, const int *attempts, int n) {
    double sum = 0, count = 0;
    for (int i = 0; i < n; i++) {
        sum += attempts[i];
        count += attempts[i] > 0;
    }
    append(reached, count / n);
    json_array_append_new(mean, count > 0 ? json_real(sum / count) : json_null());
}

static void add_attempts(json_t *out, const bex_explored *e, int *attempts) {
    json_t *reached = json_array(), *mean = json_array(), *each = json_array();
    for (int k = 0; k < e->R; k++) {
        for (int i = 0; i < e->trials; i++) attempts[i] = e->trial[i].first_episode[k] + 1;
        first_times(reached, mean, attempts, e->trials);
    }
    json_t *regions = json_pack("{s:o, s:o}", "reached", reached, "mean", mean);
    for (int i = 0; i < e->trials; i++) {
        attempts[i] = bex_explored_attempts(e, i);
        json_array_append_new(each, json_integer(attempts[i]));
    }
    reached = json_array(), mean = json_array();
    first_times(reached, mean, attempts, e->trials);
    json_t *goal = json_pack("{s:O, s:O, s:o}", "reached", json_array_get(reached, 0), "mean",
                             json_array_get(mean, 0), "trials", each);
    json_decref(reached), json_decref(mean);
    json_object_set_new(out, "attempts", json_pack("{s:o, s:o}", "regions", regions, "goal", goal));
}

// the step each trial first found each goal at, null for never
static json_t *first_goals(const bex_explored *e) {
    json_t *trials = json_array();
    for (int i = 0; i < e->trials; i++) {
        json_t *steps = json_array();
        for (int g = 0; g < e->G; g++) {
            int first = e->trial[i].goal_step[g];
            json_array_append_new(steps, first < 0 ? json_null() : json_integer(first));
        }
        json_array_append_new(trials, steps);
    }
    return trials;
}

// the share of goals found: at the end, after each episode; and the share of trials that found each
static void add_goals(json_t *out, const bex_explored *e, double *values) {
    if (!e->G) return;
    json_t *by_episode = curve("episode"), *reached = json_array(), *names = json_array();
    for (int k = 1; k <= bex_explored_least_episodes(e); k++) {
        for (int i = 0; i < e->trials; i++) values[i] = bex_explored_goals(e, i, k);
        add_point(by_episode, "episode", k, bex_spread_of(values, e->trials));
    }
    for (int g = 0; g < e->G; g++) {
        char name[BEX_GOAL_NAME] = "";
        e->world->class->goal_name(e->world, g, name);
        json_array_append_new(names, json_string(name));
        append(reached, reached_after(e, g, e->room));
    }
    bex_spread found = spread_after(e, bex_explored_goals_after_steps, e->room, values);
    json_object_set_new(out, "goals",
                        json_pack("{s:o, s:o, s:o, s:o, s:o}", "names", names, "found",
                                  spread_json(found), "reached", reached, "by_episode", by_episode,
                                  "first_step", first_goals(e)));
}

static int add_overlap(json_t *out, const bex_explored *e, const bex_explore_about *about,
                       double *values) {
    if (!about->segment) return 0;
    unsigned char *seen = calloc((size_t)e->R, 1);
    if (!seen) return bex_fail("out of memory");
    bex_regions_mark(seen, e->world, about->segment, about->segment_rows);
    json_t *each = json_array();
    for (int i = 0; i < e->trials; i++) {
        values[i] = 0;
        for (int k = 0; k < e->trial[i].episodes; k++)
            values[i] += bex_overlap(visited_in(e, i, k), seen, e->R) / e->trial[i].episodes;
        append(each, values[i]);
    }
    bex_spread s = bex_spread_of(values, e->trials);
    json_object_set_new(
        out, "overlap",
        json_pack("{s:f, s:f, s:o}", "mean", s.mean, "error", s.error, "trials", each));
    free(seen);
    return 0;
}

// a row of values for each trial, the last row the demonstrations'
static int add_conduct(json_t *out, const bex_explored *e, const bex_explore_about *about,
                       double *values) {
    const bex_env_class *class = e->world->class;
    if (!class->conduct) return 0;
    double(*all)[BEX_ENV_CONDUCT] = calloc((size_t)e->trials + 1, sizeof *all);
    int code = all ? 0 : bex_fail("out of memory");
    for (int i = 0; code == 0 && i < e->trials; i++) {
        const bex_trial *t = &e->trial[i];
        code = class->judge(e->world, t->obs, t->start, t->episodes, all[i]);
    }
    if (code == 0 && about->demonstrations)
        code = class->judge(e->world, about->demonstrations, about->demonstration_start,
                            about->demonstration_episodes, all[e->trials]);
    json_t *conduct = json_object(), *shown = json_object();
    for (int c = 0; code == 0 && class->conduct[c]; c++) {
        json_t *each = json_array();
        for (int i = 0; i < e->trials; i++) append(each, values[i] = all[i][c]);
        json_t *one = spread_json(bex_spread_of(values, e->trials));
        json_object_set_new(one, "trials", each);
        json_object_set_new(conduct, class->conduct[c], one);
        json_object_set_new(shown, class->conduct[c], json_real(all[e->trials][c]));
    }
    json_object_set_new(out, "conduct", conduct);
    if (about->demonstrations)
        json_object_set_new(out, "demonstrations", json_pack("{s:O}", "conduct", shown));
    json_decref(shown);
    free(all);
    return code;
}

static void add_occupancy(json_t *out, const bex_explored *e) {
    json_t *share = json_array();
    double all = 0;
    for (int i = 0; i < e->trials; i++)
        for (int k = 0; k < e->R; k++) all += e->trial[i].occupancy[k];
    for (int k = 0; k < e->R; k++) {
        double n = 0;
        for (int i = 0; i < e->trials; i++) n += e->trial[i].occupancy[k];
        append(share, all > 0 ? n / all : 0);
    }
    json_object_set_new(out, "occupancy", json_pack("{s:o}", "share", share));
}

json_t *bex_explore_results(const bex_explored *e, const bex_explore_about *about) {
    const bex_world *w = e->world;
    double *values = malloc((size_t)e->trials * sizeof *values);
    int *attempts = malloc((size_t)e->trials * sizeof *attempts);
    json_t *out = bex_provenance(about->command, about->seed, about->started);
    json_t *more =
        json_pack("{s:i, s:i, s:{s:s, s:i, s:i}, s:O}", "trials", e->trials, "episodes",
                  bex_explored_most_episodes(e), "environment", "name", w->name, "episode_length",
                  w->time_limit, "regions", w->regions, "agent", about->agent);
    json_object_update(out, more);
    json_decref(more);
    if (e->budget) json_object_set_new(out, "budget", json_integer(e->budget));
    int code = values && attempts ? 0 : bex_fail("out of memory");
    if (code == 0) {
        add_by_episode(out, e, values);
        add_by_step(out, e, values);
        add_final(out, e, values);
        add_attempts(out, e, attempts);
        add_goals(out, e, values);
        add_occupancy(out, e);
        code = add_overlap(out, e, about, values) < 0 || add_conduct(out, e, about, values) < 0
                   ? -1
                   : bex_explore_add_map(out, e, about);
    }
    free(values);
    free(attempts);
    if (code == 0) return out;
    json_decref(out);
    return NULL;
}
