/* Parsing and its mistakes, the offset trap, and shortest ways against tabular Q-iteration. */
#include "env/maze/maze.h"

#include "base/error.h"
#include "base/rng.h"
#include "env/maze/maze2d.h"

#include "test.h"

#include <math.h>

static bex_maze *maze_of(const char *text) {
    bex_maze *m;
    if (bex_maze_parse(&m, text, strlen(text), "m.txt") < 0) fail_msg("%s", bex_error());
    return m;
}

static void layouts_have_their_cells(void **state) {
    (void)state;
    static const struct {
        const bex_env_class *class;
        int rows, cols, cells, goal[2];
    } known[] = {{&bex_maze2d_umaze, 5, 5, 7, {1, 1}},
                 {&bex_maze2d_medium, 8, 8, 26, {6, 6}},
                 {&bex_maze2d_large, 9, 12, 46, {7, 9}},
                 {&bex_maze2d_open, 5, 7, 15, {2, 3}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bex_maze *m = maze_of(known[i].class->variant);
        assert_int_equal(m->rows, known[i].rows);
        assert_int_equal(m->cols, known[i].cols);
        assert_int_equal(m->cells, known[i].cells);
        assert_int_equal(m->at[m->goal][0], known[i].goal[0]);
        assert_int_equal(m->at[m->goal][1], known[i].goal[1]);
        for (int cell = 0; cell < m->cells; cell++)
            assert_int_equal(bex_maze_cell(m, m->at[cell][0], m->at[cell][1]), cell);
        bex_maze_free(m);
    }
}

static void comments_blanks_and_line_ends(void **state) {
    (void)state;
    bex_maze *m = maze_of("; a corridor\r\n\r\n#####\r\n#.OG#  \r\n#####");
    assert_int_equal(m->rows, 3);
    assert_int_equal(m->cells, 3);
    assert_int_equal(m->goal, 2);
    bex_maze_free(m);
}

static void each_mistake_has_its_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *part;
    } bad[] = {
        {"####\n#O#\n####\n", "line 2 has 3 columns, the first row has 4"},
        {"####\n####\n####\n", "no free cell"},
        {"", "no free cell"},
        {"#####\n#O#O#\n#####\n", "cell 1,3 cannot be reached from 1,1"},
        {"####\n#xO#\n####\n", "line 2, column 2: 'x'"},
        {"####\n#\x01O#\n####\n", "byte 0x01"},
        {"####\n#OO.\n####\n", "cell 1,3 is free but on the border"},
        {"####\n#GG#\n####\n", "a second goal"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bex_maze *m;
        assert_true(bex_maze_parse(&m, bad[i].text, strlen(bad[i].text), "m.txt") < 0);
        assert_null(m);
        assert_message("m.txt: ");
        assert_message(bad[i].part);
    }
    char wide[70], tall[70 * 4];
    memset(wide, '#', sizeof wide);
    bex_maze *m;
    assert_true(bex_maze_parse(&m, wide, 65, "m.txt") < 0);
    assert_message("65 columns, at most 64");
    for (int i = 0; i < 70; i++) memcpy(tall + 4 * i, "###\n", 4);
    assert_true(bex_maze_parse(&m, tall, sizeof tall, "m.txt") < 0);
    assert_message("more than 64 rows");
    assert_true(bex_maze_parse(&m, "##\0#", 4, "m.txt") < 0);
    assert_message("byte 0x00");
    assert_true(bex_maze_load(&m, "no/such/maze.txt") < 0);
    assert_message("no/such/maze.txt");
}

static void the_offset_trap(void **state) {
    (void)state;
    bex_maze *m = maze_of(bex_maze2d_medium.variant);
    int cell = bex_maze_cell(m, 1, 2), right = bex_maze_cell(m, 1, 1);
    // the cell spans [w-0.7, w+0.3]
    assert_int_equal(bex_maze_cell_at(m, 0.31, 2.29), cell);
    assert_int_equal(bex_maze_cell_at(m, 1.29, 1.31), cell);
    assert_int_equal(bex_maze_cell_at(m, 1, 1.29), right);
    assert_int_equal(bex_maze_cell_at(m, 0.29, 2), -1);
    assert_int_equal(bex_maze_cell_at(m, 1, 2.31), -1);
    // rounding disagrees with it between 0.3 and 0.5, and is kept where it names a free cell
    assert_int_equal(bex_maze_cell_rounded(m, 1, 1.45), right);
    assert_int_equal(bex_maze_cell_at(m, 1, 1.45), cell);
    assert_int_equal(bex_maze_cell_rounded(m, 0.41, 2), cell); // rounds into the wall
    assert_int_equal(bex_maze_cell_at(m, (double)NAN, 1), -1);
    assert_int_equal(bex_maze_cell_rounded(m, 1, (double)INFINITY), -1);
    assert_int_equal(bex_maze_cell_at(m, -1e300, 1), -1);
    bex_maze_free(m);
}

