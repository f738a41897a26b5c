/* draw/figure.c - building a figure: marks are copied into panels; axes are fitted to them. */
#include "draw/figure.h"

#include "base/error.h"
#include "draw/figure_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// length of a well-formed UTF-8 sequence at s, 0 if none
static int utf8_length(const unsigned char *s) {
    int n = s[0] < 0x80 ? 1 : s[0] >= 0xC2 && s[0] < 0xE0 ? 2 : s[0] >= 0xE0 && s[0] < 0xF0 ? 3 : 0;
    if (s[0] >= 0xF0 && s[0] < 0xF5) n = 4;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if (s[0] == 0xE0 && s[1] < 0xA0) return 0; // overlong
    if (s[0] == 0xED && s[1] > 0x9F) return 0; // surrogate
    if (s[0] == 0xF0 && s[1] < 0x90) return 0; // overlong
    if (s[0] == 0xF4 && s[1] > 0x8F) return 0; // past the last code point
    return n;
}

static char *copy_text(bex_figure *f, const char *text) {
    if (!text) return NULL;
    char *copy = strdup(text);
    if (!copy) return f->failed = true, NULL;
    for (unsigned char *s = (unsigned char *)copy; *s;) {
        int n = utf8_length(s);
        if (n == 0 || *s < 0x20 || *s == 0x7f) *s = '?', n = 1;
        s += n;
    }
    return copy;
}

static double *copy_values(bex_figure *f, const double *v, int n) {
    if (!v || n <= 0) return NULL;
    double *copy = malloc((size_t)n * sizeof *copy);
    if (!copy) return f->failed = true, NULL;
    memcpy(copy, v, (size_t)n * sizeof *copy);
    return copy;
}

bex_figure *bex_figure_new(int rows, int columns, double width, double height) {
    BEX_CHECK(rows > 0 && columns > 0 && width > 0 && height > 0, "%d x %d panels of %g x %g", rows,
              columns, width, height);
    bex_figure *f = calloc(1, sizeof *f);
    bex_panel *panels = calloc((size_t)rows * (size_t)columns, sizeof *panels);
    BEX_CHECK(f && panels, "out of memory for %d x %d panels", rows, columns);
    *f = (bex_figure){rows, columns, width, height, .panels = panels};
    for (int i = 0; i < rows * columns; i++) panels[i].figure = f;
    return f;
}

void bex_figure_free(bex_figure *f) {
    if (!f) return;
    for (int i = 0; i < f->rows * f->columns; i++) {
        bex_panel *p = &f->panels[i];
        for (int k = 0; k < p->count; k++) {
            bex_item *it = &p->items[k];
            free((char *)it->mark.label);
            free(it->x), free(it->y), free(it->e), free(it->text);
        }
        for (int k = 0; k < p->name_count; k++) free(p->names[k]);
        free(p->names), free(p->items), free(p->title), free(p->x_label), free(p->y_label);
    }
    free(f->panels), free(f->title), free(f);
}

void bex_figure_title(bex_figure *f, const char *title) {
    free(f->title);
    f->title = copy_text(f, title);
}

bex_panel *bex_figure_panel(bex_figure *f, int row, int column) {
    BEX_CHECK(row >= 0 && row < f->rows && column >= 0 && column < f->columns,
              "panel (%d, %d) of %d x %d", row, column, f->rows, f->columns);
    return &f->panels[row * f->columns + column];
}

void bex_panel_labels(bex_panel *p, const char *title, const char *x, const char *y) {
    free(p->title), free(p->x_label), free(p->y_label);
    p->title = copy_text(p->figure, title);
    p->x_label = copy_text(p->figure, x);
    p->y_label = copy_text(p->figure, y);
}

void bex_panel_x_range(bex_panel *p, double lo, double hi) {
    p->fixed_x = true, p->x_range[0] = lo, p->x_range[1] = hi;
}

