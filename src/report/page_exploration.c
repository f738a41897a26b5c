/* report/page_exploration.c - coverage of one environment: numbers, curves, budgets, maps. */
#include "report/map.h"
#include "report/record.h"

#include "base/error.h"
#include "host/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct place {
    const char *environment;
    bex_series all[BEX_SERIES_MOST];  // every exp
    bex_series main[BEX_SERIES_MOST]; // one exp each
    bex_curve by_step[BEX_SERIES_MOST], by_episode[BEX_SERIES_MOST];
    int count;
    long long regions; // -1: not told
} place;

static void place_init(place *w, const bex_record *r, const char *environment) {
    *w = (place){.environment = environment, .regions = -1};
    w->count = bex_series_gather(w->all, r->explorations, r->exploration_count, environment);
    for (int i = 0; i < w->count; i++) {
        bex_series_main(&w->main[i], &w->all[i]);
        bex_series_curve(&w->by_step[i], &w->main[i], BEX_REGIONS_BY_STEP);
        bex_series_curve(&w->by_episode[i], &w->main[i], BEX_REGIONS_BY_EPISODE);
        if (w->main[i].member[0]->s.regions > 0) w->regions = w->main[i].member[0]->s.regions;
    }
}

static void place_fini(place *w) {
    for (int i = 0; i < w->count; i++)
        bex_curve_fini(&w->by_step[i]), bex_curve_fini(&w->by_episode[i]);
}

/* ---- numbers ---- */
// "after 12 episodes", "in 20000 steps"
static void say_when(char out[48], const place *w, int i) {
    const bex_curve *c = &w->by_episode[i];
    long long budget = w->main[i].member[0]->s.budget;
    for (int k = 1; k < w->main[i].count; k++)
        if (w->main[i].member[k]->s.budget != budget) budget = -1;
    if (budget > 0)
        snprintf(out, 48, "in %lld steps", budget);
    else if (c->n)
        snprintf(out, 48, "after %.0f episode%s", c->x[c->n - 1], c->x[c->n - 1] == 1 ? "" : "s");
    else
        snprintf(out, 48, "at the end");
}

// one trial has no error
static void say_pair(char out[64], const double pair[2], int digits) {
    if (isfinite(pair[1]))
        snprintf(out, 64, "%.*f \u00b1 %.*f", digits, pair[0], digits, pair[1]);
    else
        snprintf(out, 64, "%.*f", digits, pair[0]);
}

// goals where there are some, then regions
static void show_tiles(bex_page *p, const place *w) {
    bex_page_tiles_begin(p);
    for (int i = 0; i < w->count; i++) {
        const bex_curve *c = &w->by_episode[i];
        const bex_series *s = &w->main[i];
        char value[64], label[320], of[48] = "", when[48];
        double regions[2], goals[2];
        bool told = bex_series_pool(regions, s, BEX_FINAL_REGIONS, NULL);
        if (!told && c->n == 0) continue;
        if (!told) regions[0] = c->mean[c->n - 1], regions[1] = c->error[c->n - 1];
        say_when(when, w, i);
        if (w->regions > 0) snprintf(of, sizeof of, " of %lld", w->regions);
        say_pair(value, regions, 1);
        snprintf(label, sizeof label, "%s: regions%s %s", s->label, of, when);
        if (s->member[0]->s.goals > 1 && bex_series_pool(goals, s, BEX_FINAL_GOALS, NULL)) {
            snprintf(label, sizeof label, "%s: share of %d goals found %s; %s regions%s", s->label,
                     s->member[0]->s.goals, when, value, of);
            say_pair(value, goals, 3);
        }
        bex_page_tile(p, value, label, s->colour);
    }
    bex_page_tiles_end(p);
}

