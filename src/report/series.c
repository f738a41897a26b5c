/* report/series.c - explorations of one kind taken together. */
#include "report/exploration.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_random(const bex_exploration *e) {
    return strstr(e->label, "random choice") != NULL;
}

enum { LAST_RANK = 10 };

// what a reader looks for first
static int rank(const bex_exploration *e) {
    bool first = !strcmp(e->s.agent.history, "first");
    if (!strcmp(e->s.agent.name, "be")) return first ? 1 : 0;
    if (!strcmp(e->s.agent.name, "bc")) return 2;
    if (!strcmp(e->s.agent.name, "supe")) return 3;
    if (!strcmp(e->s.agent.name, "hilp")) return 4;
    if (!strcmp(e->s.agent.name, "explore")) return 5;
    if (!strcmp(e->s.agent.name, "rnd")) return 6;
    if (!strcmp(e->s.agent.name, "retrieval")) return is_random(e) ? 9 : first ? 8 : 7;
    return LAST_RANK;
}

// the same agent has the same colour in every report; others take what the palette has left
static bex_colour usual_colour(const bex_exploration *e) {
    bool first = !strcmp(e->s.agent.history, "first");
    if (!strcmp(e->s.agent.name, "be")) return first ? BEX_SKY : BEX_BLUE;
    if (!strcmp(e->s.agent.name, "bc")) return BEX_VERMILION;
    if (!strcmp(e->s.agent.name, "supe")) return BEX_GREEN;
    if (!strcmp(e->s.agent.name, "hilp")) return BEX_PURPLE;
    if (!strcmp(e->s.agent.name, "explore")) return BEX_ORANGE;
    if (!strcmp(e->s.agent.name, "rnd")) return BEX_GREY;
    if (!strcmp(e->s.agent.name, "retrieval"))
        return is_random(e) ? BEX_ORANGE : first ? BEX_PURPLE : BEX_GREEN;
    return 0;
}

static bool colour_taken(const bex_series *all, int count, bex_colour c) {
    for (int i = 0; i < count; i++)
        if (all[i].colour == c) return true;
    return false;
}

static bex_colour choose_colour(const bex_series *all, int count, const bex_exploration *e) {
    bex_colour c = usual_colour(e);
    for (int k = 0; (!c || colour_taken(all, count, c)) && k < 7; k++) c = bex_palette(k);
    return c;
}

// into the series of its label, a new one if there is none; returns how many there are
static int add_member(bex_series *out, int series, const bex_exploration *e) {
    int k = 0;
    while (k < series && strcmp(out[k].label, e->label) != 0) k++;
    if (k == BEX_SERIES_MOST) return series;
    if (k == series)
        out[series++] = (bex_series){.label = e->label, .colour = choose_colour(out, k, e)};
    if (out[k].count < BEX_SERIES_MEMBERS) out[k].member[out[k].count++] = e;
    return series;
}

int bex_series_gather(bex_series *out, const bex_exploration *all, int count,
                      const char *environment) {
    int series = 0;
    for (int turn = 0; turn <= LAST_RANK; turn++)
        for (int i = 0; i < count; i++)
            if (rank(&all[i]) == turn && !strcmp(all[i].s.environment, environment) &&
                !bex_exploration_given(&all[i]))
                series = add_member(out, series, &all[i]);
    return series;
}

long long bex_series_trials(const bex_series *s) {
    long long trials = 0;
    for (int i = 0; i < s->count; i++)
        trials += s->member[i]->s.trials > 0 ? s->member[i]->s.trials : 0;
    return trials;
}

static bool better_exp(const bex_series *a, const bex_series *b) {
    long long x = bex_series_trials(a), y = bex_series_trials(b);
    if (x != y) return x > y;
    return a->member[0]->s.agent.quantile > b->member[0]->s.agent.quantile;
}

void bex_series_main(bex_series *out, const bex_series *s) {
    *out = (bex_series){0};
    for (int i = 0; i < s->count; i++) {
        bex_series one = {.label = s->label, .colour = s->colour};
        for (int k = 0; k < s->count; k++)
            if (!strcmp(s->member[k]->s.agent.exp, s->member[i]->s.agent.exp))
                one.member[one.count++] = s->member[k];
        if (!out->count || better_exp(&one, out)) *out = one;
    }
}