void bex_panel_y_range(bex_panel *p, double lo, double hi) {
    p->fixed_y = true, p->y_range[0] = lo, p->y_range[1] = hi;
}

void bex_panel_log(bex_panel *p, bool x, bool y) {
    p->log_x = x, p->log_y = y;
}

void bex_panel_aspect(bex_panel *p, double ratio) {
    BEX_CHECK(ratio > 0, "aspect %g", ratio);
    p->aspect = ratio;
}

void bex_panel_hide_axes(bex_panel *p) {
    p->hidden = true;
}

void bex_panel_legend(bex_panel *p, bex_legend where) {
    p->legend = where;
}

void bex_panel_x_names(bex_panel *p, const char *const *names, int n) {
    for (int i = 0; i < p->name_count; i++) free(p->names[i]);
    free(p->names);
    p->name_count = 0;
    p->names = calloc((size_t)n + 1, sizeof *p->names);
    if (!p->names) {
        p->figure->failed = true;
        return;
    }
    for (int i = 0; i < n; i++) p->names[i] = copy_text(p->figure, names[i]);
    p->name_count = n;
}

// a new item with its mark resolved; NULL when memory ran out, which save reports
static bex_item *add(bex_panel *p, bex_item_kind kind, const bex_mark *mark, bex_colour fallback) {
    if (p->count == p->room) {
        int room = p->room ? 2 * p->room : 16;
        bex_item *more = realloc(p->items, (size_t)room * sizeof *more);
        if (!more) return p->figure->failed = true, NULL;
        p->items = more, p->room = room;
    }
    bex_item *it = &p->items[p->count++];
    *it = (bex_item){.kind = kind};
    if (mark) it->mark = *mark;
    it->mark.label = copy_text(p->figure, it->mark.label);
    if (!it->mark.alpha) it->mark.alpha = 1;
    if (!it->mark.colour) it->mark.colour = fallback ? fallback : bex_palette(p->colours++);
    return it;
}

static void add_points(bex_panel *p, bex_item_kind kind, const double *x, const double *y,
                       const double *e, int n, const bex_mark *mark, bex_colour fallback) {
    bex_item *it = n > 0 ? add(p, kind, mark, fallback) : NULL;
    if (!it) return;
    it->x = copy_values(p->figure, x, n);
    it->y = copy_values(p->figure, y, n);
    it->e = copy_values(p->figure, e, n);
    it->n = it->x && it->y ? n : 0;
}

void bex_panel_line(bex_panel *p, const double *x, const double *y, const double *error, int n,
                    const bex_mark *mark) {
    add_points(p, BEX_ITEM_LINE, x, y, error, n, mark, 0);
}

void bex_panel_path(bex_panel *p, const double *x, const double *y, int n, const bex_mark *mark) {
    add_points(p, BEX_ITEM_PATH, x, y, NULL, n, mark, BEX_BLUE);
}

void bex_panel_scatter(bex_panel *p, const double *x, const double *y, int n,
                       const bex_mark *mark) {
    add_points(p, BEX_ITEM_SCATTER, x, y, NULL, n, mark, 0);
}

void bex_panel_symbol(bex_panel *p, double x, double y, const bex_mark *mark) {
    add_points(p, BEX_ITEM_SYMBOL, &x, &y, NULL, 1, mark, BEX_BLACK);
}