/* ---- curves ---- */
static void show_curves(bex_page *p, const place *w) {
    char name[128];
    bex_figure *f = bex_figure_new(1, 1, 460, 255);
    bex_panel *panel = bex_figure_panel(f, 0, 0);
    bex_panel_labels(panel, "Coverage", "environment steps", "regions visited");
    int drawn = 0;
    for (int i = 0; i < w->count; i++) {
        const bex_curve *c = &w->by_step[i];
        if (c->n == 0) continue;
        bex_panel_line(panel, c->x, c->mean, c->error, c->n,
                       &(bex_mark){.label = w->main[i].label, .colour = w->main[i].colour});
        drawn++;
    }
    if (w->regions > 0) bex_panel_hline(panel, (double)w->regions, &(bex_mark){.dashed = true});
    bex_panel_legend(panel, BEX_LEGEND_BEST);
    if (drawn) {
        bex_page_figure(p, f, bex_figure_name(name, w->environment, "coverage"),
                        "Regions visited against environment steps",
                        "A higher curve explores more; between one policy with and without its "
                        "past, the gap is what its past is worth.",
                        "Regions visited against steps: mean over trials, band of one standard "
                        "error%s.",
                        w->regions > 0 ? "; dashed: all regions" : "");
    } else {
        bex_page_note(p, "Left out: no coverage curve; results.json has no by_step, or its parts "
                         "were measured at different steps.");
    }
    bex_figure_free(f);
}

/* ---- budgets ---- */
static const int budgets[] = {1, 2, 3, 5, 8, 12, 20, 30, 40, 60, 100, 200, 400, 1000};
enum { BUDGETS = sizeof budgets / sizeof *budgets, SHOWN = 9 };

// index of an episode count in a curve, -1 if it is not there
static int index_of(const bex_curve *c, int episodes) {
    for (int i = 0; i < c->n; i++)
        if (c->x[i] == episodes) return i;
    return -1;
}

// budgets some series reaches, the last of all included
static int choose_budgets(const place *w, int out[SHOWN]) {
    int n = 0, last = 0;
    for (int i = 0; i < w->count; i++)
        if (w->by_episode[i].n && w->by_episode[i].x[w->by_episode[i].n - 1] > last)
            last = (int)w->by_episode[i].x[w->by_episode[i].n - 1];
    for (int k = 0; k < BUDGETS && n < SHOWN - 1; k++)
        if (budgets[k] < last) out[n++] = budgets[k];
    if (last) out[n++] = last;
    return n;
}

static void begin_budgets(bex_page *p, const char *first, const int *at, int n) {
    char text[SHOWN][24], align[SHOWN + 3] = "lr";
    const char *names[SHOWN + 2] = {first, "trials"};
    for (int k = 0; k < n; k++) {
        snprintf(text[k], sizeof text[k], "%d ep.", at[k]);
        names[k + 2] = text[k];
        align[k + 2] = 'r';
    }
    align[n + 2] = 0;
    bex_page_table_begin(p, names, align, n + 2);
}

static void show_differences(bex_page *p, const place *w, const int *at, int n) {
    int bc = bex_series_cloned(w->main, w->count);
    if (bc < 0 || w->count < 2) return;
    bex_page_text(
        p,
        "Regions more than %s at the same budget; in brackets, in standard errors of that "
        "difference (Welch).",
        w->main[bc].label);
    begin_budgets(p, "difference after", at, n);
    for (int i = 0; i < w->count; i++) {
        if (i == bc) continue;
        bex_page_cell(p, "%s", w->main[i].label);
        bex_page_cell(p, "%lld", bex_series_trials(&w->main[i]));
        for (int k = 0; k < n; k++) {
            int a = index_of(&w->by_episode[i], at[k]), b = index_of(&w->by_episode[bc], at[k]);
            if (a < 0 || b < 0) {
                bex_page_cell(p, "\u2013");
                continue;
            }
            const bex_curve *x = &w->by_episode[i], *y = &w->by_episode[bc];
            bex_difference d =
                bex_difference_welch((bex_estimate){.mean = x->mean[a],
                                                    .error = x->error[a],
                                                    .n = (int)bex_series_trials(&w->main[i])},
                                     (bex_estimate){.mean = y->mean[b],
                                                    .error = y->error[b],
                                                    .n = (int)bex_series_trials(&w->main[bc])});
            const char *sign = d.value < 0 ? "\u2212" : "+";
            if (isfinite(d.ratio))
                bex_page_cell(p, "%s%.1f (%.1f)", sign, fabs(d.value), fabs(d.ratio));
            else
                bex_page_cell(p, "%s%.1f", sign, fabs(d.value));
        }
    }
    bex_page_table_end(p);
}

