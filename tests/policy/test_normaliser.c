/* States and actions there and back, constant dims, files. */
#include "base/error.h"
#include "policy/normaliser.h"

#include "test.h"

#include <float.h>
#include <math.h>

enum { ROWS = 101, O = 3, A = 3 };

// dim 0: far from the origin; dim 1: a ramp; dim 2: constant
static void make(bex_real *states, bex_real *actions) {
    for (int i = 0; i < ROWS; i++) {
        bex_real u = R(i) / R(ROWS - 1);
        states[i * O] = R(1000) + u, states[i * O + 1] = R(4) * u - R(2), states[i * O + 2] = R(7);
        actions[i * A] = u - R(0.3), actions[i * A + 1] = R(-5) * u, actions[i * A + 2] = R(0.25);
    }
}

static bex_normaliser fit(bex_real *states, bex_real *actions) {
    bex_normaliser n = {0};
    make(states, actions);
    if (bex_normaliser_fit(&n, states, actions, ROWS, O, A, true) < 0) fail_msg("%s", bex_error());
    return n;
}

static void states_become_standard(void **state) {
    (void)state;
    bex_real s[ROWS * O], a[ROWS * A], out[ROWS * O];
    bex_normaliser n = fit(s, a);
    bex_normalise_states(&n, out, s, ROWS);
    for (int j = 0; j < 2; j++) {
        double mean = 0, square = 0;
        for (int i = 0; i < ROWS; i++) mean += (double)out[i * O + j] / ROWS;
        for (int i = 0; i < ROWS; i++) square += pow((double)out[i * O + j] - mean, 2) / ROWS;
        assert_true(fabs(mean) < 1e-4);
        assert_true(fabs(square - 1) < 1e-3);
    }
    // a dropped dim is 0 whatever it becomes
    s[2] = R(1e30);
    bex_normalise_states(&n, out, s, 1);
    assert_true(out[2] == 0);
    bex_normaliser_fini(&n);
}

static void actions_come_back(void **state) {
    (void)state;
    bex_real s[ROWS * O], a[ROWS * A], unit[ROWS * A], back[ROWS * A];
    bex_normaliser n = fit(s, a);
    bex_normalise_actions(&n, unit, a, ROWS);
    bex_denormalise_actions(&n, back, unit, ROWS);
    for (int i = 0; i < ROWS * A; i++) {
        assert_true(unit[i] >= R(-1) - R(1e-6) && unit[i] <= R(1) + R(1e-6));
        assert_true(fabs((double)(back[i] - a[i])) < 1e-6);
    }
    assert_true(unit[2] == 0 && back[2] == R(0.25)); // constant
    assert_true(fabs((double)unit[0] + 1) < 1e-6 && fabs((double)unit[(ROWS - 1) * A] - 1) < 1e-6);
    bex_normaliser_fini(&n);
}

// what the contract promises: never past the demonstrations' range, even by rounding
static void actions_stay_in_range(void **state) {
    (void)state;
    bex_real s[ROWS * O], a[ROWS * A], out[A];
    bex_normaliser n = fit(s, a);
    for (int k = 0; k < 1000; k++) {
        bex_real x = R(-1) + R(2) * R(k) / R(999), in[A] = {x, x, x};
        bex_real low = R(-0.1) * R(k + 1) / R(7), high = low + R(0.3) / R(k + 1);
        n.low[0] = low, n.high[0] = high;
        in[1] = k % 2 ? R(1) : R(-1);
        bex_denormalise_actions(&n, out, in, 1);
        for (int j = 0; j < A; j++) assert_true(out[j] >= n.low[j] && out[j] <= n.high[j]);
    }
    bex_normaliser_fini(&n);
}

static void constants_are_refused(void **state) {
    (void)state;
    bex_real s[ROWS * O], a[ROWS * A];
    bex_normaliser n = {0};
    make(s, a);
    assert_true(bex_normaliser_fit(&n, s, a, ROWS, O, A, false) < 0);
    assert_message("observation dim 2 is constant (7)");
    assert_message("--data.drop_constant=true");
    assert_null(n.mean);
    // noise of the last bits is a constant too, a small but real change is not
    for (int i = 0; i < ROWS; i++) s[i * O + 2] = R(7) + (i % 2 ? R(1e-6) : R(0));
    assert_true(bex_normaliser_fit(&n, s, a, ROWS, O, A, false) < 0);
    for (int i = 0; i < ROWS; i++) s[i * O + 2] = R(1e-5) * R(i);
    assert_int_equal(bex_normaliser_fit(&n, s, a, ROWS, O, A, false), 0);
    bex_normaliser_fini(&n);
}

