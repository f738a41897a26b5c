/* report/page_training.c - curves of one or several runs from their metrics.csv. */
#include "report/record.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 800, RUNS_DRAWN = 7 };

static bool is_held_out(const char *name) {
    return !strncmp(name, "held_out", 8) || !strncmp(name, "val_", 4);
}

static bool is_loss(const char *name) {
    return strstr(name, "loss") || is_held_out(name);
}

// finite cells of a column, thinned to POINTS: a metric measured now and then is a line all the same
static void draw_column(bex_panel *p, const bex_table *t, int column, const bex_mark *mark) {
    const double *step = t->value, *value = t->value + (size_t)column * (size_t)t->rows;
    double *x = malloc(2 * ((size_t)t->rows + 1) * sizeof *x), *y = x + t->rows + 1;
    BEX_CHECK(x, "out of memory for %d rows", t->rows);
    int n = 0;
    for (int i = 0; i < t->rows; i++)
        if (isfinite(value[i])) x[n] = step[i], y[n++] = value[i];
    int apart = n / POINTS + 1, kept = 0;
    for (int i = 0; i < n; i++)
        if (i % apart == 0 || i == n - 1) x[kept] = x[i], y[kept++] = y[i];
    bex_panel_line(p, x, y, NULL, kept, mark);
    free(x);
}

// is there a finite value in the column?
static bool measured(const bex_table *t, int column) {
    for (int i = 0; i < t->rows; i++)
        if (isfinite(t->value[(size_t)column * (size_t)t->rows + (size_t)i])) return true;
    return false;
}

static void draw_losses(bex_panel *p, const bex_record *r, double range[2]) {
    for (int k = 0; k < r->run_count && k < RUNS_DRAWN; k++) {
        const bex_table *t = &r->runs[k].metrics;
        bool held = false;
        for (int c = 1; c < t->columns; c++)
            held |= is_loss(t->name[c]) && is_held_out(t->name[c]) && measured(t, c);
        for (int c = 1; c < t->columns; c++) {
            if (!is_loss(t->name[c]) || !measured(t, c)) continue;
            bool faint = held && !is_held_out(t->name[c]);
            draw_column(p, t, c,
                        &(bex_mark){.label = faint ? NULL : r->runs[k].name,
                                    .colour = bex_palette(k),
                                    .alpha = faint ? 0.35 : 1,
                                    .width = faint ? 1 : 1.8});
            for (int i = 0; i < t->rows; i++) {
                double v = t->value[(size_t)c * (size_t)t->rows + (size_t)i];
                if (isfinite(v)) range[0] = fmin(range[0], v), range[1] = fmax(range[1], v);
            }
        }
    }
}

static bool draw_named(bex_panel *p, const bex_record *r, const char *name) {
    bool any = false;
    for (int k = 0; k < r->run_count && k < RUNS_DRAWN; k++) {
        const bex_table *t = &r->runs[k].metrics;
        for (int c = 1; c < t->columns; c++) {
            if (strcmp(t->name[c], name) != 0 || !measured(t, c)) continue;
            draw_column(p, t, c, &(bex_mark){.label = r->runs[k].name, .colour = bex_palette(k)});
            any = true;
        }
    }
    return any;
}

static void show_losses(bex_page *p, const bex_record *r) {
    bex_figure *f = bex_figure_new(1, 1, 330, 225);
    bex_panel *panel = bex_figure_panel(f, 0, 0);
    double range[2] = {(double)INFINITY, -(double)INFINITY};
    bex_panel_labels(panel, "Loss", "optimiser steps", "loss");
    draw_losses(panel, r, range);
    // decades tell more once the fall is deep
    if (range[0] > 0 && range[1] > 8 * range[0]) bex_panel_log(panel, false, true);
    bex_panel_legend(panel, BEX_LEGEND_TOP_RIGHT);
    bex_page_show(p, f, "Loss against optimiser steps of each run");
    bex_page_keep(p, f, "training-loss");
    bex_figure_free(f);
}

static void show_named(bex_page *p, const bex_record *r, const char *name, const char *title,
                       double width) {
    bex_figure *f = bex_figure_new(1, 1, width, width > 200 ? 225 : 140);
    bex_panel *panel = bex_figure_panel(f, 0, 0);
    char file[128];
    bex_panel_labels(panel, title, "optimiser steps", NULL);
    if (draw_named(panel, r, name)) {
        bex_page_show(p, f, title);
        bex_page_keep(p, f, bex_figure_name(file, "training", name));
    }
    bex_figure_free(f);
}

