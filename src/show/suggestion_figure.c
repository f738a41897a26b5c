/* show/suggestion_figure.c - a choice of columns, drawn.
 *
 *   futures    all states grey; of the futures that begin nearest to the middle of where many begin, those
 *              that are
 *              furthest from each other in the chosen columns, farthest first
 *   columns    between * lasting * word of each, the chosen ones green
 *   in time    the widest column that counts, over a few episodes */
#include "show/suggestion_figure.h"

#include "base/error.h"
#include "draw/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 5, NEAR = 200, STARTS = 4000, POINTS = 20000, EPISODES = 6, NAMED = 14 };

typedef struct {
    const bex_suggestions *s;
    const bex_dataset *d;
    const bex_column_set *set;
    int F, x, y;        // rows of a future; the columns of the map
    int starts, *start; // rows where futures begin
    double *distance;   // (starts) scratch
} sheet;

static double value(const sheet *s, int row, int column) {
    return (double)s->d->observations[(size_t)row * (size_t)s->d->O + (size_t)column];
}

static double unit(const sheet *s, int column) {
    double std = s->s->columns.column[column].std;
    return std > 0 ? std : 1;
}

static void label(char *out, size_t size, const sheet *s, int column) {
    if (s->d->columns.count)
        snprintf(out, size, "%s", s->d->columns.name[column]);
    else
        snprintf(out, size, "column %d", column);
}

/* ---- futures that differ ---- */

static int length_from(const sheet *s, int row) {
    int e = 0;
    while (s->d->start[e + 1] <= row) e++;
    int left = s->d->start[e + 1] - row;
    return left < s->F + 1 ? left : s->F + 1;
}

// how far apart two futures are, step by step, in the chosen columns
static double apart(const sheet *s, int a, int b) {
    double sum = 0;
    int n = length_from(s, a) < length_from(s, b) ? length_from(s, a) : length_from(s, b);
    for (int i = 0; i < s->set->n; i++) {
        int c = s->set->dims[i];
        for (int t = 0; t < n; t++)
            sum += pow((value(s, a + t, c) - value(s, b + t, c)) / unit(s, c), 2) / n;
    }
    return sum;
}

static double from_start(const sheet *s, int a, int b) {
    double sum = 0;
    for (int j = 0; j < s->d->O; j++)
        if (s->s->columns.column[j].role == BEX_COLUMN_FREE && s->s->columns.column[j].worth > 0)
            sum += s->s->columns.column[j].worth *
                   pow((value(s, a, j) - value(s, b, j)) / unit(s, j), 2);
    return sum;
}

static void find_starts(sheet *s) {
    int stride = s->d->rows / STARTS + 1;
    for (int e = 0; e < s->d->episodes; e++)
        for (int t = s->d->start[e]; t + s->F < s->d->start[e + 1]; t += stride)
            s->start[s->starts++] = t;
    if (!s->starts)
        for (int e = 0; e < s->d->episodes && e < STARTS; e++)
            s->start[s->starts++] = s->d->start[e];
}

// the start that has the nearest company: there several futures are possible; then its neighbours to the
// front
static void gather_near(sheet *s) {
    int probes = s->starts < 60 ? s->starts : 60, best = 0,
        near = s->starts < NEAR ? s->starts : NEAR;
    double least = INFINITY;
    for (int p = 0; p < probes; p++) {
        int at = (int)((long long)p * s->starts / probes), n = 0;
        double sum = 0;
        // the mean distance to a sample of the others, those beyond a deviation counted as one
        for (int k = 0; k < s->starts; k += s->starts / 200 + 1, n++)
            sum += fmin(1, from_start(s, s->start[at], s->start[k]));
        if (sum / n < least) least = sum / n, best = at;
    }
    int centre = s->start[best];
    for (int k = 0; k < s->starts; k++) s->distance[k] = from_start(s, centre, s->start[k]);
    for (int i = 0; i < near; i++)
        for (int k = i + 1; k < s->starts; k++)
            if (s->distance[k] < s->distance[i]) {
                double d = s->distance[k];
                int row = s->start[k];
                s->distance[k] = s->distance[i], s->start[k] = s->start[i];
                s->distance[i] = d, s->start[i] = row;
            }
    // of a few hundred neighbours, only those that do begin there
    s->starts = near;
    while (s->starts > 2 * SHOWN && s->distance[s->starts - 1] > 4 * s->distance[2 * SHOWN])
        s->starts--;
}

// farthest first
static int choose_futures(sheet *s, int chosen[SHOWN]) {
    int n = 0;
    chosen[n++] = s->start[0];
    while (n < SHOWN && n < s->starts) {
        double most = 0;
        int best = -1;
        for (int k = 0; k < s->starts; k++) {
            double nearest = INFINITY;
            for (int i = 0; i < n; i++) nearest = fmin(nearest, apart(s, s->start[k], chosen[i]));
            if (nearest > most) most = nearest, best = s->start[k];
        }
        if (best < 0) break;
        chosen[n++] = best;
    }
    return n;
}

