/* draw/draw_marks.c - each kind of mark on a cairo context, and its key in the legend. */
#include "draw/figure_model.h"

#ifdef BEX_HAVE_CAIRO

#include <math.h>
#include <stdlib.h>

static double place_x(const bex_frame *f, double v) {
    return f->x + f->w * bex_axis_place(&f->ax, v);
}

static double place_y(const bex_frame *f, double v) {
    return f->y + f->h * (1 - bex_axis_place(&f->ay, v));
}

void bex_draw_colour(cairo_t *cr, bex_colour c, double alpha) {
    cairo_set_source_rgba(cr, (c >> 16 & 255) / 255.0, (c >> 8 & 255) / 255.0, (c & 255) / 255.0,
                          alpha);
}

void bex_draw_font(cairo_t *cr, double size, bool bold) {
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, size);
}

double bex_draw_text_width(cairo_t *cr, const char *text) {
    cairo_text_extents_t e;
    cairo_text_extents(cr, text, &e);
    return e.x_advance;
}

void bex_draw_text(cairo_t *cr, double x, double y, int align, const char *text) {
    cairo_text_extents_t digit;
    cairo_text_extents(cr, "0", &digit);
    double w = bex_draw_text_width(cr, text);
    cairo_move_to(cr, x - 0.5 * (align + 1) * w, y + 0.5 * digit.height);
    cairo_show_text(cr, text);
}