static bex_st_file *save_and_open(const bex_normaliser *n) {
    char path[600];
    snprintf(path, sizeof path, "%s", scratch_path("normaliser.safetensors"));
    bex_st_writer *w = bex_st_writer_new();
    bex_normaliser_save(n, w);
    assert_int_equal(bex_st_save(w, path), 0);
    bex_st_writer_free(w);
    bex_st_file *f = bex_st_load(path);
    unlink(path);
    assert_non_null(f);
    return f;
}

static void files_hold_it(void **state) {
    (void)state;
    bex_real s[ROWS * O], a[ROWS * A];
    bex_normaliser n = fit(s, a), back;
    bex_st_file *f = save_and_open(&n);
    assert_int_equal(bex_normaliser_load(&back, f, O, A), 0);
    assert_memory_equal(back.mean, n.mean, O * sizeof *n.mean);
    assert_memory_equal(back.std, n.std, O * sizeof *n.std);
    assert_memory_equal(back.low, n.low, A * sizeof *n.low);
    assert_memory_equal(back.high, n.high, A * sizeof *n.high);
    bex_normaliser_fini(&back);
    assert_true(bex_normaliser_load(&back, f, O + 1, A) < 0);
    assert_message("normaliser.state.mean");
    assert_true(bex_normaliser_load(&back, f, O, A + 1) < 0);
    assert_message("normaliser.action.low");
    bex_st_free(f);
    // values that make no sense
    n.std[1] = R(-1);
    f = save_and_open(&n);
    assert_true(bex_normaliser_load(&back, f, O, A) < 0);
    assert_message("normaliser.state.std");
    bex_st_free(f);
    n.std[1] = R(1), n.low[0] = n.high[0] + R(1);
    f = save_and_open(&n);
    assert_true(bex_normaliser_load(&back, f, O, A) < 0);
    assert_message("action dim 0");
    bex_st_free(f);
    bex_normaliser_fini(&n);
}

// the network's units are differences over the range: one that overflows gives actions that are no numbers
static void ranges_that_overflow_are_refused(void **state) {
    (void)state;
    bex_real s[ROWS * O], a[ROWS * A];
    bex_normaliser n = fit(s, a), back;
    n.low[1] = -FLT_MAX, n.high[1] = FLT_MAX;
    bool overflows = sizeof(bex_real) == sizeof(float);
    bex_st_file *f = save_and_open(&n);
    assert_int_equal(bex_normaliser_load(&back, f, O, A), overflows ? -1 : 0);
    if (overflows) assert_message("action dim 1: the range -3.40282e+38 to 3.40282e+38 overflows");
    bex_normaliser_fini(&back);
    bex_st_free(f);
    bex_normaliser_fini(&n);
    a[1] = -FLT_MAX, a[A + 1] = FLT_MAX;
    assert_int_equal(bex_normaliser_fit(&n, s, a, ROWS, O, A, false), overflows ? -1 : 0);
    if (overflows) assert_null(n.mean);
    bex_normaliser_fini(&n);
}

static void wild_readings_are_told(void **state) {
    (void)state;
    bex_real mean[3] = {1, -5, 0}, std[3] = {2, 0, R(1e-3)}, unused[1] = {0};
    bex_normaliser n = {.O = 3, .A = 1, .mean = mean, .std = std, .low = unused, .high = unused};
    static const struct {
        double x[3];
        const char *part; // NULL: a state
    } cases[] = {
        {{1, -5, 0}, NULL},
        {{1.9e6, 4e6, -999}, NULL},
        {{2.1e6, 0, 0}, "observation 0 of 3 is 2.1e+06, 1e+06 standard deviations"},
        {{0, -6e6, 0}, "observation 1 of 3 is -6e+06"},
        {{0, 0, 1001}, "observation 2 of 3 is 1001"},
        {{0, 0, 1e30}, "observation 2 of 3 is 1e+30"},
        {{-(double)FLT_MAX, 0, 0},
         "is -3.40282e+38, 1.7e+38 standard deviations from the "
         "demonstrations (no reading?)"},
        {{0, (double)NAN, 0}, "observation 1 of 3 is not finite"},
        {{0, 0, -(double)INFINITY}, "observation 2 of 3 is not finite"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bex_real s[3] = {R(cases[i].x[0]), R(cases[i].x[1]), R(cases[i].x[2])};
        assert_int_equal(bex_normaliser_check(&n, s, BEX_FARTHEST), cases[i].part ? -1 : 0);
        if (cases[i].part) assert_message(cases[i].part);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_become_standard),
        cmocka_unit_test(actions_come_back),
        cmocka_unit_test(actions_stay_in_range),
        cmocka_unit_test(constants_are_refused),
        cmocka_unit_test(files_hold_it),
        cmocka_unit_test(ranges_that_overflow_are_refused),
        cmocka_unit_test(wild_readings_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
