#include "explore/results.h"

#include "base/error.h"
#include "explore/metrics.h"
#include "explore/region_map.h"
#include "run/provenance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 200 };

static void *need(size_t count, size_t size) {
    void *p = calloc(count + 1, size);
    BEX_CHECK(p, "out of memory for %zu numbers", count);
    return p;
}

// one trial has no standard error; it stands as 0, which JSON can hold
static bex_estimate over_trials(const double *values, int n) {
    bex_estimate e = bex_estimate_of(values, n);
    if (isnan(e.error)) e.error = 0;
    return e;
}

static void set_point(bex_curve *c, int i, int x, bex_estimate e) {
    c->x[i] = x, c->mean[i] = e.mean, c->error[i] = e.error;
}

static const unsigned char *visited_in(const bex_explored *e, int trial, int episode) {
    return e->trial[trial].visited + (size_t)episode * (size_t)e->regions;
}

// the share of an episode's regions that its trial had visited in earlier ones
static double repeated_share(const bex_explored *e, int trial, int episode) {
    const int *first = e->trial[trial].first_episode;
    const unsigned char *visited = visited_in(e, trial, episode);
    int all = 0, old = 0;
    for (int k = 0; k < e->regions; k++) {
        all += visited[k];
        old += visited[k] && first[k] < episode;
    }
    return all ? (double)old / all : 0;
}

// up to the last episode all trials have: every point is a mean of the same trials
static void fill_by_episode(bex_exploration_summary *s, const bex_explored *e, double *values) {
    int n = bex_explored_least_episodes(e);
    s->by_episode = bex_curve_new(n), s->repeated = bex_curve_new(n);
    int *each = s->by_episode_trials = need((size_t)n * (size_t)e->trials, sizeof *each);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < e->trials; i++)
            values[i] = *each++ = bex_explored_after_episodes(e, i, k + 1);
        set_point(&s->by_episode, k, k + 1, over_trials(values, e->trials));
        for (int i = 0; i < e->trials; i++) values[i] = repeated_share(e, i, k);
        set_point(&s->repeated, k, k + 1, over_trials(values, e->trials));
    }
}

typedef double measure(const bex_explored *e, int trial, int steps);

static double regions_after(const bex_explored *e, int trial, int steps) {
    return bex_explored_after_steps(e, trial, steps);
}