void bex_panel_histogram(bex_panel *p, const double *values, int n, int bins,
                         const bex_mark *mark) {
    BEX_CHECK(bins > 0, "%d bins", bins);
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < n; i++)
        if (isfinite(values[i]) && !(p->log_x && values[i] <= 0))
            lo = fmin(lo, values[i]), hi = fmax(hi, values[i]);
    if (p->fixed_x) lo = p->x_range[0], hi = p->x_range[1];
    if (lo > hi) return;
    bex_axis scale = {.lo = lo, .hi = hi, .log = p->log_x};
    if (lo == hi && p->log_x)
        scale.lo /= 2, scale.hi *= 2;
    else if (lo == hi)
        scale.lo -= 0.5, scale.hi += 0.5;
    bex_item *it = add(p, BEX_ITEM_BARS, mark, 0);
    if (!it) return;
    it->x = calloc((size_t)bins + 1, sizeof *it->x);
    it->y = calloc((size_t)bins, sizeof *it->y);
    if (!it->x || !it->y) {
        p->figure->failed = true;
        return;
    }
    it->n = bins;
    for (int i = 0; i <= bins; i++) {
        double t = (double)i / bins;
        it->x[i] = scale.log ? scale.lo * pow(scale.hi / scale.lo, t)
                             : scale.lo + t * (scale.hi - scale.lo);
    }
    for (int i = 0; i < n; i++) {
        double t = bex_axis_place(&scale, values[i]);
        if (t >= 0 && t <= 1) it->y[t >= 1 ? bins - 1 : (int)(t * bins)]++;
    }
}

void bex_panel_bar(bex_panel *p, double x, double breadth, double height, double error,
                   const bex_mark *mark) {
    bex_item *it = add(p, BEX_ITEM_BARS, mark, 0);
    if (!it) return;
    double edges[] = {x - 0.5 * breadth, x + 0.5 * breadth};
    it->x = copy_values(p->figure, edges, 2);
    it->y = copy_values(p->figure, &height, 1);
    it->e = isnan(error) ? NULL : copy_values(p->figure, &error, 1);
    it->n = it->x && it->y ? 1 : 0;
}

void bex_panel_heat(bex_panel *p, const double *values, int rows, int columns, double x0, double x1,
                    double y0, double y1, double lo, double hi, const char *label) {
    BEX_CHECK(rows > 0 && columns > 0 && rows <= 1 << 14 && columns <= 1 << 14, "heat (%d, %d)",
              rows, columns);
    bex_item *it = add(p, BEX_ITEM_HEAT, NULL, BEX_BLACK);
    if (!it) return;
    it->y = copy_values(p->figure, values, rows * columns);
    it->rows = it->y ? rows : 0, it->columns = columns;
    if (lo >= hi) {
        lo = INFINITY, hi = -INFINITY;
        for (int i = 0; i < rows * columns; i++)
            if (isfinite(values[i])) lo = fmin(lo, values[i]), hi = fmax(hi, values[i]);
        if (lo > hi) lo = 0, hi = 1;
        if (lo == hi) hi = lo + 1;
    }
    it->lo = lo, it->hi = hi;
    it->box[0] = x0, it->box[1] = x1, it->box[2] = y0, it->box[3] = y1;
    it->text = copy_text(p->figure, label);
}

void bex_panel_rectangle(bex_panel *p, double x0, double y0, double x1, double y1,
                         const bex_mark *mark) {
    bex_item *it = add(p, BEX_ITEM_RECTANGLE, mark, BEX_WALL);
    if (!it) return;
    it->box[0] = x0, it->box[1] = x1, it->box[2] = y0, it->box[3] = y1;
}

void bex_panel_text(bex_panel *p, double x, double y, const char *text, int align,
                    const bex_mark *mark) {
    bex_item *it = add(p, BEX_ITEM_TEXT, mark, BEX_BLACK);
    if (!it) return;
    it->x = copy_values(p->figure, &x, 1);
    it->y = copy_values(p->figure, &y, 1);
    it->n = it->x && it->y ? 1 : 0;
    it->text = copy_text(p->figure, text);
    it->align = align;
}

void bex_panel_hline(bex_panel *p, double y, const bex_mark *mark) {
    add_points(p, BEX_ITEM_HLINE, &y, &y, NULL, 1, mark, BEX_GREY);
}

void bex_panel_vline(bex_panel *p, double x, const bex_mark *mark) {
    add_points(p, BEX_ITEM_VLINE, &x, &x, NULL, 1, mark, BEX_GREY);
}

