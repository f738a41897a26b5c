/* Where episodes end: every rule, alone and together, on rows made by hand. */
#include "data/split.h"

#include "base/error.h"
#include "test.h"

static void expect(const bex_split *split, const unsigned char *terminals,
                   const unsigned char *timeouts, const bex_real *obs, int rows, int O,
                   const int *starts, int episodes) {
    int *start, n;
    assert_int_equal(bex_split_rows(&start, &n, split, terminals, timeouts, obs, rows, O), 0);
    assert_int_equal(n, episodes);
    for (int e = 0; e < n; e++) assert_int_equal(start[e], starts[e]);
    assert_int_equal(start[n], rows);
    free(start);
}

static void flags(void **state) {
    (void)state;
    bex_split s = BEX_SPLIT_INIT;
    unsigned char none[6] = {0}, a[6] = {0, 1, 0, 0, 0, 1}, b[6] = {0, 0, 0, 1, 0, 0};
    expect(&s, a, b, NULL, 6, 0, (int[]){0, 2, 4}, 3);
    expect(&s, a, NULL, NULL, 6, 0, (int[]){0, 2}, 2);
    expect(&s, NULL, b, NULL, 6, 0, (int[]){0, 4}, 2);
    expect(&s, none, none, NULL, 6, 0, (int[]){0}, 1);
    expect(&s, a, b, NULL, 1, 0, (int[]){0}, 1);
    s.rules = BEX_SPLIT_TIMEOUTS;
    expect(&s, a, b, NULL, 6, 0, (int[]){0, 4}, 2);
    s.rules = BEX_SPLIT_TERMINALS;
    expect(&s, a, b, NULL, 6, 0, (int[]){0, 2}, 2);
}

// AntMaze: rows 1, 2, 4 near the goal; only the literal rule cuts there
static void terminals_in_runs(void **state) {
    (void)state;
    bex_split s = BEX_SPLIT_INIT;
    unsigned char runs[7] = {0, 1, 1, 0, 1, 0, 0}, timeouts[7] = {0, 0, 0, 0, 0, 1, 0};
    expect(&s, runs, timeouts, NULL, 7, 0, (int[]){0, 6}, 2);
    s.rules = BEX_SPLIT_TERMINALS | BEX_SPLIT_TIMEOUTS;
    expect(&s, runs, timeouts, NULL, 7, 0, (int[]){0, 2, 3, 5, 6}, 5);
}

static void length(void **state) {
    (void)state;
    bex_split s = BEX_SPLIT_INIT;
    s.length = 3;
    unsigned char terminals[8] = {0, 1, 0, 0, 0, 0, 0, 0};
    expect(&s, terminals, NULL, NULL, 8, 0, (int[]){0, 2, 5}, 3);
    s.rules = BEX_SPLIT_LENGTH;
    expect(&s, terminals, NULL, NULL, 8, 0, (int[]){0, 3, 6}, 3);
    s.length = 0;
    int *start, n;
    assert_int_equal(bex_split_rows(&start, &n, &s, NULL, NULL, NULL, 8, 0), -1);
}

static void jumps(void **state) {
    (void)state;
    enum { ROWS = 40, O = 3 };
    bex_real obs[ROWS * O];
    unsigned char timeouts[ROWS] = {0};
    for (int t = 0; t < ROWS; t++) {
        obs[t * O] = R(0.1) * R(t) + (t > 25 ? R(-9) : R(0)); // a reset after row 25
        obs[t * O + 1] = R(0.05) * R(t % 2);
        obs[t * O + 2] = t == 10 ? R(1e6) : R(0); // not a position
    }
    timeouts[23] = 1; // misplaced, two rows early
    bex_split s = BEX_SPLIT_INIT;
    expect(&s, NULL, timeouts, obs, ROWS, O, (int[]){0, 24}, 2);
    s.rules = BEX_SPLIT_JUMPS;
    expect(&s, NULL, timeouts, obs, ROWS, O, (int[]){0, 26}, 2);
    s.rules |= BEX_SPLIT_TIMEOUTS;
    expect(&s, NULL, timeouts, obs, ROWS, O, (int[]){0, 24, 26}, 3);
    s.rules = BEX_SPLIT_JUMPS;
    s.jump = 20;
    expect(&s, NULL, timeouts, obs, ROWS, O, (int[]){0}, 1);
    s.position[0] = 2, s.position[1] = 2;
    expect(&s, NULL, timeouts, obs, ROWS, O, (int[]){0, 10, 11}, 3);
    // nothing moves: no scale, no jump
    memset(obs, 0, sizeof obs);
    s = BEX_SPLIT_INIT;
    s.rules = BEX_SPLIT_JUMPS;
    expect(&s, NULL, NULL, obs, ROWS, O, (int[]){0}, 1);
}

static void names(void **state) {
    (void)state;
    unsigned rules;
    assert_int_equal(bex_split_parse(&rules, "timeouts,jumps"), 0);
    assert_int_equal(rules, BEX_SPLIT_TIMEOUTS | BEX_SPLIT_JUMPS);
    assert_int_equal(bex_split_parse(&rules, "flags"), 0);
    assert_int_equal(rules, BEX_SPLIT_FLAGS);
    assert_int_equal(bex_split_parse(&rules, "jump"), -1);
    assert_message("'jump'");
    assert_int_equal(bex_split_parse(&rules, "flags,"), -1);
    assert_int_equal(bex_split_parse(&rules, ""), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(flags), cmocka_unit_test(terminals_in_runs),
                                       cmocka_unit_test(length), cmocka_unit_test(jumps),
                                       cmocka_unit_test(names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
