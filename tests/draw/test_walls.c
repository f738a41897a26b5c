/* Walls that touch become one rectangle along a row or a column; all of them are covered, nothing else is. */
#include "draw/walls.h"

#include "draw/figure_model.h"

#include "test.h"

#include <math.h>

enum { ROWS = 7, COLUMNS = 9 };
static const char plan[ROWS][COLUMNS + 1] = {"#########", "#..##...#", "#..#..#.#", "##....#.#",
                                             "#..##..##", "#..#....#", "#########"};

// how many rectangles of the panel hold the point
static int covered(const bex_panel *p, double right, double down) {
    int n = 0;
    for (int i = 0; i < p->count; i++) {
        const double *b = p->items[i].box;
        n += right > b[0] && right < b[1] && -down > b[2] && -down < b[3];
    }
    return n;
}

static void runs_cover_the_plan(void **state) {
    (void)state;
    bex_wall walls[ROWS * COLUMNS];
    int n = 0;
    // in an order of no use, at an odd origin
    for (int i = 0, at = 0; i < ROWS * COLUMNS; i++, at = (at + 22) % (ROWS * COLUMNS))
        if (plan[at / COLUMNS][at % COLUMNS] == '#')
            walls[n++] = (bex_wall){2 * (at % COLUMNS) - 0.2, 2 * (at / COLUMNS) - 0.7, 1, 1};
    bex_figure *f = bex_figure_new(1, 1, 100, 100);
    bex_panel *p = bex_figure_panel(f, 0, 0);
    bex_panel_walls(p, walls, n);
    for (int at = 0; at < ROWS * COLUMNS; at++) {
        double right = 2 * (at % COLUMNS) - 0.2, down = 2 * (at / COLUMNS) - 0.7;
        int times = covered(p, right, down);
        assert_int_equal(times, plan[at / COLUMNS][at % COLUMNS] == '#' ? 2 : 0); // row and column
    }
    // the seams of the upper wall are inside a rectangle, and it ends where the wall does
    for (int c = 0; c < COLUMNS - 1; c++) assert_true(covered(p, 2 * c + 0.8, -0.7) > 0);
    double left = 1e9, right = -1e9;
    for (int i = 0; i < p->count; i++) {
        left = fmin(left, p->items[i].box[0]), right = fmax(right, p->items[i].box[1]);
        assert_int_equal(p->items[i].kind, BEX_ITEM_RECTANGLE);
    }
    assert_true(fabs(left + 1.2) < 1e-12 && fabs(right - 16.8) < 1e-12);
    int runs = 0; // where a row's or a column's begins
    for (int at = 0; at < ROWS * COLUMNS; at++) {
        int r = at / COLUMNS, c = at % COLUMNS;
        if (plan[r][c] != '#') continue;
        runs += (c == 0 || plan[r][c - 1] != '#') + (r == 0 || plan[r - 1][c] != '#');
    }
    assert_int_equal(p->count, runs);
    bex_figure_free(f);
}

static void what_does_not_touch_stays_apart(void **state) {
    (void)state;
    static const bex_wall walls[] = {{0, 0, 1, 1}, {2.5, 0, 1, 1}, {0, 2, 2, 1}};
    bex_figure *f = bex_figure_new(1, 1, 100, 100);
    bex_panel *p = bex_figure_panel(f, 0, 0);
    bex_panel_walls(p, walls, 3);
    assert_int_equal(p->count, 6);
    assert_int_equal(covered(p, 1.25, 0), 0);
    assert_int_equal(covered(p, 1.5, 2), 2);
    bex_panel_walls(p, NULL, 0);
    assert_int_equal(p->count, 6);
    bex_figure_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_cover_the_plan),
        cmocka_unit_test(what_does_not_touch_stays_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