/* ---- axes ---- */
static void widen(double range[2], double v, bool log) {
    if (!isfinite(v) || (log && v <= 0)) return;
    range[0] = fmin(range[0], v), range[1] = fmax(range[1], v);
}

static void widen_by(const bex_panel *p, const bex_item *it, double x[2], double y[2]) {
    bool bars = it->kind == BEX_ITEM_BARS;
    bool boxed = it->kind == BEX_ITEM_HEAT || it->kind == BEX_ITEM_RECTANGLE;
    for (int i = 0; i < it->n + bars; i++)
        if (it->kind != BEX_ITEM_HLINE) widen(x, it->x[i], p->log_x);
    for (int i = 0; i < it->n; i++) {
        if (it->kind == BEX_ITEM_VLINE) continue;
        widen(y, it->y[i], p->log_y);
        if (it->e) widen(y, it->y[i] - it->e[i], p->log_y), widen(y, it->y[i] + it->e[i], p->log_y);
    }
    if (bars) widen(y, 0, p->log_y);
    for (int i = 0; boxed && i < 2; i++)
        widen(x, it->box[i], p->log_x), widen(y, it->box[2 + i], p->log_y);
}

// room around fitted data: 5 % of its extent, in decades on a logarithmic axis
static void pad(double r[2], bool log, bool below, bool above) {
    if (!(r[0] < r[1])) return;
    double by = log ? pow(r[1] / r[0], 0.05) : 0.05 * (r[1] - r[0]);
    if (below) r[0] = log ? r[0] / by : r[0] - by;
    if (above) r[1] = log ? r[1] * by : r[1] + by;
}

static bool has(const bex_panel *p, bex_item_kind kind) {
    for (int i = 0; i < p->count; i++)
        if (p->items[i].kind == kind) return true;
    return false;
}

// lowest value itself, error bands aside
static double lowest(const bex_panel *p) {
    double low = INFINITY;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < p->items[i].n; k++)
            if (p->items[i].kind != BEX_ITEM_VLINE && isfinite(p->items[i].y[k]))
                low = fmin(low, p->items[i].y[k]);
    return low;
}

// curves span the width; points and logarithmic bars get room; y starts at 0 where 0 is near
static void room_for_marks(const bex_panel *p, double x[2], double y[2]) {
    bool scattered = has(p, BEX_ITEM_SCATTER);
    pad(x, p->log_x, scattered, scattered);
    if (p->log_y) {
        pad(y, true, true, true);
        return;
    }
    bool from_zero = lowest(p) >= 0 && y[0] < 0.3 * y[1];
    if (from_zero) y[0] = 0;
    pad(y, false, !from_zero, true);
}

void bex_panel_axes(const bex_panel *p, bex_axis *ax, bex_axis *ay) {
    double x[2] = {INFINITY, -INFINITY}, y[2] = {INFINITY, -INFINITY};
    for (int i = 0; i < p->count; i++) widen_by(p, &p->items[i], x, y);
    // maps keep their extent
    if (!(p->aspect > 0) && !has(p, BEX_ITEM_HEAT)) room_for_marks(p, x, y);
    if (p->name_count) x[0] = fmin(x[0], -0.6), x[1] = fmax(x[1], p->name_count - 0.4);
    if (p->fixed_x) x[0] = p->x_range[0], x[1] = p->x_range[1];
    if (p->fixed_y) y[0] = p->y_range[0], y[1] = p->y_range[1];
    int most_x = (int)(p->figure->width / 44), most_y = (int)(p->figure->height / 24);
    bex_axis_fit(ax, x[0], x[1], p->log_x, x[0] < x[1], most_x);
    bex_axis_fit(ay, y[0], y[1], p->log_y, y[0] < y[1], most_y);
    if (!p->name_count) return;
    ax->count = p->name_count < BEX_AXIS_TICKS ? p->name_count : BEX_AXIS_TICKS;
    for (int i = 0; i < ax->count; i++) ax->at[i] = i, ax->text[i][0] = 0;
}
