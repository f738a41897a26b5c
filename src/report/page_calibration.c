/* report/page_calibration.c - regions visited against the quantile conditioned on. */
#include "report/record.h"

#include "host/statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEAST = 3 }; // quantiles that make a curve

typedef struct sweep {
    int n, budget; // quantiles; episodes after which all are compared
    double quantile[BEX_SERIES_MEMBERS], mean[BEX_SERIES_MEMBERS], error[BEX_SERIES_MEMBERS];
    long long trials;
    double spearman;
} sweep;

// explorations of unequal length are compared after the episodes of the shortest
static int common_budget(const bex_series *s) {
    int least = 0;
    for (int i = 0; i < s->count; i++) {
        int n = s->member[i]->s.by_episode.n;
        if (!isnan(s->member[i]->s.agent.quantile) && n && (!least || n < least)) least = n;
    }
    return least;
}

// all members of one quantile pooled; false if none of them has a count at the budget
static bool pool_quantile(double out[2], const bex_series *s, double quantile, int budget,
                          long long *trials) {
    double mean[BEX_SERIES_MEMBERS], error[BEX_SERIES_MEMBERS], weight[BEX_SERIES_MEMBERS];
    int n = 0;
    for (int i = 0; i < s->count; i++) {
        const bex_exploration *e = s->member[i];
        if (e->s.agent.quantile != quantile || e->s.by_episode.n < budget || budget < 1 ||
            e->s.trials < 1)
            continue;
        mean[n] = e->s.by_episode.mean[budget - 1], error[n] = e->s.by_episode.error[budget - 1];
        weight[n++] = (double)e->s.trials;
        *trials += e->s.trials;
    }
    if (n) bex_pool(out, mean, error, weight, n);
    return n > 0;
}

static void make_sweep(sweep *w, const bex_series *s) {
    *w = (sweep){.budget = common_budget(s)};
    // members by ascending quantile, each quantile once
    double last = -(double)INFINITY;
    for (;;) {
        double next = (double)INFINITY, pooled[2];
        for (int i = 0; i < s->count; i++)
            if (s->member[i]->s.agent.quantile > last)
                next = fmin(next, s->member[i]->s.agent.quantile);
        if (isinf(next)) break;
        last = next;
        if (!pool_quantile(pooled, s, next, w->budget, &w->trials)) continue;
        w->quantile[w->n] = next, w->mean[w->n] = pooled[0], w->error[w->n++] = pooled[1];
    }
    w->spearman = bex_spearman(w->quantile, w->mean, w->n);
}

void bex_page_calibration(bex_page *p, const bex_series *series, int count,
                          const char *environment) {
    static const char *const names[] = {"agent", "quantiles", "trials", "episodes",
                                        "Spearman\u2019s rank correlation"};
    sweep sweeps[BEX_SERIES_MOST];
    char name[128];
    int drawn = 0;
    bex_figure *f = bex_figure_new(1, 1, 330, 230);
    bex_panel *panel = bex_figure_panel(f, 0, 0);
    bex_page_heading(p, "Calibration");
    bex_panel_labels(panel, "Calibration", "coverage asked for, as a quantile", "regions visited");
    for (int i = 0; i < count; i++) {
        sweep *w = &sweeps[i];
        make_sweep(w, &series[i]);
        if (w->n < LEAST) continue;
        bex_mark mark = {.label = series[i].label, .colour = series[i].colour};
        bex_panel_line(panel, w->quantile, w->mean, w->error, w->n, &mark);
        mark.label = NULL;
        bex_panel_scatter(panel, w->quantile, w->mean, w->n, &mark);
        drawn++;
    }
    if (drawn == 0) {
        bex_page_note(p,
                      "Left out: no agent was explored at %d quantiles or more "
                      "(bex explore --exp q:0.1, q:0.5, \u2026).",
                      LEAST);
        bex_figure_free(f);
        return;
    }
    bex_panel_legend(panel, BEX_LEGEND_BEST);
    bex_page_figure(
        p, f, bex_figure_name(name, environment, "calibration"),
        "Regions visited against the quantile asked for",
        "A line that rises from left to right belongs to an agent that obeys: the more coverage it "
        "is asked for, the more it covers.",
        "Regions visited after the same number of episodes against the coverage asked for, "
        "as a quantile of the training values; band: one standard error.");
    bex_figure_free(f);
    bex_page_table_begin(p, names, "lrrrr", 5);
    for (int i = 0; i < count; i++) {
        if (sweeps[i].n < LEAST) continue;
        bex_page_cell(p, "%s", series[i].label);
        bex_page_cell(p, "%d", sweeps[i].n);
        bex_page_cell(p, "%lld", sweeps[i].trials);
        bex_page_cell(p, "%d", sweeps[i].budget);
        if (isfinite(sweeps[i].spearman))
            bex_page_cell(p, "%.2f", sweeps[i].spearman);
        else
            bex_page_cell(p, "\u2013");
    }
    bex_page_table_end(p);
}
