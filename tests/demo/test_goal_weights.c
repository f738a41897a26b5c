/* Texts that are understood, and those that are not. */
#include "demo/goal_weights.h"

#include "base/error.h"
#include "env/maze/maze2d.h"

#include "test.h"

#include <math.h>

static bex_maze *medium(void) {
    bex_maze *m;
    const char *text = bex_maze2d_medium.variant;
    assert_int_equal(bex_maze_parse(&m, text, strlen(text), "medium"), 0);
    return m;
}

static void rectangles_are_rare(void **state) {
    (void)state;
    bex_maze *m = medium();
    double w[26];
    assert_int_equal(bex_goal_weights(w, m, "4,1-6,2+1,5:0.5", -1), 0);
    for (int i = 0; i < 26; i++) {
        int r = m->at[i][0], c = m->at[i][1];
        double want = r >= 4 && c <= 2 ? 0.05 : r == 1 && c == 5 ? 0.5 : 1;
        assert_true(w[i] == want);
    }
    assert_int_equal(bex_goal_weights(w, m, "6,1:0", -1), 0);
    assert_true(w[bex_maze_cell(m, 6, 1)] == 0);
    bex_maze_free(m);
}

static void far_falls_with_the_way(void **state) {
    (void)state;
    bex_maze *m = medium();
    double w[26];
    int from = bex_maze_cell(m, 1, 1), far = bex_maze_cell(m, 6, 6);
    assert_int_equal(bex_goal_weights(w, m, "far:2", from), 0);
    assert_true(w[from] == 1 && fabs(w[far] - exp(-10 / 2.0)) < 1e-12);
    assert_int_equal(bex_goal_weights(w, m, "far", -1), 0); // 3, from the middle
    int centre = 0;
    for (int i = 0; i < 26; i++)
        if (w[i] == 1) centre = i;
    assert_in_range(m->at[centre][0], 3, 4);
    assert_in_range(m->at[centre][1], 2, 4);
    bex_maze_free(m);
}

static void wrong_texts_are_messages(void **state) {
    (void)state;
    bex_maze *m = medium();
    double w[26];
    const char *bad[] = {"",        "6",       "6,",      "6;1",       "6,1:", "6,1:x", "6,1:-1",
                         "6,1:nan", "6,1-",    "6,1-5",   "6,1+",      "+6,1", "far:",  "far:0",
                         "far:-2",  "farther", "6,1 5,1", "6,1:1e999", "a,b"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_true(bex_goal_weights(w, m, bad[i], -1) < 0);
        assert_message("not understood");
    }
    assert_true(bex_goal_weights(w, m, "0,0-0,7", -1) < 0);
    assert_message("no free cell in 0,0-0,7");
    assert_true(bex_goal_weights(w, m, "99999999999,1", -1) < 0);
    assert_message("no free cell");
    assert_true(bex_goal_weights(w, m, "0,0-7,7:0", -1) < 0);
    assert_message("no cell is left");
    bex_maze_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rectangles_are_rare),
        cmocka_unit_test(far_falls_with_the_way),
        cmocka_unit_test(wrong_texts_are_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
