/* The three forms of exp: reading them, refusing them, and what they become. */
#include "coverage/coverage.h"
#include "coverage/target.h"

#include "sample.h"

static const bex_gram_shape shape = {3, false};

static void forms_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bex_exp_form form;
        double x;
    } cases[] = {
        {"q:0.95", BEX_TARGET_QUANTILE, 0.95}, {"q:0", BEX_TARGET_QUANTILE, 0},
        {"q:1", BEX_TARGET_QUANTILE, 1},       {"z:2", BEX_TARGET_Z, 2},
        {"z:-0.5", BEX_TARGET_Z, -0.5},        {"raw:1e-3", BEX_TARGET_RAW, 1e-3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bex_target e;
        assert_int_equal(bex_target_parse(&e, cases[i].text), 0);
        assert_int_equal(e.form, cases[i].form);
        assert_true(e.x == cases[i].x);
    }
}

static void bad_forms_are_explained(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", "none of q:, z: and raw:"},
        {"0.95", "none of"},
        {"Q:0.5", "none of"},
        {"q", "none of"},
        {"q:", "'' is not a finite number"},
        {"q:high", "'high' is not a finite number"},
        {"q:0.5x", "is not a finite number"},
        {"q: 0.5", "is not a finite number"},
        {"z:nan", "not a finite"},
        {"z:inf", "not a finite"},
        {"raw:1e999", "not a finite"},
        {"q:1.01", "a quantile lies in 0 to 1"},
        {"q:-0.1", "a quantile"},
        {"raw:0", "a coverage is above 0"},
        {"raw:-1", "a coverage"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bex_target e;
        assert_int_equal(bex_target_parse(&e, cases[i][0]), -1);
        assert_message(cases[i][1]);
    }
}

static double resolve(const char *text, const bex_condition *c, const double *history) {
    bex_target e;
    double value;
    assert_int_equal(bex_target_parse(&e, text), 0);
    assert_int_equal(bex_target_resolve(&value, e, c, history), 0);
    return value;
}

static void global_forms_need_no_history(void **state) {
    (void)state;
    bex_condition *c = need(bex_condition_new(BEX_NORMALISE_GLOBAL, shape, 0.01, NULL, 0));
    double x[] = {log(0.1), log(0.2), log(0.4)};
    assert_int_equal(bex_condition_fit(c, x, NULL, 3), 0);
    double z = log(2) / (log(2) * sqrt(2.0 / 3));
    assert_close(resolve("z:1.5", c, NULL), 1.5, 0);
    assert_close(resolve("raw:0.4", c, NULL), z, 1e-12);
    assert_close(resolve("q:1", c, NULL), z, 1e-12);
    assert_close(resolve("q:0.75", c, NULL), z / 2, 1e-12);
    assert_false(bex_target_needs_history((bex_target){BEX_TARGET_RAW, 1}, c));
    bex_condition_free(c);
}

static void raw_depends_on_the_history(void **state) {
    (void)state;
    size_t size = bex_gram_size(shape);
    double *bank = need(calloc(2 * size, sizeof *bank)), *h = empty_sum(shape);
    bex_real x[] = {1, 0, 0, 0, 1, 1};
    bex_gram_rows(shape, bank, x, 1, BEX_GRAM_ADD);
    bex_gram_rows(shape, bank + size, x, 2, BEX_GRAM_ADD);
    bex_condition *c = need(bex_condition_new(BEX_NORMALISE_HISTORY, shape, 0.01, bank, 2));
    bex_moments m = bex_condition_moments(c, h), both[2] = {m, m};
    assert_int_equal(bex_condition_fit(c, (double[]){m.mean - m.std, m.mean + m.std}, both, 2), 0);
    assert_true(bex_target_needs_history((bex_target){BEX_TARGET_RAW, 1}, c));
    assert_false(bex_target_needs_history((bex_target){BEX_TARGET_QUANTILE, 1}, c));
    assert_close(resolve("q:1", c, NULL), 1, 1e-12);
    // the better of two futures is one standard deviation up
    char text[64];
    snprintf(text, sizeof text, "raw:%.17g", bex_coverage(shape, bank + size, 0.01));
    double empty = resolve(text, c, h);
    assert_close(empty, 1, 1e-9);
    // once most is covered the same coverage is little
    for (int i = 0; i < 5; i++)
        bex_gram_rows(shape, h, (bex_real[]){1, 1, -1, 0, 1, -1}, 2, BEX_GRAM_ADD);
    assert_true(resolve(text, c, h) < empty - 1);
    h[0] = (double)NAN;
    double value;
    assert_int_equal(bex_target_resolve(&value, (bex_target){BEX_TARGET_RAW, 1}, c, h), -1);
    assert_message("not positive definite");
    bex_condition_free(c), free(bank), free(h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_are_read),
        cmocka_unit_test(bad_forms_are_explained),
        cmocka_unit_test(global_forms_need_no_history),
        cmocka_unit_test(raw_depends_on_the_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