static bex_estimate after(const bex_explored *e, measure *of, int steps, double *values) {
    for (int i = 0; i < e->trials; i++) values[i] = of(e, i, steps);
    return over_trials(values, e->trials);
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
static void fill_by_step(bex_exploration_summary *s, const bex_explored *e, double *values) {
    int end = bex_explored_least_steps(e), apart = end > POINTS ? end / POINTS : 1;
    int last = end - end % apart; // a budget's end is among the points, as what it is about
    int points = end / apart + 1 + (e->budget && last < end);
    s->by_step = bex_curve_new(points);
    if (e->goals) s->goals_by_step = bex_curve_new(points);
    s->goal = need((size_t)e->goals, sizeof *s->goal);
    for (int g = 0; g < e->goals; g++) s->goal[g] = bex_curve_new(points);
    for (int i = 0; i < points; i++) {
        int n = i * apart < end ? i * apart : end;
        set_point(&s->by_step, i, n, after(e, regions_after, n, values));
        if (e->goals)
            set_point(&s->goals_by_step, i, n, after(e, bex_explored_goals_after_steps, n, values));
        for (int g = 0; g < e->goals; g++) {
            double p = reached_after(e, g, n);
            double error = e->trials > 1 ? sqrt(p * (1 - p) / (e->trials - 1)) : 0;
            set_point(&s->goal[g], i, n, (bex_estimate){.mean = p, .error = error});
        }
    }
}

// how often a first time came, and when: attempts count from 1, 0 is never
static void first_times(double *reached, double *mean, const int *attempts, int n) {
    double sum = 0, count = 0;
    for (int i = 0; i < n; i++) {
        sum += attempts[i];
        count += attempts[i] > 0;
    }
    *reached = count / n;
    *mean = count > 0 ? sum / count : (double)NAN;
}

static void fill_attempts(bex_exploration_summary *s, const bex_explored *e) {
    int *attempts = s->attempts = need((size_t)e->trials, sizeof *attempts);
    s->region_reached = need((size_t)e->regions, sizeof(double));
    s->region_attempt = need((size_t)e->regions, sizeof(double));
    for (int k = 0; k < e->regions; k++) {
        for (int i = 0; i < e->trials; i++) attempts[i] = e->trial[i].first_episode[k] + 1;
        first_times(&s->region_reached[k], &s->region_attempt[k], attempts, e->trials);
    }
    for (int i = 0; i < e->trials; i++) attempts[i] = bex_explored_attempts(e, i);
    first_times(&s->goal_reached, &s->goal_attempt, attempts, e->trials);
}

// the share of goals found: at the end, after each episode; and the share of trials that found each
static void fill_goals(bex_exploration_summary *s, const bex_explored *e, double *values) {
    size_t goals = (size_t)e->goals;
    s->goals = e->goals;
    if (!goals) return;
    int n = bex_explored_least_episodes(e);
    s->goals_by_episode = bex_curve_new(n);
    for (int k = 1; k <= n; k++) {
        for (int i = 0; i < e->trials; i++) values[i] = bex_explored_goals(e, i, k);
        set_point(&s->goals_by_episode, k - 1, k, over_trials(values, e->trials));
    }
    s->goal_name = need(goals, sizeof *s->goal_name);
    s->goal_share = need(goals, sizeof *s->goal_share);
    s->goal_step = need(goals * (size_t)e->trials, sizeof *s->goal_step);
    for (int g = 0; g < e->goals; g++) {
        e->world->class->goal_name(e->world, g, s->goal_name[g]);
        s->goal_share[g] = reached_after(e, g, e->room);
    }
    for (int i = 0; i < e->trials; i++)
        memcpy(s->goal_step + (size_t)i * goals, e->trial[i].goal_step,
               goals * sizeof *s->goal_step);
    s->goal_attempt_of = need(goals * (size_t)e->trials, sizeof *s->goal_attempt_of);
    for (int i = 0; i < e->trials; i++)
        for (int g = 0; g < e->goals; g++)
            s->goal_attempt_of[(size_t)i * goals + (size_t)g] = e->trial[i].goal_episode[g] + 1;
    s->final_goals = after(e, bex_explored_goals_after_steps, e->room, values);
}

static int fill_overlap(bex_exploration_summary *s, const bex_explored *e,
                        const bex_explore_about *about) {
    if (!about->segment) return 0;
    unsigned char *seen = calloc((size_t)e->regions, 1);
    if (!seen) return bex_fail("out of memory");
    bex_regions_mark(seen, e->world, about->segment, about->segment_rows);
    double *values = s->overlap_trials = need((size_t)e->trials, sizeof *values);
    for (int i = 0; i < e->trials; i++)
        for (int k = 0; k < e->trial[i].episodes; k++)
            values[i] += bex_overlap(visited_in(e, i, k), seen, e->regions) / e->trial[i].episodes;
    s->overlap = over_trials(values, e->trials);
    free(seen);
    return 0;
}

// a row of values for each trial, the last row the demonstrations'
static int fill_conduct(bex_exploration_summary *s, const bex_explored *e,
                        const bex_explore_about *about) {
    const bex_env_class *class = e->world->class;
    if (!class->conduct) return 0;
    double(*all)[BEX_ENV_CONDUCT] = need((size_t)e->trials + 1, sizeof *all);
    int code = 0;
    for (int i = 0; code == 0 && i < e->trials; i++) {
        const bex_trial *t = &e->trial[i];
        code = class->judge(e->world, t->obs, t->start, t->episodes, all[i]);
    }
    if (code == 0 && about->demonstrations)
        code = class->judge(e->world, about->demonstrations, about->demonstration_start,
                            about->demonstration_episodes, all[e->trials]);
    for (int c = 0; code == 0 && class->conduct[c]; c++) {
        bex_conduct *one = &s->conduct[s->conducts++];
        snprintf(one->name, sizeof one->name, "%s", class->conduct[c]);
        one->trials = need((size_t)e->trials, sizeof *one->trials);
        for (int i = 0; i < e->trials; i++) one->trials[i] = all[i][c];
        one->value = over_trials(one->trials, e->trials);
        one->shown = all[e->trials][c];
    }
    s->shown_conduct = about->demonstrations != NULL;
    free(all);
    return code;
}

static void fill_occupancy(bex_exploration_summary *s, const bex_explored *e) {
    s->occupancy = need((size_t)e->regions, sizeof *s->occupancy);
    double all = 0;
    for (int i = 0; i < e->trials; i++)
        for (int k = 0; k < e->regions; k++) all += e->trial[i].occupancy[k];
    for (int k = 0; k < e->regions; k++) {
        double n = 0;
        for (int i = 0; i < e->trials; i++) n += e->trial[i].occupancy[k];
        s->occupancy[k] = all > 0 ? n / all : 0;
    }
}

int bex_explore_summarise(bex_exploration_summary *s, const bex_explored *e,
                          const bex_explore_about *about) {
    bex_exploration_summary_init(s);
    double *values = need((size_t)e->trials, sizeof *values);
    s->environment = strdup(e->world->name);
    BEX_CHECK(s->environment, "out of memory");
    s->seed = about->seed, s->trials = e->trials, s->episodes = bex_explored_most_episodes(e);
    s->length = e->world->time_limit, s->regions = e->world->regions, s->budget = e->budget;
    fill_by_episode(s, e, values);
    fill_by_step(s, e, values);
    s->final = after(e, regions_after, e->room, values);
    fill_attempts(s, e);
    fill_goals(s, e, values);
    fill_occupancy(s, e);
    free(values);
    if (fill_overlap(s, e, about) < 0 || fill_conduct(s, e, about) < 0) return -1;
    return bex_explore_map(s, e, about);
}

json_t *bex_explore_results(const bex_exploration_summary *s, const bex_explore_about *about) {
    json_t *out = bex_provenance(about->command, about->seed, about->started);
    bex_exploration_summary_write(s, out, about->agent);
    return out;
}