static void show_budgets(bex_page *p, const place *w) {
    int at[SHOWN], n = choose_budgets(w, at);
    if (n == 0) return;
    bex_page_heading(p, "By budget");
    begin_budgets(p, "regions visited after", at, n);
    for (int i = 0; i < w->count; i++) {
        bex_page_cell(p, "%s", w->main[i].label);
        bex_page_cell(p, "%lld", bex_series_trials(&w->main[i]));
        for (int k = 0; k < n; k++) {
            int a = index_of(&w->by_episode[i], at[k]);
            if (a < 0)
                bex_page_cell(p, "\u2013");
            else
                bex_page_cell(p, "%.1f \u00b1 %.1f", w->by_episode[i].mean[a],
                              w->by_episode[i].error[a]);
        }
    }
    bex_page_table_end(p);
    show_differences(p, w, at, n);
}

/* ---- maps ---- */
typedef struct map_set {
    bex_grid grid[BEX_SERIES_MOST + 1];
    char title[BEX_SERIES_MOST + 1][160];
    int count;
    int without;      // explorations of these series that hold no grid
    double low, high; // log10 of a share
} map_set;

static void range_of(map_set *m) {
    m->low = 0, m->high = -12;
    for (int i = 0; i < m->count; i++) {
        size_t n = (size_t)m->grid[i].rows * (size_t)m->grid[i].columns;
        double all = 0;
        for (size_t k = 0; k < n; k++) all += m->grid[i].count[k];
        for (size_t k = 0; k < n; k++)
            if (m->grid[i].count[k] > 0)
                m->high = fmax(m->high, log10(m->grid[i].count[k] / all)),
                m->low = fmin(m->low, log10(m->grid[i].count[k] / all));
    }
    // whole half decades, three decades at most
    m->high = ceil(2 * m->high) / 2;
    m->low = fmax(floor(2 * m->low) / 2, m->high - 3);
    if (m->low >= m->high) m->low = m->high - 1;
}

// bytes of a label without its settings: "BE, with its past" of "BE, with its past, guidance 2"
static size_t plain_length(const char *label) {
    const char *comma = strstr(label, ", ");
    if (comma) comma = strstr(comma + 2, ", ");
    return comma ? (size_t)(comma - label) : strlen(label);
}

// a title is as wide as its map: settings only where nothing else tells two of them apart
static void title_of(char *out, size_t size, const place *w, int which) {
    const char *label = w->main[which].label;
    size_t n = plain_length(label);
    for (int i = 0; i < w->count; i++)
        if (i != which && plain_length(w->main[i].label) == n &&
            !strncmp(w->main[i].label, label, n))
            n = strlen(label);
    snprintf(out, size, "%.*s", (int)n, label);
}

static void gather_maps(map_set *m, const place *w, const bex_grid *demonstrations) {
    *m = (map_set){0};
    for (int i = 0; i < w->count; i++) {
        int pooled = bex_series_grid(&m->grid[m->count], &w->main[i]);
        m->without += w->main[i].count - pooled;
        if (pooled) title_of(m->title[m->count], sizeof *m->title, w, i), m->count++;
    }
    if (demonstrations) {
        bex_grid *g = &m->grid[m->count];
        size_t n = (size_t)demonstrations->rows * (size_t)demonstrations->columns;
        *g = *demonstrations;
        g->count = malloc(n * sizeof *g->count);
        BEX_CHECK(g->count, "out of memory for a map of %zu", n);
        memcpy(g->count, demonstrations->count, n * sizeof *g->count);
        snprintf(m->title[m->count++], sizeof *m->title, "Demonstrations");
    }
    range_of(m);
}

static void draw_map(bex_panel *panel, const map_set *m, int i,
                     const bex_exploration_summary *walls) {
    bex_panel_labels(panel, m->title[i], NULL, NULL);
    bex_map_visits(panel, &m->grid[i], m->low, m->high);
    if (walls) bex_map_walls(panel, walls);
    bex_panel_aspect(panel, 1);
    bex_panel_hide_axes(panel);
}

