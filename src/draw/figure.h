/* draw/figure.h - figures: a grid of panels with lines, paths, points, bars, heat maps and walls,
 * drawn once and written as SVG, PNG and PDF.
 *
 *     bex_figure *f = bex_figure_new(1, 2, 300, 220);
 *     bex_panel *p = bex_figure_panel(f, 0, 0);
 *     bex_panel_labels(p, "Coverage", "episodes", "cells");
 *     bex_panel_line(p, x, mean, error, n, &(bex_mark){.label = "BE", .colour = BEX_BLUE});
 *     bex_panel_legend(p, BEX_LEGEND_BEST);
 *     if (bex_figure_save(f, "out/coverage.svg,out/coverage.png") < 0) ...
 *     bex_figure_free(f);
 *
 * Everything given is copied. Building never fails; what went wrong (memory) shows in save. Marks
 * draw in the order added. Values that are NaN or infinite break a line and are skipped elsewhere.
 * Lengths are points (1/72 inch); PNG has two pixels a point. The same figure gives the same bytes.
 * Text is UTF-8; invalid bytes become '?'. One thread per figure. */
#ifndef BEX_DRAW_FIGURE_H
#define BEX_DRAW_FIGURE_H

#include "draw/colour.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct bex_figure bex_figure;
typedef struct bex_panel bex_panel; // belongs to its figure

/* width, height: of one panel's plotting area in points; labels and titles add to them. */
bex_figure *bex_figure_new(int rows, int columns, double width, double height);
void bex_figure_free(bex_figure *figure); // NULL is fine
void bex_figure_title(bex_figure *figure, const char *title);
bex_panel *bex_figure_panel(bex_figure *figure, int row, int column);

/* Write to one path or several, separated by commas; .svg, .png or .pdf chooses the format. Each
 * file appears whole or not at all; existing ones are replaced. 0, or negative with a message
 * (unknown extension, unwritable, disk full, a build without cairo). */
int bex_figure_save(bex_figure *figure, const char *paths);

/* The same into memory: kind "svg", "png" or "pdf"; *bytes is malloced, with a NUL past its size. */
int bex_figure_render(bex_figure *figure, const char *kind, char **bytes, size_t *size);

/* ---- panel ---- */
void bex_panel_labels(bex_panel *p, const char *title, const char *x, const char *y); // NULL: none
void bex_panel_x_range(bex_panel *p, double lo, double hi); // fixed; else fitted to the marks
void bex_panel_y_range(bex_panel *p, double lo, double hi);
void bex_panel_log(bex_panel *p, bool x, bool y);               // logarithmic axes
void bex_panel_aspect(bex_panel *p, double y_unit_over_x_unit); // 1: a map; the area shrinks to fit
void bex_panel_hide_axes(bex_panel *p); // no ticks, grid or spines; title and marks stay
void bex_panel_x_names(bex_panel *p, const char *const *names, int n); // names at x = 0..n-1

typedef enum {
    BEX_LEGEND_NONE, // the default
    BEX_LEGEND_BEST, // a free corner, else outside
    BEX_LEGEND_TOP_LEFT,
    BEX_LEGEND_TOP_RIGHT,
    BEX_LEGEND_BOTTOM_LEFT,
    BEX_LEGEND_BOTTOM_RIGHT,
    BEX_LEGEND_OUTSIDE, // right of the plotting area
} bex_legend;
void bex_panel_legend(bex_panel *p, bex_legend where); // one row per label; equal labels share it

/* ---- marks ---- */
typedef struct bex_mark {
    const char *label; // for the legend; NULL: not in it
    bex_colour colour; // 0: the next of the palette
    double alpha;      // 0 means 1
    double width;      // of lines, points; 0: a good default
    double size;       // scatter: diameter; text: font size; 0: a good default
    bool dashed;
    bool start, goal; // path: a ring at its first, a star at its last point
} bex_mark;

/* error: standard errors, drawn as a band y +- error; NULL for none. x (n), y (n), error (n). */
void bex_panel_line(bex_panel *p, const double *x, const double *y, const double *error, int n,
                    const bex_mark *mark);
/* A trajectory: like line but meant in hundreds; takes no palette colour unless asked for one
 * (colour 0: blue), and its start and goal get symbols on request. */
void bex_panel_path(bex_panel *p, const double *x, const double *y, int n, const bex_mark *mark);
void bex_panel_scatter(bex_panel *p, const double *x, const double *y, int n, const bex_mark *mark);
/* One symbol in its own right: a start ring or a goal star (mark->start, mark->goal) at (x, y). */
void bex_panel_symbol(bex_panel *p, double x, double y, const bex_mark *mark);
/* Counts of values in equal bins over their range, or over the panel's fixed x range; on a
 * logarithmic x axis (set before) the bins are equal in log x. */
void bex_panel_histogram(bex_panel *p, const double *values, int n, int bins, const bex_mark *mark);
/* A bar from 0 to height centred at x, `breadth` wide in units of x; error NAN: no whisker. */
void bex_panel_bar(bex_panel *p, double x, double breadth, double height, double error,
                   const bex_mark *mark);
/* values (rows, columns), row 0 at the bottom, over [x0, x1] x [y0, y1]; NaN stays blank. lo, hi:
 * ends of the colour scale, lo >= hi: of the values. label: of the colour bar, NULL: no bar. */
void bex_panel_heat(bex_panel *p, const double *values, int rows, int columns, double x0, double x1,
                    double y0, double y1, double lo, double hi, const char *label);
void bex_panel_rectangle(bex_panel *p, double x0, double y0, double x1, double y1,
                         const bex_mark *mark); // filled; colour 0: BEX_WALL
/* align: -1 text starts at (x, y), 0 is centred on it, 1 ends there. */
void bex_panel_text(bex_panel *p, double x, double y, const char *text, int align,
                    const bex_mark *mark);                          // colour 0: BEX_BLACK
void bex_panel_hline(bex_panel *p, double y, const bex_mark *mark); // colour 0: BEX_GREY
void bex_panel_vline(bex_panel *p, double x, const bex_mark *mark);

#endif
