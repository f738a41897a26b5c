/* report/map.c - shapes and paths of results.json into a panel. */
#include "report/map.h"

#include "base/error.h"
#include "draw/walls.h"

#include <math.h>
#include <stdlib.h>

static bool read_box(double box[4], const json_t *shape) {
    for (size_t k = 0; k < 4; k++) {
        const json_t *v = json_array_get(shape, k);
        if (!json_is_number(v)) return false;
        box[k] = json_number_value(v);
    }
    return true;
}

static void draw_centres(bex_panel *p, const json_t *shapes, const bex_mark *mark) {
    double b[4];
    for (size_t i = 0; i < json_array_size(shapes); i++)
        if (read_box(b, json_array_get(shapes, i))) bex_panel_symbol(p, b[0], -b[1], mark);
}

static void draw_walls(bex_panel *p, const json_t *shapes) {
    size_t n = json_array_size(shapes);
    bex_wall *walls = malloc((n + 1) * sizeof *walls);
    BEX_CHECK(walls, "out of memory for %zu walls", n);
    int count = 0;
    for (size_t i = 0; i < n; i++) {
        double b[4];
        if (read_box(b, json_array_get(shapes, i)))
            walls[count++] = (bex_wall){b[0], b[1], b[2], b[3]};
    }
    bex_panel_walls(p, walls, count);
    free(walls);
}

bool bex_map_walls(bex_panel *p, const json_t *results) {
    const json_t *map = json_object_get(results, "map"), *walls = json_object_get(map, "walls");
    bex_panel_aspect(p, 1);
    bex_panel_hide_axes(p);
    draw_walls(p, walls);
    // a start anywhere is no start: only a single one is worth a sign
    const json_t *start = json_object_get(map, "start"), *goal = json_object_get(map, "goal");
    if (json_array_size(start) == 1)
        draw_centres(p, start, &(bex_mark){.start = true, .colour = BEX_BLACK, .size = 8});
    if (json_array_size(goal) == 1)
        draw_centres(p, goal, &(bex_mark){.goal = true, .colour = BEX_ORANGE, .size = 10});
    return json_array_size(walls) > 0;
}

void bex_map_visits(bex_panel *p, const bex_grid *g, double low, double high) {
    size_t n = (size_t)g->rows * (size_t)g->columns;
    double *v = malloc((n + 1) * sizeof *v), all = 0;
    BEX_CHECK(v, "out of memory for a map of %zu", n);
    for (size_t i = 0; i < n; i++) all += g->count[i];
    for (int r = 0; r < g->rows; r++)
        for (int c = 0; c < g->columns; c++) {
            double count = g->count[r * g->columns + c];
            // row 0 of a heat map is at the bottom
            v[(g->rows - 1 - r) * g->columns + c] =
                count > 0 ? fmax(log10(count / all), low) : (double)NAN;
        }
    bex_panel_heat(p, v, g->rows, g->columns, g->left, g->left + g->unit * g->columns,
                   -g->top - g->unit * g->rows, -g->top, low, high, NULL);
    free(v);
}

void bex_map_path(bex_panel *p, const json_t *points, const bex_mark *mark) {
    size_t n = json_array_size(points), used = 0;
    double *x = malloc(2 * (n + 1) * sizeof *x), *y = x + n + 1;
    BEX_CHECK(x, "out of memory for a path of %zu", n);
    for (size_t i = 0; i < n; i++) {
        const json_t *point = json_array_get(points, i);
        const json_t *right = json_array_get(point, 0), *down = json_array_get(point, 1);
        if (!json_is_number(right) || !json_is_number(down)) continue;
        x[used] = json_number_value(right), y[used++] = -json_number_value(down);
    }
    bex_panel_path(p, x, y, (int)used, mark);
    free(x);
}
