/* draw/draw.c - layout: margins from measured text, then grid, marks, spines, labels, legend.
 *
 *   pad | left: y label, ticks | plotting area | right: colour bar, legend | gap | next column ...
 *
 * Margins are the largest of their column or row, so plotting areas line up across panels. */
#include "draw/figure_model.h"

#ifdef BEX_HAVE_CAIRO

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PAD = 10, GAP = 16;                 // around the page, between panels
static const double TITLE = 11, LABEL = 10, TICK = 8.5; // font sizes
static const double HEADING = 13;                       // the figure's title
static const double BAR = 10, BAR_GAP = 9;              // colour bar: breadth, distance
static const double KEY = 20, KEY_GAP = 6, ROW = 14.5;  // legend
static const bex_colour INK = 0x262626, SOFT = 0x595959, GRID = 0xE8E8E8, SPINE = 0x9A9A9A;

typedef struct margins {
    double left, right, top, bottom;
} margins;

// the item whose legend row this is, or NULL when an earlier item has the same label
static const bex_item *legend_row(const bex_panel *p, int i) {
    const bex_item *it = &p->items[i];
    if (!it->mark.label) return NULL;
    for (int k = 0; k < i; k++)
        if (p->items[k].mark.label && !strcmp(p->items[k].mark.label, it->mark.label)) return NULL;
    return it;
}

static void legend_size(cairo_t *cr, const bex_panel *p, double *w, double *h) {
    int rows = 0;
    double widest = 0;
    bex_draw_font(cr, 9, false);
    for (int i = 0; i < p->count; i++) {
        const bex_item *it = legend_row(p, i);
        if (it) rows++, widest = fmax(widest, bex_draw_text_width(cr, it->mark.label));
    }
    *w = rows ? KEY + KEY_GAP + widest + 14 : 0;
    *h = rows ? rows * ROW + 7 : 0;
}

// shrink the area so that a unit of y is `aspect` units of x; centred across, flush with the top
static void apply_aspect(const bex_panel *p, bex_frame *f) {
    if (!(p->aspect > 0)) return;
    double ratio = p->aspect * (f->ay.hi - f->ay.lo) / (f->ax.hi - f->ax.lo); // height over width
    double w = fmin(f->w, f->h / ratio), h = fmin(f->h, f->w * ratio);
    f->x += 0.5 * (f->w - w);
    f->w = w, f->h = h;
}

// how many points of the panel's marks fall into a box of the page, each mark weighing 1
static double crowd(const bex_panel *p, const bex_frame *f, double x, double y, double w,
                    double h) {
    double inside = 0;
    for (int i = 0; i < p->count; i++) {
        const bex_item *it = &p->items[i];
        if (it->kind == BEX_ITEM_HLINE || it->kind == BEX_ITEM_VLINE) continue;
        bool bars = it->kind == BEX_ITEM_BARS;
        for (int k = 0; k < it->n; k++) {
            double at = bars ? 0.5 * (it->x[k] + it->x[k + 1]) : it->x[k];
            double px = f->x + f->w * bex_axis_place(&f->ax, at);
            double py = f->y + f->h * (1 - bex_axis_place(&f->ay, it->y[k]));
            if (px >= x && px <= x + w && py <= y + h && (py >= y || bars)) inside += 1.0 / it->n;
        }
    }
    return inside;
}

// top left, top right, bottom left, bottom right: the order of bex_legend
static void legend_corner(const bex_frame *f, int corner, double w, double h, double at[2]) {
    const double inset = 6;
    at[0] = corner % 2 ? f->x + f->w - w - inset : f->x + inset;
    at[1] = corner / 2 ? f->y + f->h - h - inset : f->y + inset;
}

// BEST becomes a corner, or the outside when marks run through all of them
static bex_legend resolve_legend(cairo_t *cr, const bex_panel *p) {
    if (p->legend != BEX_LEGEND_BEST) return p->legend;
    static const int order[] = {1, 0, 3, 2};
    bex_frame f = {.w = p->figure->width, .h = p->figure->height};
    bex_panel_axes(p, &f.ax, &f.ay);
    apply_aspect(p, &f);
    double w, h, at[2], least = INFINITY;
    int chosen = 0;
    legend_size(cr, p, &w, &h);
    for (int k = 0; k < 4; k++) {
        legend_corner(&f, order[k], w, h, at);
        double n = crowd(p, &f, at[0] - 4, at[1] - 4, w + 8, h + 8);
        if (n < least) least = n, chosen = order[k];
    }
    return least > 0.02 ? BEX_LEGEND_OUTSIDE : (bex_legend)((int)BEX_LEGEND_TOP_LEFT + chosen);
}

