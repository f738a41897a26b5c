/* show/data_plot.c - what demonstrations look like.
 *
 *   [ episode lengths ][ returns ][ trajectories ][ density, log scale ]
 *   [ obs 0 ][ obs 1 ] ...                                 [ act 0 ] ...
 *
 * Large data are thinned for drawing only: at most 150 trajectories, evenly spaced, and 200,000 rows
 * a histogram; the density counts every row. */
#include "show/data_plot.h"

#include "base/error.h"
#include "draw/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 4, MOST_PATHS = 150, MOST_POINTS = 2000, MOST_VALUES = 200000, MOST_PANELS = 96 };
enum { CELLS = 60 };

typedef struct sheet {
    const bex_dataset *d;
    bex_figure *figure;
    double *x, *y; // (MOST_VALUES) scratch
    int next;      // panel
} sheet;

static bex_panel *next_panel(sheet *s) {
    bex_panel *p = bex_figure_panel(s->figure, s->next / ACROSS, s->next % ACROSS);
    s->next++;
    return p;
}

// the range of two columns with a margin, never empty
static void bounds(double lo[2], double hi[2], const bex_column_statistics *obs,
                   const int dims[2]) {
    for (int i = 0; i < 2; i++) {
        double margin = 0.03 * (obs[dims[i]].most - obs[dims[i]].least);
        if (!(margin > 0)) margin = 0.5;
        lo[i] = obs[dims[i]].least - margin, hi[i] = obs[dims[i]].most + margin;
    }
}

// equal units where the two columns are of one scale: then it is a map
static void frame(bex_panel *p, const double lo[2], const double hi[2]) {
    double ratio = (hi[1] - lo[1]) / (hi[0] - lo[0]);
    bex_panel_x_range(p, lo[0], hi[0]);
    bex_panel_y_range(p, lo[1], hi[1]);
    if (ratio > 0.4 && ratio < 2.5) bex_panel_aspect(p, 1);
}

static void name_column(char *out, size_t size, const bex_dataset *d, int column) {
    if (d->columns.count)
        snprintf(out, size, "%s", d->columns.name[column]);
    else
        snprintf(out, size, "obs %d", column);
}

static void draw_paths(sheet *s, const int dims[2], const double lo[2], const double hi[2]) {
    const bex_dataset *d = s->d;
    bex_panel *p = next_panel(s);
    char title[80], x[BEX_COLUMN_LABEL], y[BEX_COLUMN_LABEL];
    int stride = (d->episodes + MOST_PATHS - 1) / MOST_PATHS, shown = 0;
    for (int e = 0; e < d->episodes; e += stride, shown++) {
        int rows = bex_dataset_length(d, e), thin = rows / MOST_POINTS + 1, n = 0;
        for (int t = 0; t < rows; t += thin, n++) {
            const bex_real *o = d->observations + (size_t)(d->start[e] + t) * (size_t)d->O;
            s->x[n] = (double)o[dims[0]], s->y[n] = (double)o[dims[1]];
        }
        double alpha = d->episodes > 20 ? 0.35 : 0.8;
        bex_panel_path(p, s->x, s->y, n,
                       &(bex_mark){.colour = bex_palette(e / stride),
                                   .alpha = alpha,
                                   .start = d->episodes <= 20});
    }
    snprintf(title, sizeof title, shown < d->episodes ? "%d of %d trajectories" : "%d trajectories",
             shown, d->episodes);
    name_column(x, sizeof x, d, dims[0]);
    name_column(y, sizeof y, d, dims[1]);
    bex_panel_labels(p, title, x, y);
    frame(p, lo, hi);
}

static int cell(double v, double lo, double hi) {
    int c = (int)((v - lo) / (hi - lo) * CELLS);
    return c < 0 ? 0 : c >= CELLS ? CELLS - 1 : c;
}

static void draw_density(sheet *s, const int dims[2], const double lo[2], const double hi[2]) {
    const bex_dataset *d = s->d;
    double *count = s->x; // (CELLS, CELLS)
    memset(count, 0, sizeof *count * CELLS * CELLS);
    for (int r = 0; r < d->rows; r++) {
        const bex_real *o = d->observations + (size_t)r * (size_t)d->O;
        double x = (double)o[dims[0]], y = (double)o[dims[1]];
        if (isfinite(x) && isfinite(y))
            count[cell(y, lo[1], hi[1]) * CELLS + cell(x, lo[0], hi[0])] += 1;
    }
    for (int i = 0; i < CELLS * CELLS; i++) count[i] = count[i] > 0 ? log10(count[i]) : (double)NAN;
    bex_panel *p = next_panel(s);
    char x[BEX_COLUMN_LABEL], y[BEX_COLUMN_LABEL];
    name_column(x, sizeof x, d, dims[0]);
    name_column(y, sizeof y, d, dims[1]);
    bex_panel_labels(p, "Density", x, y);
    bex_panel_heat(p, count, CELLS, CELLS, lo[0], hi[0], lo[1], hi[1], 0, 0, "log10 rows");
    frame(p, lo, hi);
}