/* ---- table ---- */
// last finite and least value of a column; NAN if none
static void ends_of(const bex_table *t, bool held, double *last, double *least) {
    *last = *least = (double)NAN;
    for (int c = 1; c < t->columns; c++) {
        if (!is_loss(t->name[c]) || is_held_out(t->name[c]) != held) continue;
        for (int i = 0; i < t->rows; i++) {
            double v = t->value[(size_t)c * (size_t)t->rows + (size_t)i];
            if (isfinite(v)) *last = v, *least = fmin(v, isnan(*least) ? v : *least);
        }
        return;
    }
}

static void number_cell(bex_page *p, double v) {
    if (isfinite(v))
        bex_page_cell(p, "%.4g", v);
    else
        bex_page_cell(p, "\u2013");
}

static void show_table(bex_page *p, const bex_record *r) {
    static const char *const names[] = {"run",  "status", "steps",  "final loss", "held-out",
                                        "best", "seed",   "commit", "started"};
    bex_page_table_begin(p, names, "llrrrrrcl", 9);
    for (int k = 0; k < r->run_count; k++) {
        const bex_training *t = &r->runs[k];
        double last, least;
        const char *commit = json_string_value(json_object_get(t->provenance, "commit"));
        const char *started = json_string_value(json_object_get(t->provenance, "started"));
        const json_t *seed = json_object_get(t->provenance, "seed");
        bex_page_cell(p, "%s", t->name);
        bex_page_cell(p, "%s", *t->status ? t->status : "\u2013");
        if (t->metrics.rows)
            bex_page_cell(p, "%.0f", t->metrics.value[t->metrics.rows - 1]);
        else
            bex_page_cell(p, "0");
        ends_of(&t->metrics, false, &last, &least);
        number_cell(p, last);
        ends_of(&t->metrics, true, &last, &least);
        number_cell(p, last);
        number_cell(p, least);
        if (json_is_integer(seed))
            bex_page_cell(p, "%lld", (long long)json_integer_value(seed));
        else
            bex_page_cell(p, "\u2013");
        bex_page_cell(p, "%s", commit ? commit : "\u2013");
        bex_page_cell(p, "%s", started ? started : "\u2013");
    }
    bex_page_table_end(p);
}

// every column beside losses and lr, of the first run that has it
static void show_others(bex_page *p, const bex_record *r) {
    const char *seen[64];
    int count = 0;
    for (int k = 0; k < r->run_count; k++) {
        const bex_table *t = &r->runs[k].metrics;
        for (int c = 1; c < t->columns && count < 64; c++) {
            bool again = is_loss(t->name[c]) || !strcmp(t->name[c], "lr") || !measured(t, c);
            for (int i = 0; i < count; i++) again |= !strcmp(seen[i], t->name[c]);
            if (!again) seen[count++] = t->name[c];
        }
    }
    if (count == 0) return;
    bool history = false;
    for (int i = 0; i < count; i++) history |= !strcmp(seen[i], "other_history");
    bex_page_details_begin(p, "Other metrics");
    bex_page_figure_begin(
        p, 0,
        history ? "Compare other_history and no_coverage with the held-out loss: the further "
                  "above it they lie, the more the history and the coverage are used."
                : "Look for what jumps, and for what stops changing before training ends.");
    for (int i = 0; i < count; i++) show_named(p, r, seen[i], seen[i], 190);
    bex_page_figure_end(p, "As logged, in the colours of the loss curves.");
    bex_page_details_end(p);
}

void bex_page_training(bex_page *p, const bex_record *r) {
    int rows = 0;
    bex_page_section(p, "Training");
    if (r->run_count == 0) {
        bex_page_note(p, "Left out: no training run (metrics.csv) among the inputs.");
        return;
    }
    show_table(p, r);
    for (int k = 0; k < r->run_count; k++) {
        rows += r->runs[k].metrics.rows;
        if (r->runs[k].metrics.rows == 0)
            bex_page_note(p, "Run %s has logged nothing yet.", r->runs[k].name);
        if (!strncmp(r->runs[k].status, "running", 7))
            bex_page_note(p, "Run %s had not ended when this page was made, or was killed.",
                          r->runs[k].name);
    }
    if (rows == 0) return;
    bex_page_figure_begin(
        p, 2,
        "The held-out loss should fall as long as the training loss does; rising while the "
        "other falls, it says that the run learns its demonstrations by heart.");
    show_losses(p, r);
    show_named(p, r, "lr", "Learning rate", 330);
    bex_page_figure_end(
        p,
        "Training curves of %d run%s%s. Strong: the loss on held-out episodes where "
        "it was measured; faint: the training loss.",
        r->run_count, r->run_count == 1 ? "" : "s",
        r->run_count > RUNS_DRAWN ? ", the first seven drawn" : "");
    show_others(p, r);
}