static const bex_item *colour_bar(const bex_panel *p) {
    for (int i = 0; i < p->count; i++)
        if (p->items[i].kind == BEX_ITEM_HEAT && p->items[i].text) return &p->items[i];
    return NULL;
}

static double widest_tick(cairo_t *cr, const bex_axis *a) {
    double widest = 0;
    bex_draw_font(cr, TICK, false);
    for (int i = 0; i < a->count; i++) widest = fmax(widest, bex_draw_text_width(cr, a->text[i]));
    return widest;
}

static void bar_axis(const bex_figure *f, const bex_item *it, bex_axis *a) {
    bex_axis_fit(a, it->lo, it->hi, false, true, (int)(f->height / 40));
}

static margins panel_margins(cairo_t *cr, const bex_panel *p) {
    margins m = {4, 6, 4, 4};
    bex_axis ax, ay;
    bex_panel_axes(p, &ax, &ay);
    if (p->title) m.top += TITLE + 8;
    if (!p->hidden) {
        m.left += widest_tick(cr, &ay) + 7;
        m.bottom += TICK + 8;
        // half of the last x label may hang over the right end
        if (ax.count) m.right = fmax(m.right, 0.5 * bex_draw_text_width(cr, ax.text[ax.count - 1]));
    }
    if (p->x_label) m.bottom += LABEL + 6;
    if (p->y_label) m.left += LABEL + 7;
    const bex_item *heat = colour_bar(p);
    if (heat) {
        bex_axis a;
        bar_axis(p->figure, heat, &a);
        m.right += BAR_GAP + BAR + 6 + widest_tick(cr, &a) + (*heat->text ? LABEL + 8 : 0);
    }
    if (resolve_legend(cr, p) == BEX_LEGEND_OUTSIDE) {
        double w, h;
        legend_size(cr, p, &w, &h);
        m.right += w + 4;
    }
    return m;
}

static margins column_margins(cairo_t *cr, const bex_figure *f, int column) {
    margins m = {0};
    for (int r = 0; r < f->rows; r++) {
        margins one = panel_margins(cr, &f->panels[r * f->columns + column]);
        m.left = fmax(m.left, one.left), m.right = fmax(m.right, one.right);
    }
    return m;
}

static margins row_margins(cairo_t *cr, const bex_figure *f, int row) {
    margins m = {0};
    for (int c = 0; c < f->columns; c++) {
        margins one = panel_margins(cr, &f->panels[row * f->columns + c]);
        m.top = fmax(m.top, one.top), m.bottom = fmax(m.bottom, one.bottom);
    }
    return m;
}

static void page_size(cairo_t *cr, const bex_figure *f, double *width, double *height) {
    double w = 2 * PAD + (f->columns - 1) * GAP, h = 2 * PAD + (f->rows - 1) * GAP;
    if (f->title) h += HEADING + 12;
    for (int c = 0; c < f->columns; c++) {
        margins m = column_margins(cr, f, c);
        w += m.left + f->width + m.right;
    }
    for (int r = 0; r < f->rows; r++) {
        margins m = row_margins(cr, f, r);
        h += m.top + f->height + m.bottom;
    }
    *width = ceil(w), *height = ceil(h);
}