// within and between: exactly the estimate over all trials
void bex_pool(double out[2], const double *mean, const double *error, const double *trials, int n) {
    double all = 0, sum = 0, squares = 0;
    for (int i = 0; i < n; i++) all += trials[i], sum += trials[i] * mean[i];
    double grand = sum / all;
    for (int i = 0; i < n; i++) {
        double away = mean[i] - grand;
        if (trials[i] > 1) squares += error[i] * error[i] * trials[i] * (trials[i] - 1);
        squares += trials[i] * away * away;
    }
    out[0] = grand, out[1] = all > 1 ? sqrt(squares / (all - 1) / all) : (double)NAN;
}

static bool same_x(const bex_curve *a, const bex_curve *b) {
    return a->n == b->n && !memcmp(a->x, b->x, (size_t)a->n * sizeof *a->x);
}

bool bex_series_curve(bex_curve *out, const bex_series *s, int which) {
    const bex_curve *part[BEX_SERIES_MEMBERS];
    double trials[BEX_SERIES_MEMBERS], mean[BEX_SERIES_MEMBERS], error[BEX_SERIES_MEMBERS];
    *out = (bex_curve){0};
    for (int i = 0; i < s->count; i++) {
        part[i] = bex_exploration_curve(s->member[i], which);
        trials[i] = (double)s->member[i]->s.trials;
        if (part[i]->n == 0 || trials[i] < 1 || !same_x(part[0], part[i])) return false;
    }
    if (s->count == 0) return false;
    size_t n = (size_t)part[0]->n;
    *out = (bex_curve){(int)n, malloc(n * sizeof(double)), malloc(n * sizeof(double)),
                       malloc(n * sizeof(double))};
    BEX_CHECK(out->x && out->mean && out->error, "out of memory for a curve of %zu", n);
    for (size_t k = 0; k < n; k++) {
        double pooled[2];
        for (int i = 0; i < s->count; i++) mean[i] = part[i]->mean[k], error[i] = part[i]->error[k];
        bex_pool(pooled, mean, error, trials, s->count);
        out->x[k] = part[0]->x[k], out->mean[k] = pooled[0], out->error[k] = pooled[1];
    }
    return true;
}

static bex_estimate estimate_of(const bex_exploration_summary *s, bex_series_value which,
                                const char *conduct) {
    if (which == BEX_FINAL_REGIONS) return s->final;
    if (which == BEX_FINAL_GOALS) return s->final_goals;
    for (int c = 0; c < s->conducts; c++)
        if (!strcmp(s->conduct[c].name, conduct)) return s->conduct[c].value;
    return (bex_estimate){.mean = (double)NAN, .error = (double)NAN};
}

bool bex_series_pool(double out[2], const bex_series *s, bex_series_value which,
                     const char *conduct) {
    double trials[BEX_SERIES_MEMBERS], mean[BEX_SERIES_MEMBERS], error[BEX_SERIES_MEMBERS];
    for (int i = 0; i < s->count; i++) {
        bex_estimate e = estimate_of(&s->member[i]->s, which, conduct);
        trials[i] = (double)s->member[i]->s.trials;
        if (isnan(e.mean) || isnan(e.error) || trials[i] < 1) return false;
        mean[i] = e.mean, error[i] = e.error;
    }
    if (s->count) bex_pool(out, mean, error, trials, s->count);
    return s->count > 0;
}

int bex_series_cloned(const bex_series *series, int count) {
    for (int i = 0; i < count; i++)
        if (!strcmp(series[i].label, "BC")) return i;
    for (int i = 0; i < count; i++)
        if (strstr(series[i].label, "random choice")) return i;
    return -1;
}

int bex_series_grid(bex_grid *out, const bex_series *s) {
    int pooled = 0;
    *out = (bex_grid){0};
    for (int i = 0; i < s->count; i++) {
        const bex_grid *g = &s->member[i]->s.visits;
        size_t n = (size_t)g->rows * (size_t)g->columns;
        if (n == 0) continue;
        if (pooled == 0) {
            *out = *g;
            out->count = calloc(n, sizeof *out->count);
            BEX_CHECK(out->count, "out of memory for a grid of %zu", n);
        } else if (g->rows != out->rows || g->columns != out->columns) {
            bex_grid_fini(out);
            return 0;
        }
        for (size_t k = 0; k < n; k++) out->count[k] += g->count[k];
        pooled++;
    }
    return pooled;
}
