/* draw/walls.c - runs along rows, then along columns. */
#include "draw/walls.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR 1e-6 // of a size: what counts as the same line, and as touching

static int compare(double a, double b) {
    return (a > b) - (a < b);
}

static int by_rows(const void *a, const void *b) {
    const bex_wall *x = a, *y = b;
    int line = compare(x->down, y->down);
    return line ? line : compare(x->right, y->right);
}

static int by_columns(const void *a, const void *b) {
    const bex_wall *x = a, *y = b;
    int line = compare(x->right, y->right);
    return line ? line : compare(x->down, y->down);
}

// whether b goes on where the run ends: on one line, equally wide, touching
static bool goes_on(const bex_wall *run, const bex_wall *b, bool down) {
    double along = down ? b->down - run->down : b->right - run->right;
    double across = down ? b->right - run->right : b->down - run->down;
    double reach = down ? run->half_down + b->half_down : run->half_right + b->half_right;
    double width = down ? run->half_right : run->half_down;
    double other = down ? b->half_right : b->half_down;
    return fabs(across) <= NEAR * width && fabs(width - other) <= NEAR * width &&
           along <= reach * (1 + NEAR);
}

static void join(bex_wall *run, const bex_wall *b, bool down) {
    double *middle = down ? &run->down : &run->right;
    double *half = down ? &run->half_down : &run->half_right;
    double first = *middle - *half, last = *middle + *half;
    double end = down ? b->down + b->half_down : b->right + b->half_right;
    if (end > last) last = end;
    *middle = (first + last) / 2, *half = (last - first) / 2;
}

static void draw_runs(bex_panel *p, bex_wall *walls, int count, bool down) {
    qsort(walls, (size_t)count, sizeof *walls, down ? by_columns : by_rows);
    for (int i = 0; i < count;) {
        bex_wall run = walls[i++];
        while (i < count && goes_on(&run, &walls[i], down)) join(&run, &walls[i++], down);
        bex_panel_rectangle(p, run.right - run.half_right, -(run.down + run.half_down),
                            run.right + run.half_right, -(run.down - run.half_down),
                            &(bex_mark){.colour = BEX_WALL});
    }
}

void bex_panel_walls(bex_panel *p, const bex_wall *walls, int count) {
    bex_wall *sorted = malloc(((size_t)count + 1) * sizeof *sorted);
    BEX_CHECK(sorted, "out of memory for %d walls", count);
    if (count) memcpy(sorted, walls, (size_t)count * sizeof *sorted);
    draw_runs(p, sorted, count, false);
    draw_runs(p, sorted, count, true);
    free(sorted);
}