static void no_hinting(cairo_t *cr) {
    // sizes must not depend on the resolution
    cairo_font_options_t *o = cairo_font_options_create();
    cairo_font_options_set_hint_style(o, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(o, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(o, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cr, o);
    cairo_font_options_destroy(o);
}

void bex_figure_measure(const bex_figure *f, double *width, double *height) {
    cairo_surface_t *s = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 1, 1);
    cairo_t *cr = cairo_create(s);
    no_hinting(cr);
    page_size(cr, f, width, height);
    cairo_destroy(cr);
    cairo_surface_destroy(s);
}

static void segment(cairo_t *cr, double x0, double y0, double x1, double y1) {
    cairo_move_to(cr, x0, y0);
    cairo_line_to(cr, x1, y1);
}

static void draw_grid(cairo_t *cr, const bex_panel *p, const bex_frame *f) {
    bex_draw_colour(cr, GRID, 1);
    cairo_set_dash(cr, NULL, 0, 0);
    cairo_set_line_width(cr, 0.8);
    for (int i = 0; i < f->ax.count && !p->name_count; i++) {
        double x = f->x + f->w * bex_axis_place(&f->ax, f->ax.at[i]);
        segment(cr, x, f->y, x, f->y + f->h);
    }
    for (int i = 0; i < f->ay.count; i++) {
        double y = f->y + f->h * (1 - bex_axis_place(&f->ay, f->ay.at[i]));
        segment(cr, f->x, y, f->x + f->w, y);
    }
    cairo_stroke(cr);
}

static void draw_ticks(cairo_t *cr, const bex_panel *p, const bex_frame *f) {
    double bottom = f->y + f->h;
    bex_draw_colour(cr, SPINE, 1);
    cairo_set_dash(cr, NULL, 0, 0);
    cairo_set_line_width(cr, 0.9);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_SQUARE);
    segment(cr, f->x, f->y, f->x, bottom);
    segment(cr, f->x, bottom, f->x + f->w, bottom);
    for (int i = 0; i < f->ax.count; i++) {
        double x = f->x + f->w * bex_axis_place(&f->ax, f->ax.at[i]);
        segment(cr, x, bottom, x, bottom + 3);
    }
    for (int i = 0; i < f->ay.count; i++) {
        double y = f->y + f->h * (1 - bex_axis_place(&f->ay, f->ay.at[i]));
        segment(cr, f->x - 3, y, f->x, y);
    }
    cairo_stroke(cr);
    bex_draw_font(cr, TICK, false);
    bex_draw_colour(cr, SOFT, 1);
    for (int i = 0; i < f->ax.count; i++) {
        const char *text = i < p->name_count ? p->names[i] : f->ax.text[i];
        double x = f->x + f->w * bex_axis_place(&f->ax, f->ax.at[i]);
        if (text) bex_draw_text(cr, x, bottom + 6 + 0.5 * TICK, 0, text);
    }
    for (int i = 0; i < f->ay.count; i++) {
        double y = f->y + f->h * (1 - bex_axis_place(&f->ay, f->ay.at[i]));
        bex_draw_text(cr, f->x - 6, y, 1, f->ay.text[i]);
    }
}

static void upright_text(cairo_t *cr, double x, double y, const char *text) {
    cairo_save(cr);
    cairo_translate(cr, x, y);
    cairo_rotate(cr, -1.5707963267948966);
    bex_draw_text(cr, 0, 0, 0, text);
    cairo_restore(cr);
}

// smaller, down to the ticks' size, where it would run into the next panel
static void draw_title(cairo_t *cr, const char *title, const bex_frame *f, double room) {
    bex_draw_font(cr, TITLE, true);
    double wide = bex_draw_text_width(cr, title);
    if (wide > room) bex_draw_font(cr, fmax(TICK, TITLE * room / wide), true);
    bex_draw_text(cr, f->x, f->y - 7 - 0.5 * TITLE, -1, title);
}

static void draw_labels(cairo_t *cr, const bex_panel *p, const bex_frame *f, const margins *m) {
    bex_draw_colour(cr, INK, 1);
    bex_draw_font(cr, LABEL, false);
    double below = p->hidden ? 6 : TICK + 12;
    if (p->x_label)
        bex_draw_text(cr, f->x + 0.5 * f->w, f->y + f->h + below + 0.5 * LABEL, 0, p->x_label);
    // beside this panel's own ticks where the area shrank, else aligned down the column
    double reach = fmin(m->left, panel_margins(cr, p).left);
    bex_draw_font(cr, LABEL, false);
    if (p->y_label) upright_text(cr, f->x - reach + 0.5 * LABEL + 2, f->y + 0.5 * f->h, p->y_label);
    if (p->title) draw_title(cr, p->title, f, f->w + m->right);
}

