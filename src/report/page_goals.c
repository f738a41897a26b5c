/* report/page_goals.c - goals, or tasks, found against steps: all of them, each by itself, the numbers at the
 * end; and how well the agents moved. */
#include "report/record.h"

#include "host/statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double CONFIDENCE = 0.95;

static int drawn_lines(bex_panel *panel, const bex_series *series, int count, int which,
                       bool named) {
    int drawn = 0;
    for (int i = 0; i < count; i++) {
        bex_curve c;
        if (bex_series_curve(&c, &series[i], which)) {
            bex_panel_line(
                panel, c.x, c.mean, c.error, c.n,
                &(bex_mark){.label = named ? series[i].label : NULL, .colour = series[i].colour});
            drawn++;
        }
        bex_curve_fini(&c);
    }
    bex_panel_y_range(panel, 0, 1.02);
    return drawn;
}

static void show_all(bex_page *p, const bex_series *series, int count, const char *environment) {
    char name[128];
    bex_figure *f = bex_figure_new(1, 1, 460, 255);
    bex_panel *panel = bex_figure_panel(f, 0, 0);
    bex_panel_labels(panel, "Goals found", "environment steps", "share of the goals");
    if (drawn_lines(panel, series, count, BEX_GOALS_BY_STEP, true)) {
        bex_panel_legend(panel, BEX_LEGEND_BEST);
        bex_page_figure(
            p, f, bex_figure_name(name, environment, "goals"),
            "Share of the goals found against environment steps",
            "A curve that rises earlier finds goals sooner; where the bands of two agents overlap, "
            "their difference may be chance.",
            "The share of goals reached at least once in a trial, against its steps: mean "
            "over trials, band of one standard error.");
    } else {
        bex_page_note(p, "Left out: no curve of goals; the parts of each agent were measured at "
                         "different steps.");
    }
    bex_figure_free(f);
}

// the exploration whose goals all series share; NULL: they do not
static const bex_exploration *common_goals(const bex_series *series, int count) {
    const bex_exploration *first = series[0].member[0];
    for (int i = 0; i < count; i++)
        for (int k = 0; k < series[i].count; k++) {
            const bex_exploration *e = series[i].member[k];
            if (e->s.goals != first->s.goals) return NULL;
            for (int g = 0; g < e->s.goals; g++)
                if (strcmp(e->s.goal_name[g], first->s.goal_name[g]) != 0) return NULL;
        }
    return first;
}

static void draw_goal(bex_panel *panel, const bex_series *series, int count, const char *name,
                      int g) {
    bex_panel_labels(panel, name, "steps", "share of trials");
    drawn_lines(panel, series, count, BEX_GOAL_BY_STEP + g, false);
}

static void show_each(bex_page *p, const bex_series *series, int count, const char *environment,
                      const bex_exploration *e) {
    char name[128], alt[128];
    int columns = e->s.goals < 4 ? e->s.goals : 4;
    int rows = (e->s.goals + columns - 1) / columns;
    bex_figure *all = bex_figure_new(rows, columns, 175, 130);
    bex_page_figure_begin(p, columns,
                          "Look for a goal that one agent finds and another does not: an average "
                          "over goals hides it.");
    for (int g = 0; g < e->s.goals; g++) {
        bex_figure *one = bex_figure_new(1, 1, 175, 130);
        draw_goal(bex_figure_panel(one, 0, 0), series, count, e->s.goal_name[g], g);
        draw_goal(bex_figure_panel(all, g / columns, g % columns), series, count, e->s.goal_name[g],
                  g);
        snprintf(alt, sizeof alt, "Share of trials that have found %.60s", e->s.goal_name[g]);
        bex_page_show(p, one, alt);
        bex_figure_free(one);
    }
    for (int g = e->s.goals; g % columns; g++)
        bex_panel_hide_axes(bex_figure_panel(all, g / columns, g % columns));
    bex_page_keep(p, all, bex_figure_name(name, environment, "each-goal"));
    bex_figure_free(all);
    bex_page_figure_end(
        p, "Each goal by itself: the share of trials that have found it, colours as above.");
}

static void pair_cell(bex_page *p, bool told, const double pair[2], int digits) {
    if (told && isfinite(pair[1]))
        bex_page_cell(p, "%.*f \u00b1 %.*f", digits, pair[0], digits, pair[1]);
    else if (told)
        bex_page_cell(p, "%.*f", digits, pair[0]);
    else
        bex_page_cell(p, "\u2013");
}

// the end of the curve of goal g: a rate over trials, with Wilson's interval
static void goal_cell(bex_page *p, const bex_series *s, int g) {
    bex_curve c;
    if (bex_series_curve(&c, s, BEX_GOAL_BY_STEP + g) && c.n) {
        int n = (int)bex_series_trials(s);
        double share = c.mean[c.n - 1];
        bex_interval w = bex_interval_wilson((int)lround(share * n), n, CONFIDENCE);
        bex_page_cell(p, "%.2f [%.2f, %.2f]", share, w.low, w.high);
    } else {
        bex_page_cell(p, "\u2013");
    }
    bex_curve_fini(&c);
}

