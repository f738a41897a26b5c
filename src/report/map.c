/* report/map.c - shapes and paths of an exploration into a panel. */
#include "report/map.h"

#include "base/error.h"
#include "draw/walls.h"

#include <math.h>
#include <stdlib.h>

static void draw_centre(bex_panel *p, const bex_boxes *boxes, const bex_mark *mark) {
    // a start anywhere is no start: only a single one is worth a sign
    if (boxes->n == 1) bex_panel_symbol(p, boxes->at[0][0], -boxes->at[0][1], mark);
}

static void draw_walls(bex_panel *p, const bex_boxes *boxes) {
    bex_wall *walls = malloc(((size_t)boxes->n + 1) * sizeof *walls);
    BEX_CHECK(walls, "out of memory for %d walls", boxes->n);
    for (int i = 0; i < boxes->n; i++) {
        const double *b = boxes->at[i];
        walls[i] = (bex_wall){b[0], b[1], b[2], b[3]};
    }
    bex_panel_walls(p, walls, boxes->n);
    free(walls);
}

bool bex_map_walls(bex_panel *p, const bex_exploration_summary *s) {
    bex_panel_aspect(p, 1);
    bex_panel_hide_axes(p);
    draw_walls(p, &s->walls);
    draw_centre(p, &s->start_boxes, &(bex_mark){.start = true, .colour = BEX_BLACK, .size = 8});
    draw_centre(p, &s->goal_boxes, &(bex_mark){.goal = true, .colour = BEX_ORANGE, .size = 10});
    return s->walls.n > 0;
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

void bex_map_path(bex_panel *p, const bex_path *path, const bex_mark *mark) {
    size_t n = (size_t)path->n;
    double *x = malloc(2 * (n + 1) * sizeof *x), *y = x + n + 1;
    BEX_CHECK(x, "out of memory for a path of %zu", n);
    for (size_t i = 0; i < n; i++) x[i] = path->at[i][0], y[i] = -path->at[i][1];
    bex_panel_path(p, x, y, path->n, mark);
    free(x);
}