static void draw_colour_bar(cairo_t *cr, const bex_panel *p, const bex_frame *f) {
    const bex_item *heat = colour_bar(p);
    if (!heat) return;
    bex_axis a;
    bar_axis(p->figure, heat, &a);
    double x = f->x + f->w + BAR_GAP;
    cairo_pattern_t *ramp = cairo_pattern_create_linear(0, f->y + f->h, 0, f->y);
    for (int i = 0; i <= 9; i++) {
        bex_colour c = bex_colour_map(i / 9.0);
        cairo_pattern_add_color_stop_rgb(ramp, i / 9.0, (c >> 16 & 255) / 255.0,
                                         (c >> 8 & 255) / 255.0, (c & 255) / 255.0);
    }
    cairo_rectangle(cr, x, f->y, BAR, f->h);
    cairo_set_source(cr, ramp);
    cairo_fill(cr);
    cairo_pattern_destroy(ramp);
    bex_draw_font(cr, TICK, false);
    for (int i = 0; i < a.count; i++) {
        double y = f->y + f->h * (1 - bex_axis_place(&a, a.at[i]));
        bex_draw_colour(cr, SPINE, 1);
        cairo_set_line_width(cr, 0.9);
        segment(cr, x + BAR, y, x + BAR + 3, y);
        cairo_stroke(cr);
        bex_draw_colour(cr, SOFT, 1);
        bex_draw_text(cr, x + BAR + 6, y, -1, a.text[i]);
    }
    double beside = x + BAR + 6 + widest_tick(cr, &a) + 6 + 0.5 * LABEL;
    bex_draw_font(cr, LABEL, false);
    bex_draw_colour(cr, INK, 1);
    upright_text(cr, beside, f->y + 0.5 * f->h, heat->text);
}

static void draw_legend(cairo_t *cr, const bex_panel *p, const bex_frame *f) {
    bex_legend where = resolve_legend(cr, p);
    double w, h, at[2] = {f->x + f->w + 6, f->y - 2};
    legend_size(cr, p, &w, &h);
    if (where == BEX_LEGEND_NONE || w == 0) return;
    if (where != BEX_LEGEND_OUTSIDE) {
        legend_corner(f, (int)where - (int)BEX_LEGEND_TOP_LEFT, w, h, at);
        bex_draw_colour(cr, 0xFFFFFF, 0.86);
        cairo_rectangle(cr, at[0], at[1], w, h);
        cairo_fill(cr);
    }
    double y = at[1] + 3.5 + 0.5 * ROW;
    for (int i = 0; i < p->count; i++) {
        const bex_item *it = legend_row(p, i);
        if (!it) continue;
        bex_draw_legend_key(cr, it, at[0] + 6, y, KEY);
        bex_draw_font(cr, 9, false);
        bex_draw_colour(cr, INK, 1);
        bex_draw_text(cr, at[0] + 6 + KEY + KEY_GAP, y, -1, it->mark.label);
        y += ROW;
    }
}

static void draw_panel(cairo_t *cr, const bex_panel *p, double x, double y, const margins *m) {
    bex_frame f = {.x = x, .y = y, .w = p->figure->width, .h = p->figure->height};
    bex_panel_axes(p, &f.ax, &f.ay);
    apply_aspect(p, &f);
    if (!p->hidden && !colour_bar(p)) draw_grid(cr, p, &f);
    cairo_save(cr);
    // thick lines at the edge keep their width
    cairo_rectangle(cr, f.x - 1.5, f.y - 1.5, f.w + 3, f.h + 3);
    cairo_clip(cr);
    for (int i = 0; i < p->count; i++) bex_draw_item(cr, &f, &p->items[i]);
    cairo_restore(cr);
    if (!p->hidden) draw_ticks(cr, p, &f);
    draw_labels(cr, p, &f, m);
    draw_colour_bar(cr, p, &f);
    draw_legend(cr, p, &f);
}

void bex_figure_draw(const bex_figure *f, cairo_t *cr) {
    double width, height;
    no_hinting(cr);
    page_size(cr, f, &width, &height);
    bex_draw_colour(cr, 0xFFFFFF, 1);
    cairo_rectangle(cr, 0, 0, width, height);
    cairo_fill(cr);
    double y = PAD;
    if (f->title) {
        bex_draw_font(cr, HEADING, true);
        bex_draw_colour(cr, INK, 1);
        bex_draw_text(cr, 0.5 * width, y + 0.5 * HEADING, 0, f->title);
        y += HEADING + 12;
    }
    for (int r = 0; r < f->rows; r++) {
        margins row = row_margins(cr, f, r);
        double x = PAD;
        for (int c = 0; c < f->columns; c++) {
            margins m = column_margins(cr, f, c);
            m.top = row.top, m.bottom = row.bottom;
            draw_panel(cr, &f->panels[r * f->columns + c], x + m.left, y + row.top, &m);
            x += m.left + f->width + m.right + GAP;
        }
        y += row.top + f->height + row.bottom + GAP;
    }
}

#else
typedef int bex_draw_needs_cairo; // C forbids an empty file
#endif