/* D4RL's planner as the facts state it: actions stay, h-1, h+1, w-1, w+1; reward 1 in the target
 * cell; gamma 0.99; 50 sweeps; greedy by the first largest. */
static int q_greedy(const bex_maze *m, const double *v, int cell, double *best) {
    static const int move[5][2] = {{0, 0}, {0, -1}, {0, 1}, {-1, 0}, {1, 0}};
    int chosen = -1;
    for (int a = 0; a < 5; a++) {
        int next = bex_maze_cell(m, m->at[cell][0] + move[a][0], m->at[cell][1] + move[a][1]);
        if (next < 0) next = cell;
        if (chosen < 0 || v[next] > *best) chosen = next, *best = v[next];
    }
    return chosen;
}

static void check_against_q_iteration(const bex_maze *m) {
    enum { MOST = 4096 };
    static double v[MOST], fresh[MOST];
    static int steps[MOST], queue[MOST];
    for (int target = 0; target < m->cells; target++) {
        double best;
        memset(v, 0, sizeof v);
        for (int sweep = 0; sweep < 50; sweep++) {
            for (int c = 0; c < m->cells; c++) {
                q_greedy(m, v, c, &best);
                fresh[c] = (c == target) + 0.99 * best;
            }
            memcpy(v, fresh, sizeof v);
        }
        bex_maze_distances(m, target, steps, queue);
        for (int c = 0; c < m->cells; c++) {
            assert_true(steps[c] < 50);
            assert_int_equal(bex_maze_next(m, steps, c), q_greedy(m, v, c, &best));
        }
        // and the way has exactly as many moves as the distance
        for (int c = 0; c < m->cells; c++) {
            int moves = 0;
            for (int at = c; at != target; at = bex_maze_next(m, steps, at)) moves++;
            assert_int_equal(moves, steps[c]);
        }
    }
}

static void ways_equal_q_iteration(void **state) {
    (void)state;
    const bex_env_class *class[] = {&bex_maze2d_umaze, &bex_maze2d_medium, &bex_maze2d_large,
                                    &bex_maze2d_open};
    for (int i = 0; i < 4; i++) {
        bex_maze *m = maze_of(class[i] -> variant);
        check_against_q_iteration(m);
        bex_maze_free(m);
    }
    // random mazes with rooms: many ties
    bex_rng rng = bex_rng_seed(5);
    for (int tried = 0, used = 0; used < 5 && tried < 1000; tried++) {
        char text[10 * 11];
        for (int r = 0; r < 10; r++)
            for (int c = 0; c < 11; c++) {
                int border = r == 0 || r == 9 || c == 0 || c == 9;
                text[r * 11 + c] = c == 10                                  ? '\n'
                                   : border || bex_rng_uniform(&rng) < 0.15 ? '#'
                                                                            : 'O';
            }
        bex_maze *m;
        if (bex_maze_parse(&m, text, sizeof text, "random") < 0) continue;
        check_against_q_iteration(m);
        bex_maze_free(m);
        used++;
    }
}

static void medium_distances_of_the_facts(void **state) {
    (void)state;
    // the AntMaze goals on the same layout: 10, 8, 7 and 9 cells from (1,1), the farthest cell 11
    static const int goal[4][3] = {{6, 6, 10}, {1, 5, 8}, {6, 1, 7}, {6, 3, 9}};
    bex_maze *m = maze_of(bex_maze2d_medium.variant);
    int steps[26], queue[26], farthest = 0;
    bex_maze_distances(m, bex_maze_cell(m, 1, 1), steps, queue);
    for (int i = 0; i < 4; i++)
        assert_int_equal(steps[bex_maze_cell(m, goal[i][0], goal[i][1])], goal[i][2]);
    for (int i = 0; i < 26; i++) farthest = steps[i] > farthest ? steps[i] : farthest;
    assert_int_equal(farthest, 11);
    bex_maze_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_have_their_cells),
        cmocka_unit_test(comments_blanks_and_line_ends),
        cmocka_unit_test(each_mistake_has_its_line),
        cmocka_unit_test(the_offset_trap),
        cmocka_unit_test(ways_equal_q_iteration),
        cmocka_unit_test(medium_distances_of_the_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
