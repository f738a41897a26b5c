/* show/coverage_figure.c - three panels: where, how much was added, how that ranks among demonstrations. */
#include "show/coverage_figure.h"

#include "base/error.h"
#include "draw/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 20000, PATHS = 60 };

static void label(char *out, size_t size, const bex_policy *p, int column) {
    if (p->columns.count)
        snprintf(out, size, "%s", p->columns.name[column]);
    else
        snprintf(out, size, "column %d", column);
}

static void draw_map(bex_panel *p, const bex_recording *r, const bex_policy *policy,
                     const bex_real *shown, int rows, const int pair[2], double *x, double *y) {
    char right[BEX_COLUMN_LABEL], up[BEX_COLUMN_LABEL];
    int stride = rows / POINTS + 1, n = 0;
    for (int t = 0; shown && t < rows; t += stride, n++) {
        x[n] = (double)shown[(size_t)t * (size_t)policy->O + (size_t)pair[0]];
        y[n] = (double)shown[(size_t)t * (size_t)policy->O + (size_t)pair[1]];
    }
    if (n)
        bex_panel_scatter(
            p, x, y, n,
            &(bex_mark){.colour = BEX_GREY, .alpha = 0.3, .size = 1.5, .label = "demonstrated"});
    for (int e = 0; e < r->episodes && e < PATHS; e++) {
        int length = r->start[e + 1] - r->start[e], apart = length / 2000 + 1;
        n = 0;
        for (int t = r->start[e]; t < r->start[e + 1]; t += apart, n++) {
            x[n] = (double)r->obs[(size_t)t * (size_t)r->O + (size_t)pair[0]];
            y[n] = (double)r->obs[(size_t)t * (size_t)r->O + (size_t)pair[1]];
        }
        bex_panel_path(p, x, y, n,
                       &(bex_mark){.colour = bex_palette(e), .alpha = 0.8, .start = e == 0});
    }
    label(right, sizeof right, policy, pair[0]), label(up, sizeof up, policy, pair[1]);
    bex_panel_labels(p, "Visited", right, up);
}

// mean over trials of a number by episode
static void draw_curve(bex_panel *p, const bex_coverage_point *q, int episodes, size_t offset,
                       const char *name, bex_colour colour, double *x, double *y) {
    int n = 0;
    for (int k = 0;; k++, n++) {
        double sum = 0, count = 0;
        for (int e = 0; e < episodes; e++)
            if (q[e].episode == k)
                sum += *(const double *)(const void *)((const char *)&q[e] + offset), count++;
        if (count == 0 || n == POINTS) break;
        x[n] = k + 1, y[n] = sum / count;
    }
    bex_panel_line(p, x, y, NULL, n, &(bex_mark){.label = name, .colour = colour});
}

int bex_coverage_draw(const bex_recording *r, const bex_coverage_point *q, const bex_policy *policy,
                      const bex_real *shown, int rows, const int pair[2], const char *title,
                      const char *paths) {
    bex_figure *f = bex_figure_new(1, 3, 280, 220);
    double *x = malloc(2 * (POINTS + 4) * sizeof *x), *y = x ? x + POINTS + 4 : NULL;
    int code = f && x ? 0 : bex_fail("out of memory");
    if (code == 0) {
        bex_figure_title(f, title);
        draw_map(bex_figure_panel(f, 0, 0), r, policy, shown, rows, pair, x, y);
        bex_panel *c = bex_figure_panel(f, 0, 1), *d = bex_figure_panel(f, 0, 2);
        draw_curve(c, q, r->episodes, offsetof(bex_coverage_point, coverage), "of all so far",
                   BEX_BLUE, x, y);
        bex_panel_labels(c, "Coverage (log)", "episode", NULL);
        draw_curve(d, q, r->episodes, offsetof(bex_coverage_point, quantile), "mean", BEX_BLUE, x,
                   y);
        draw_curve(d, q, r->episodes, offsetof(bex_coverage_point, best), "best", BEX_GREEN, x, y);
        bex_panel_y_range(d, 0, 1.02);
        bex_panel_legend(d, BEX_LEGEND_BEST);
        bex_panel_labels(d, "Quantile among demonstrators' futures", "episode", NULL);
        code = bex_figure_save(f, paths);
    }
    free(x);
    bex_figure_free(f);
    return code;
}