static void pen(cairo_t *cr, const bex_mark *m, double width) {
    static const double dash[] = {5, 3.5};
    cairo_set_line_width(cr, m->width > 0 ? m->width : width);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(cr, m->dashed ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
    cairo_set_dash(cr, dash, m->dashed ? 2 : 0, 0);
    bex_draw_colour(cr, m->colour, m->alpha);
}

// beyond cairo's 24.8 fixed point a coordinate wraps: keep it near the page
static double near_page(double v) {
    return fmin(fmax(v, -1e5), 1e5);
}

// the band between y - e and y + e, one closed shape per unbroken run
static void draw_band(cairo_t *cr, const bex_frame *f, const bex_item *it) {
    bex_draw_colour(cr, it->mark.colour, 0.18 * it->mark.alpha);
    for (int i = 0; i < it->n;) {
        int j = i;
        while (j < it->n && isfinite(place_x(f, it->x[j])) && isfinite(place_y(f, it->y[j])) &&
               isfinite(it->e[j]))
            j++;
        for (int side = 1; side >= -1; side -= 2)
            for (int k = i; k < j; k++) {
                int at = side > 0 ? k : i + j - 1 - k;
                double y = place_y(f, it->y[at] + side * it->e[at]);
                if (isnan(y)) y = f->y + f->h; // below a logarithmic axis
                cairo_line_to(cr, near_page(place_x(f, it->x[at])), near_page(y));
            }
        cairo_close_path(cr);
        cairo_fill(cr);
        i = j + 1;
    }
}

static void draw_polyline(cairo_t *cr, const bex_frame *f, const bex_item *it, double width) {
    pen(cr, &it->mark, width);
    bool down = false;
    for (int i = 0; i < it->n; i++) {
        double x = place_x(f, it->x[i]), y = place_y(f, it->y[i]);
        bool ok = isfinite(x) && isfinite(y);
        if (ok && down) cairo_line_to(cr, near_page(x), near_page(y));
        if (ok && !down) cairo_move_to(cr, near_page(x), near_page(y));
        // a lone point shows as a dot: a line to itself with round caps
        bool lone =
            ok && !down && (i + 1 == it->n || !isfinite(it->x[i + 1]) || !isfinite(it->y[i + 1]));
        if (lone) cairo_line_to(cr, near_page(x), near_page(y));
        down = ok;
    }
    cairo_stroke(cr);
}

static void draw_ring(cairo_t *cr, double x, double y, double size, bex_colour c) {
    cairo_new_sub_path(cr);
    cairo_arc(cr, x, y, 0.5 * size, 0, 6.283185307179586);
    bex_draw_colour(cr, 0xFFFFFF, 1);
    cairo_fill_preserve(cr);
    bex_draw_colour(cr, c, 1);
    cairo_set_dash(cr, NULL, 0, 0);
    cairo_set_line_width(cr, 0.22 * size);
    cairo_stroke(cr);
}

static void draw_star(cairo_t *cr, double x, double y, double size, bex_colour c) {
    for (int k = 0; k < 10; k++) {
        double r = (k % 2 ? 0.29 : 0.68) * size, turn = -1.5707963 + 0.62831853 * k;
        cairo_line_to(cr, x + r * cos(turn), y + r * sin(turn));
    }
    cairo_close_path(cr);
    bex_draw_colour(cr, c, 1);
    cairo_fill_preserve(cr);
    bex_draw_colour(cr, 0xFFFFFF, 1);
    cairo_set_dash(cr, NULL, 0, 0);
    cairo_set_line_width(cr, 0.8);
    cairo_stroke(cr);
}

static void draw_ends(cairo_t *cr, const bex_frame *f, const bex_item *it) {
    double size = it->mark.size > 0 ? it->mark.size : 9;
    int last = it->n - 1;
    double x0 = place_x(f, it->x[0]), y0 = place_y(f, it->y[0]);
    double x1 = place_x(f, it->x[last]), y1 = place_y(f, it->y[last]);
    if (it->mark.start && isfinite(x0 + y0)) draw_ring(cr, x0, y0, 0.8 * size, it->mark.colour);
    if (it->mark.goal && isfinite(x1 + y1)) draw_star(cr, x1, y1, size, it->mark.colour);
}

static void draw_scatter(cairo_t *cr, const bex_frame *f, const bex_item *it) {
    double size = it->mark.size > 0 ? it->mark.size : 4.5;
    bex_draw_colour(cr, it->mark.colour, it->mark.alpha);
    for (int i = 0; i < it->n; i++) {
        double x = place_x(f, it->x[i]), y = place_y(f, it->y[i]);
        if (!isfinite(x) || !isfinite(y) || fabs(x) > 1e5 || fabs(y) > 1e5) continue;
        cairo_new_sub_path(cr);
        cairo_arc(cr, x, y, 0.5 * size, 0, 6.283185307179586);
        cairo_fill(cr); // one by one: overlapping points darken
    }
}

static void draw_bars(cairo_t *cr, const bex_frame *f, const bex_item *it) {
    double foot = f->ay.log ? f->y + f->h : place_y(f, 0);
    for (int i = 0; i < it->n; i++) {
        double x0 = place_x(f, it->x[i]), x1 = place_x(f, it->x[i + 1]), y = place_y(f, it->y[i]);
        if (!isfinite(x0) || !isfinite(x1) || !isfinite(y)) continue;
        double gap = it->n > 1 ? fmin(0.75, 0.1 * (x1 - x0)) : 0;
        bex_draw_colour(cr, it->mark.colour, it->mark.alpha);
        cairo_rectangle(cr, x0 + 0.5 * gap, near_page(y), x1 - x0 - gap, foot - near_page(y));
        cairo_fill(cr);
        if (!it->e || !isfinite(it->e[i])) continue;
        double x = 0.5 * (x0 + x1), cap = fmin(4, 0.2 * (x1 - x0));
        double top = near_page(place_y(f, it->y[i] + it->e[i]));
        double low = near_page(place_y(f, it->y[i] - it->e[i]));
        if (isnan(low)) low = foot;
        cairo_move_to(cr, x, top), cairo_line_to(cr, x, low);
        cairo_move_to(cr, x - cap, top), cairo_line_to(cr, x + cap, top);
        cairo_move_to(cr, x - cap, low), cairo_line_to(cr, x + cap, low);
        bex_draw_colour(cr, BEX_BLACK, 1);
        cairo_set_dash(cr, NULL, 0, 0);
        cairo_set_line_width(cr, 1.1);
        cairo_stroke(cr);
    }
}

// cells become blocks of pixels in one image: crisp in every viewer, small in every format
static void draw_heat(cairo_t *cr, const bex_frame *f, const bex_item *it) {
    double x0 = place_x(f, it->box[0]), x1 = place_x(f, it->box[1]);
    double y0 = place_y(f, it->box[3]), y1 = place_y(f, it->box[2]);
    int longest = it->rows > it->columns ? it->rows : it->columns;
    if (it->rows == 0 || !(x1 > x0) || !(y1 > y0)) return; // nothing, or off a logarithmic axis
    int k = longest < 600 ? (600 + longest - 1) / longest : 1;
    int width = it->columns * k, height = it->rows * k;
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    if (cairo_surface_status(image) == CAIRO_STATUS_SUCCESS) {
        unsigned char *bytes = cairo_image_surface_get_data(image);
        int stride = cairo_image_surface_get_stride(image);
        double span = it->hi - it->lo;
        for (int y = 0; y < height; y++) {
            unsigned *row = (unsigned *)(void *)(bytes + (size_t)y * (size_t)stride);
            for (int x = 0; x < width; x++) {
                double v = it->y[(it->rows - 1 - y / k) * it->columns + x / k];
                row[x] = isfinite(v) ? 0xFF000000u | bex_colour_map((v - it->lo) / span) : 0;
            }
        }
        cairo_surface_mark_dirty(image);
        cairo_save(cr);
        cairo_translate(cr, x0, y0);
        cairo_scale(cr, (x1 - x0) / width, (y1 - y0) / height);
        cairo_set_source_surface(cr, image, 0, 0);
        cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
        cairo_paint(cr);
        cairo_restore(cr);
    }
    cairo_surface_destroy(image);
}

static void draw_rectangle(cairo_t *cr, const bex_frame *f, const bex_item *it) {
    double x0 = near_page(place_x(f, it->box[0])), x1 = near_page(place_x(f, it->box[1]));
    double y0 = near_page(place_y(f, it->box[2])), y1 = near_page(place_y(f, it->box[3]));
    cairo_rectangle(cr, fmin(x0, x1), fmin(y0, y1), fabs(x1 - x0), fabs(y1 - y0));
    bex_draw_colour(cr, it->mark.colour, it->mark.alpha);
    cairo_fill_preserve(cr);
    // neighbours meet without a hairline between them
    cairo_set_dash(cr, NULL, 0, 0);
    cairo_set_line_width(cr, it->mark.alpha >= 1 ? 0.3 : 0);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_MITER);
    if (it->mark.alpha >= 1)
        cairo_stroke(cr);
    else
        cairo_new_path(cr);
}