static void draw_lengths(sheet *s) {
    const bex_dataset *d = s->d;
    int stride = d->episodes / MOST_VALUES + 1, n = 0;
    for (int e = 0; e < d->episodes; e += stride) s->x[n++] = bex_dataset_length(d, e);
    bex_panel *p = next_panel(s);
    bex_panel_labels(p, "Episode lengths", "rows", "episodes");
    bex_panel_histogram(p, s->x, n, 30, &(bex_mark){.colour = BEX_GREEN});
}

static void draw_returns(sheet *s) {
    const bex_dataset *d = s->d;
    bex_panel *p = next_panel(s);
    int stride = d->episodes / MOST_VALUES + 1, n = 0;
    if (!d->rewards) {
        bex_panel_hide_axes(p);
        return;
    }
    for (int e = 0; e < d->episodes; e += stride) {
        double sum = 0;
        for (int t = d->start[e]; t < d->start[e + 1]; t++) sum += (double)d->rewards[t];
        s->x[n++] = sum;
    }
    bex_panel_labels(p, "Returns", "sum of rewards", "episodes");
    bex_panel_histogram(p, s->x, n, 30, &(bex_mark){.colour = BEX_GREEN});
}

static void draw_column(sheet *s, const char *name, const bex_real *values, int columns, int c,
                        const bex_column_statistics *st, bex_colour colour) {
    int stride = s->d->rows / MOST_VALUES + 1, n = 0;
    for (int r = 0; r < s->d->rows; r += stride)
        s->x[n++] = (double)values[(size_t)r * (size_t)columns + (size_t)c];
    bex_panel *p = next_panel(s);
    char title[120], own[BEX_COLUMN_LABEL];
    snprintf(own, sizeof own, "%s %d", name, c);
    if (values == s->d->observations) name_column(own, sizeof own, s->d, c);
    snprintf(title, sizeof title, "%s%s%s", own, st->constant ? " (constant)" : "",
             st->bad ? " (NaN)" : "");
    bex_panel_labels(p, title, NULL, NULL);
    bex_panel_histogram(p, s->x, n, 40, &(bex_mark){.colour = colour});
}

int bex_data_plot(const bex_dataset *d, const bex_column_statistics *obs,
                  const bex_column_statistics *act, const int dims[2], const char *title,
                  const char *paths) {
    int O = d->O < MOST_PANELS ? d->O : MOST_PANELS, A = d->A < MOST_PANELS ? d->A : MOST_PANELS;
    int panels = 4 + O + A, code = -1;
    sheet s = {.d = d};
    s.x = malloc(sizeof *s.x * (MOST_VALUES + CELLS * CELLS));
    s.y = malloc(sizeof *s.y * (MOST_VALUES + CELLS * CELLS));
    s.figure = bex_figure_new((panels + ACROSS - 1) / ACROSS, ACROSS, 200, 150);
    if (!s.x || !s.y || !s.figure) {
        bex_fail("out of memory");
        goto done;
    }
    double lo[2], hi[2];
    bounds(lo, hi, obs, dims);
    const char *base = strrchr(title, '/');
    bex_figure_title(s.figure, base && base[1] ? base + 1 : title);
    draw_lengths(&s);
    draw_returns(&s);
    draw_paths(&s, dims, lo, hi);
    draw_density(&s, dims, lo, hi);
    for (int c = 0; c < O; c++) draw_column(&s, "obs", d->observations, d->O, c, &obs[c], BEX_BLUE);
    for (int c = 0; c < A; c++) draw_column(&s, "act", d->actions, d->A, c, &act[c], BEX_ORANGE);
    while (s.next % ACROSS) bex_panel_hide_axes(next_panel(&s));
    code = bex_figure_save(s.figure, paths);
done:
    bex_figure_free(s.figure);
    free(s.x);
    free(s.y);
    return code;
}
