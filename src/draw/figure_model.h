/* draw/figure_model.h - what a figure holds between building (figure.c) and drawing (draw.c).
 * Private to draw/. */
#ifndef BEX_DRAW_FIGURE_MODEL_H
#define BEX_DRAW_FIGURE_MODEL_H

#include "draw/axis.h"
#include "draw/figure.h"

typedef enum {
    BEX_ITEM_LINE,
    BEX_ITEM_PATH,
    BEX_ITEM_SCATTER,
    BEX_ITEM_SYMBOL,
    BEX_ITEM_BARS,
    BEX_ITEM_HEAT,
    BEX_ITEM_RECTANGLE,
    BEX_ITEM_TEXT,
    BEX_ITEM_HLINE,
    BEX_ITEM_VLINE,
} bex_item_kind;

typedef struct bex_item {
    bex_item_kind kind;
    bex_mark mark;     // colour and alpha resolved; label owned
    int n;             // points; bars: edges are x (n + 1)
    double *x, *y, *e; // e: errors or NULL
    int rows, columns; // heat: values in y
    double box[4];     // heat, rectangle: x0 x1 y0 y1
    double lo, hi;     // heat: colour scale
    char *text;        // text; heat: label of the bar
    int align;
} bex_item;

struct bex_panel {
    bex_figure *figure;
    char *title, *x_label, *y_label;
    char **names;
    int name_count;
    bool fixed_x, fixed_y, log_x, log_y, hidden;
    double x_range[2], y_range[2], aspect; // aspect 0: free
    bex_legend legend;
    int colours; // palette entries taken
    bex_item *items;
    int count, room;
};

struct bex_figure {
    int rows, columns;
    double width, height;
    char *title;
    bool failed; // out of memory while building
    bex_panel *panels;
};

/* The axes fitted to all marks of the panel. */
void bex_panel_axes(const bex_panel *p, bex_axis *x, bex_axis *y);

#ifdef BEX_HAVE_CAIRO
#include <cairo/cairo.h>

/* Size in points, and the drawing itself on a context whose unit is the point. */
void bex_figure_measure(const bex_figure *f, double *width, double *height);
void bex_figure_draw(const bex_figure *f, cairo_t *cr);

/* Where values land: plotting area in points, y downwards. */
typedef struct bex_frame {
    double x, y, w, h;
    bex_axis ax, ay;
} bex_frame;

void bex_draw_item(cairo_t *cr, const bex_frame *frame, const bex_item *item);
void bex_draw_legend_key(cairo_t *cr, const bex_item *item, double x, double y, double w);
void bex_draw_colour(cairo_t *cr, bex_colour c, double alpha);
void bex_draw_font(cairo_t *cr, double size, bool bold);
double bex_draw_text_width(cairo_t *cr, const char *text);
/* y is the middle of the digits' height; align -1 left, 0 centre, 1 right of x. */
void bex_draw_text(cairo_t *cr, double x, double y, int align, const char *text);
#endif

#endif