static void draw_futures(sheet *s, bex_panel *p) {
    int stride = s->d->rows / POINTS + 1, n = 0, chosen[SHOWN];
    char x[BEX_COLUMN_LABEL], y[BEX_COLUMN_LABEL];
    double *at = malloc(2 * ((size_t)POINTS + (size_t)s->F + 2) * sizeof *at);
    if (!at) return;
    double *up = at + POINTS + s->F + 2;
    for (int r = 0; r < s->d->rows && n < POINTS; r += stride, n++)
        at[n] = value(s, r, s->x), up[n] = value(s, r, s->y);
    bex_panel_scatter(p, at, up, n, &(bex_mark){.colour = BEX_GREY, .alpha = 0.25, .size = 1.5});
    int shown = choose_futures(s, chosen);
    for (int i = 0; i < shown; i++) {
        int rows = length_from(s, chosen[i]);
        for (int t = 0; t < rows; t++)
            at[t] = value(s, chosen[i] + t, s->x), up[t] = value(s, chosen[i] + t, s->y);
        bex_panel_path(p, at, up, rows,
                       &(bex_mark){.colour = bex_palette(i), .width = 2, .start = true});
    }
    label(x, sizeof x, s, s->x), label(y, sizeof y, s, s->y);
    bex_panel_labels(p, "Much the same start, different futures", x, y);
    free(at);
}

/* ---- columns ---- */

static void draw_worth(const sheet *s, bex_panel *p) {
    const bex_column_choice *c = &s->s->columns;
    const char *names[NAMED];
    static char text[NAMED][BEX_COLUMN_LABEL];
    int order[NAMED], n = 0;
    for (int j = 0; j < c->O; j++) {
        int at = n < NAMED ? n++ : NAMED;
        while (at > 0 && c->column[j].worth > c->column[order[at - 1]].worth) {
            if (at < NAMED) order[at] = order[at - 1];
            at--;
        }
        if (at < NAMED) order[at] = j;
    }
    for (int i = 0; i < n; i++) {
        bool chosen = false;
        for (int k = 0; k < s->set->n; k++) chosen |= s->set->dims[k] == order[i];
        snprintf(text[i], sizeof text[i], "%d", order[i]);
        names[i] = text[i];
        bex_panel_bar(p, i, 0.7, c->column[order[i]].worth, (double)NAN,
                      &(bex_mark){.colour = chosen ? BEX_GREEN : BEX_GREY});
    }
    bex_panel_x_names(p, names, n);
    bex_panel_labels(p, "Worth counting (green: chosen)", "column, the best first",
                     "between x lasting x word");
}

static void draw_time(const sheet *s, bex_panel *p) {
    int shown = s->d->episodes < EPISODES ? s->d->episodes : EPISODES;
    char name[BEX_COLUMN_LABEL];
    for (int i = 0; i < shown; i++) {
        int e = (int)((long long)i * s->d->episodes / shown), rows = bex_dataset_length(s->d, e);
        int stride = rows / 1000 + 1, n = 0;
        double x[1001], y[1001];
        for (int t = 0; t < rows && n < 1001; t += stride, n++)
            x[n] = t, y[n] = value(s, s->d->start[e] + t, s->x);
        bex_panel_path(p, x, y, n, &(bex_mark){.colour = bex_palette(i), .alpha = 0.9});
    }
    label(name, sizeof name, s, s->x);
    bex_panel_labels(p, "In time, some episodes", "row", name);
}

// the two of the chosen that tell most; the second may be any other column
static void choose_map(sheet *s) {
    const bex_column_judgement *q = s->s->columns.column;
    s->x = s->set->dims[0], s->y = -1;
    for (int i = 1; i < s->set->n; i++)
        if (q[s->set->dims[i]].worth > q[s->x].worth) s->x = s->set->dims[i];
    for (int j = 0; j < s->d->O; j++) {
        bool chosen = false;
        for (int i = 0; i < s->set->n; i++) chosen |= s->set->dims[i] == j;
        if (j == s->x || (s->set->n > 1 && !chosen)) continue;
        if (s->y < 0 || q[j].worth > q[s->y].worth) s->y = j;
    }
    if (s->y < 0) s->y = s->x;
    if (s->y < s->x) {
        int swap = s->x;
        s->x = s->y, s->y = swap;
    }
}

int bex_suggestion_draw(const bex_suggestions *suggestions, const bex_dataset *data, int future,
                        const char *title, const char *paths) {
    sheet s = {.s = suggestions,
               .d = data,
               .F = future,
               .set = bex_column_choice_best(&suggestions->columns)};
    size_t most = (size_t)(data->rows / (data->rows / STARTS + 1) + data->episodes + 1);
    s.start = malloc(most * sizeof *s.start), s.distance = malloc(most * sizeof *s.distance);
    bex_figure *f = bex_figure_new(1, 3, 300, 230);
    int code = s.start && s.distance && f ? 0 : bex_fail("out of memory");
    if (code == 0) {
        const char *base = strrchr(title, '/');
        char line[300];
        snprintf(line, sizeof line, "%.120s: what counts as somewhere else is %.150s",
                 base ? base + 1 : title, suggestions->dims);
        choose_map(&s);
        find_starts(&s);
        gather_near(&s);
        bex_figure_title(f, line);
        draw_futures(&s, bex_figure_panel(f, 0, 0));
        draw_worth(&s, bex_figure_panel(f, 0, 1));
        draw_time(&s, bex_figure_panel(f, 0, 2));
        code = bex_figure_save(f, paths);
    }
    bex_figure_free(f);
    free(s.start), free(s.distance);
    return code;
}