static void show_maps(bex_page *p, const place *w, const bex_record *r) {
    const bex_grid *demonstrations = NULL;
    const bex_exploration_summary *walls = NULL;
    for (int i = 0; i < r->exploration_count; i++) {
        const bex_exploration *e = &r->explorations[i];
        if (strcmp(e->s.environment, w->environment) != 0) continue;
        if (!demonstrations && e->s.demonstrations.rows) demonstrations = &e->s.demonstrations;
        if (!walls && e->s.map) walls = &e->s;
    }
    map_set m;
    char name[128], low[48], high[48], without[96] = "";
    gather_maps(&m, w, demonstrations);
    bex_page_heading(p, "Where they went");
    if (m.count == 0) {
        bex_page_note(p, "Left out: results.json holds no occupancy grid for this environment.");
        return;
    }
    int columns = m.count < 4 ? m.count : 4;
    bex_figure *all = bex_figure_new((m.count + columns - 1) / columns, columns, 175, 175);
    bex_page_figure_begin(p, columns,
                          "An agent that explores colours the whole maze, also where demonstrators "
                          "went rarely; look for squares that are white in one map only.");
    for (int i = 0; i < m.count; i++) {
        bex_figure *one = bex_figure_new(1, 1, 175, 175);
        char alt[256];
        draw_map(bex_figure_panel(one, 0, 0), &m, i, walls);
        draw_map(bex_figure_panel(all, i / columns, i % columns), &m, i, walls);
        snprintf(alt, sizeof alt, "Map of visits: %s", m.title[i]);
        bex_page_show(p, one, alt);
        bex_figure_free(one);
    }
    for (int i = m.count; i % columns; i++)
        bex_panel_hide_axes(bex_figure_panel(all, i / columns, i % columns));
    bex_page_keep(p, all, bex_figure_name(name, w->environment, "maps"));
    bex_figure_free(all);
    snprintf(low, sizeof low, "%.2g %%", 100 * pow(10, m.low));
    snprintf(high, sizeof high, "%.2g %% of states in a square", 100 * pow(10, m.high));
    bex_page_scale(p, low, high);
    if (m.without)
        snprintf(without, sizeof without, " Not in them: %d exploration%s without a grid.",
                 m.without, m.without == 1 ? "" : "s");
    bex_page_figure_end(p,
                        "Share of all states in each square, one logarithmic scale for all maps; "
                        "white: never visited.%s%s",
                        without,
                        demonstrations ? ""
                                       : " The density of the demonstrations is not in these "
                                         "results and so not shown.");
    for (int i = 0; i < m.count; i++) bex_grid_fini(&m.grid[i]);
}

/* ---- section ---- */
static void show_place(bex_page *p, const bex_record *r, const char *environment) {
    char title[200];
    place w;
    place_init(&w, r, environment);
    snprintf(title, sizeof title, "Exploration%s%s", *environment ? ": " : "", environment);
    bex_page_section(p, title);
    if (w.count) {
        show_tiles(p, &w);
        bex_page_goals(p, r, w.main, w.count, environment);
        show_curves(p, &w);
        show_budgets(p, &w);
        show_maps(p, &w, r);
    }
    bex_page_segments(p, r, environment);
    if (w.count) bex_page_calibration(p, w.all, w.count, environment);
    place_fini(&w);
}

void bex_page_exploration(bex_page *p, const bex_record *r) {
    if (r->exploration_count == 0 && r->suite_count == 0) {
        bex_page_section(p, "Exploration");
        bex_page_note(p,
                      "Left out: no exploration (results.json of bex explore) among the inputs.");
    }
    for (int i = 0; i < r->exploration_count; i++) {
        bool again = false;
        for (int k = 0; k < i; k++)
            again |= !strcmp(r->explorations[k].s.environment, r->explorations[i].s.environment);
        if (!again) show_place(p, r, r->explorations[i].s.environment);
    }
}