static void draw_label(cairo_t *cr, const bex_frame *f, const bex_item *it) {
    double x = place_x(f, it->x[0]), y = place_y(f, it->y[0]);
    if (!isfinite(x) || !isfinite(y) || !it->text) return;
    bex_draw_font(cr, it->mark.size > 0 ? it->mark.size : 9, false);
    bex_draw_colour(cr, it->mark.colour, it->mark.alpha);
    bex_draw_text(cr, near_page(x), near_page(y), it->align, it->text);
}

static void draw_reference(cairo_t *cr, const bex_frame *f, const bex_item *it) {
    bool across = it->kind == BEX_ITEM_HLINE;
    double at = across ? place_y(f, it->y[0]) : place_x(f, it->x[0]);
    if (!isfinite(at)) return;
    pen(cr, &it->mark, 1.1);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
    cairo_move_to(cr, across ? f->x : near_page(at), across ? near_page(at) : f->y);
    cairo_line_to(cr, across ? f->x + f->w : near_page(at), across ? near_page(at) : f->y + f->h);
    cairo_stroke(cr);
}

void bex_draw_item(cairo_t *cr, const bex_frame *f, const bex_item *it) {
    if (it->n == 0 && it->kind != BEX_ITEM_HEAT && it->kind != BEX_ITEM_RECTANGLE) return;
    cairo_new_path(cr);
    switch (it->kind) {
    case BEX_ITEM_LINE:
        if (it->e) draw_band(cr, f, it);
        draw_polyline(cr, f, it, 1.8);
        break;
    case BEX_ITEM_PATH:
        draw_polyline(cr, f, it, 1.2);
        draw_ends(cr, f, it);
        break;
    case BEX_ITEM_SCATTER:
        draw_scatter(cr, f, it);
        break;
    case BEX_ITEM_SYMBOL:
        draw_ends(cr, f, it);
        break;
    case BEX_ITEM_BARS:
        draw_bars(cr, f, it);
        break;
    case BEX_ITEM_HEAT:
        draw_heat(cr, f, it);
        break;
    case BEX_ITEM_RECTANGLE:
        draw_rectangle(cr, f, it);
        break;
    case BEX_ITEM_TEXT:
        draw_label(cr, f, it);
        break;
    case BEX_ITEM_HLINE:
    case BEX_ITEM_VLINE:
        draw_reference(cr, f, it);
        break;
    }
}

void bex_draw_legend_key(cairo_t *cr, const bex_item *it, double x, double y, double w) {
    bool filled = it->kind == BEX_ITEM_BARS || it->kind == BEX_ITEM_RECTANGLE;
    cairo_new_path(cr);
    if (filled) {
        bex_draw_colour(cr, it->mark.colour, it->mark.alpha);
        cairo_rectangle(cr, x + 0.2 * w, y - 4, 0.6 * w, 8);
        cairo_fill(cr);
    } else if (it->kind == BEX_ITEM_SCATTER) {
        bex_draw_colour(cr, it->mark.colour, 1);
        cairo_arc(cr, x + 0.5 * w, y, 2.8, 0, 6.283185307179586);
        cairo_fill(cr);
    } else if (it->kind == BEX_ITEM_SYMBOL) {
        if (it->mark.start) draw_ring(cr, x + 0.5 * w, y, 7, it->mark.colour);
        if (it->mark.goal) draw_star(cr, x + 0.5 * w, y, 8.5, it->mark.colour);
    } else {
        if (it->e) {
            bex_draw_colour(cr, it->mark.colour, 0.18);
            cairo_rectangle(cr, x, y - 4, w, 8);
            cairo_fill(cr);
        }
        pen(cr, &it->mark, 1.8);
        // a faint path still needs a readable key
        if (it->kind == BEX_ITEM_PATH) bex_draw_colour(cr, it->mark.colour, 1);
        cairo_move_to(cr, x, y), cairo_line_to(cr, x + w, y);
        cairo_stroke(cr);
    }
}

#else
typedef int bex_draw_marks_needs_cairo; // C forbids an empty file
#endif