static void show_end(bex_page *p, const bex_series *series, int count, const bex_exploration *e) {
    const char *names[6 + BEX_GOALS_MOST] = {"at the end", "trials", "share of goals", "regions"};
    char align[8 + BEX_GOALS_MOST] = "lrrr";
    int bc = bex_series_cloned(series, count), n = 4;
    int each = e && e->s.goals <= 8 ? e->s.goals : 0;
    double base[2];
    bool ratios = bc >= 0 && count > 1 &&
                  bex_series_pool(base, &series[bc], BEX_FINAL_GOALS, NULL) && base[0] > 0;
    if (ratios) names[n] = "goals / cloned", align[n++] = 'r';
    for (int g = 0; g < each; g++) names[n] = e->s.goal_name[g], align[n++] = 'r';
    align[n] = 0;
    bex_page_table_begin(p, names, align, n);
    for (int i = 0; i < count; i++) {
        double goals[2] = {0, 0}, regions[2];
        bool told = bex_series_pool(goals, &series[i], BEX_FINAL_GOALS, NULL);
        bex_page_cell(p, "%s", series[i].label);
        bex_page_cell(p, "%lld", bex_series_trials(&series[i]));
        pair_cell(p, told, goals, 3);
        pair_cell(p, bex_series_pool(regions, &series[i], BEX_FINAL_REGIONS, NULL), regions, 1);
        if (ratios && told)
            bex_page_cell(p, "%.2f", goals[0] / base[0]);
        else if (ratios)
            bex_page_cell(p, "\u2013");
        for (int g = 0; g < each; g++) goal_cell(p, &series[i], g);
    }
    bex_page_table_end(p);
    bex_page_text(
        p, "Mean and standard error over trials%s%s.",
        ratios ? "; goals / cloned: times the share that behaviour cloning found" : "",
        each ? "; of each goal, the share of trials that found it, with Wilson's 95 % interval"
             : "");
}

/* ---- how well they move ---- */
// an exploration that tells how the demonstrations move
static const bex_exploration_summary *shown_conduct(const bex_record *r, const char *environment) {
    for (int i = 0; i < r->exploration_count; i++) {
        const bex_exploration_summary *s = &r->explorations[i].s;
        if (s->shown_conduct && !strcmp(s->environment, environment)) return s;
    }
    return NULL;
}

static double shown_value(const bex_exploration_summary *shown, const char *name) {
    for (int c = 0; c < shown->conducts; c++)
        if (!strcmp(shown->conduct[c].name, name)) return shown->conduct[c].shown;
    return 0;
}

// "metres_per_upright_step" as words
static void in_words(char out[BEX_SUMMARY_NAME], const char *key) {
    snprintf(out, BEX_SUMMARY_NAME, "%s", key);
    for (char *c = out; *c; c++)
        if (*c == '_') *c = ' ';
}

static void show_conduct(bex_page *p, const bex_record *r, const bex_series *series, int count,
                         const char *environment) {
    const bex_exploration_summary *first = &series[0].member[0]->s;
    const bex_exploration_summary *shown = shown_conduct(r, environment);
    const char *names[BEX_CONDUCT_MOST + 1] = {"how they move"};
    char words[BEX_CONDUCT_MOST][BEX_SUMMARY_NAME], align[BEX_CONDUCT_MOST + 2] = "l";
    int n = first->conducts;
    for (int k = 0; k < n; k++) {
        in_words(words[k], first->conduct[k].name);
        names[k + 1] = words[k], align[k + 1] = 'r', align[k + 2] = 0;
    }
    if (n == 0) return;
    bex_page_table_begin(p, names, align, n + 1);
    for (int i = 0; i < count; i++) {
        bex_page_cell(p, "%s", series[i].label);
        for (int k = 0; k < n; k++) {
            double pair[2];
            bool told = bex_series_pool(pair, &series[i], BEX_CONDUCT, first->conduct[k].name);
            pair_cell(p, told, pair, 3);
        }
    }
    if (shown) {
        bex_page_cell(p, "Demonstrations");
        for (int k = 0; k < n; k++)
            bex_page_cell(p, "%.3f", shown_value(shown, first->conduct[k].name));
    }
    bex_page_table_end(p);
}

void bex_page_goals(bex_page *p, const bex_record *r, const bex_series *series, int count,
                    const char *environment) {
    bool any = false;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < series[i].count; k++) any |= series[i].member[k]->s.goals_by_step.n > 0;
    if (count == 0) return;
    if (any) {
        const bex_exploration *e = common_goals(series, count);
        bex_page_heading(p, "Goals");
        show_all(p, series, count, environment);
        if (e && e->s.goals > 1) show_each(p, series, count, environment, e);
        show_end(p, series, count, e);
    }
    show_conduct(p, r, series, count, environment);
    if (any) bex_page_heading(p, "Coverage");
}
