/* Known values: Student quantiles by bisection of the closed forms for whole degrees of freedom, a
 * Welch example and rank correlations worked in another language, and small cases by definition. */
#include "host/statistics.h"

#include "test.h"

#include <math.h>

#define assert_close(a, b, tolerance)                                                              \
    do {                                                                                           \
        double is = (a), want = (b);                                                               \
        if (!(fabs(is - want) <= (tolerance))) fail_msg("%.17g is not %.17g", is, want);           \
    } while (0)

static void estimates(void **state) {
    (void)state;
    double v[] = {2, 4, 4, 4, 5, 5, 7, 9};
    bex_estimate e = bex_estimate_of(v, 8);
    assert_close(e.mean, 5, 0);
    assert_close(e.deviation, sqrt(32.0 / 7), 1e-15);
    assert_close(e.error, sqrt(32.0 / 7 / 8), 1e-15);
    assert_int_equal(e.n, 8);
    // a large offset does not eat the variance
    double w[] = {1e9 + 1, 1e9 + 2, 1e9 + 3};
    assert_close(bex_estimate_of(w, 3).deviation, 1, 1e-12);
    assert_true(isnan(bex_estimate_of(v, 1).error) && bex_estimate_of(v, 1).mean == 2);
    assert_true(isnan(bex_estimate_of(NULL, 0).mean));
}

static void student(void **state) {
    (void)state;
    static const struct {
        double p, freedom, t;
    } table[] = {
        {0.975, 1, 12.706204736174676}, {0.975, 9, 2.262157162798204},
        {0.95, 2, 2.9199855803537216},  {0.995, 30, 2.749995653567225},
        {0.025, 9, -2.262157162798204}, {0.5, 3, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double t = bex_student_quantile(table[i].p, table[i].freedom);
        assert_close(t, table[i].t, 1e-11);
        assert_close(bex_student_cdf(t, table[i].freedom), table[i].p, 1e-13);
    }
    assert_close(bex_student_cdf(1, 1), 0.75, 1e-14); // Cauchy
    assert_close(bex_student_quantile(0.975, 1e7), 1.959964, 1e-6);
    assert_close(bex_student_cdf(-INFINITY, 4), 0, 0);
}

static void intervals(void **state) {
    (void)state;
    double v[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    bex_interval t = bex_interval_t(v, 10, 0.95);
    double reach = 2.262157162798204 * sqrt(55.0 / 6 / 10);
    assert_close(t.low, 5.5 - reach, 1e-11);
    assert_close(t.high, 5.5 + reach, 1e-11);
    // the bootstrap of a mean is near normal with the n (not n - 1) variance
    bex_interval b = bex_interval_bootstrap(v, 10, 0.95, 20000, bex_rng_seed(1));
    double normal = 1.96 * sqrt(8.25 / 10);
    assert_close(b.low, 5.5 - normal, 0.06);
    assert_close(b.high, 5.5 + normal, 0.06);
    bex_interval again = bex_interval_bootstrap(v, 10, 0.95, 20000, bex_rng_seed(1));
    assert_true(again.low == b.low && again.high == b.high);
    double flat[] = {0, 0, 0};
    b = bex_interval_bootstrap(flat, 3, 0.9, 50, bex_rng_seed(1));
    assert_true(b.low == 0 && b.high == 0);
    assert_true(isnan(bex_interval_t(v, 1, 0.95).low));
}

static void welch(void **state) {
    (void)state;
    double a[] = {27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1,
                  21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4};
    double b[] = {27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0,
                  24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 24.4};
    bex_difference d = bex_difference_welch(bex_estimate_of(a, 15), bex_estimate_of(b, 15));
    assert_close(d.value, 20.82 - 23.6533333333333333, 1e-12);
    assert_close(d.ratio, -2.8529548701715215, 1e-12);
    assert_close(d.freedom, 27.88730398842012, 1e-10);
    assert_close(d.p, 0.008071938172200643, 1e-12);
    bex_difference back = bex_difference_welch(bex_estimate_of(b, 15), bex_estimate_of(a, 15));
    assert_true(back.ratio == -d.ratio && back.p == d.p);
}

static void spearman(void **state) {
    (void)state;
    double x[] = {1, 2, 2, 3, 5, 8, 8, 8}, y[] = {2, 1, 4, 4, 6, 5, 9, 9}, rank[8];
    static const double ranks[] = {1, 2.5, 2.5, 4, 5, 7, 7, 7};
    bex_ranks(rank, x, 8);
    for (int i = 0; i < 8; i++) assert_close(rank[i], ranks[i], 0);
    assert_close(bex_spearman(x, y, 8), 0.8759284757666266, 1e-14);
    double up[] = {0.1, 0.2, 0.3, 10}, down[] = {4, 3, 2, -100};
    assert_close(bex_spearman(up, down, 4), -1, 1e-15);
    assert_close(bex_spearman(up, up, 4), 1, 1e-15);
    double flat[] = {3, 3, 3, 3};
    assert_true(isnan(bex_spearman(up, flat, 4)));
    assert_true(isnan(bex_spearman(up, up, 1)));
}

static void pairs(void **state) {
    (void)state;
    const double a[] = {1, 2, 3}, b[] = {0, 0, 3};
    bex_difference d = bex_difference_paired(a, b, 3);
    assert_close(d.value, 1, 1e-15);
    assert_close(d.error, 0.5773502691896258, 1e-14);
    assert_close(d.p, 0.22540333075851657, 1e-12); // of t = 1.7320508 with 2 degrees of freedom
    // what pairs share does not count
    const double far[] = {101, 202, 303}, off[] = {100, 200, 303};
    assert_close(bex_difference_paired(far, off, 3).error, d.error, 1e-12);
    assert_true(isnan(bex_difference_paired(a, b, 1).error) &&
                isnan(bex_difference_paired(a, a, 3).p));
}

static void rates(void **state) {
    (void)state;
    bex_interval w = bex_interval_wilson(8, 10, 0.95);
    assert_close(w.low, 0.4901624, 1e-6);
    assert_close(w.high, 0.9433178, 1e-6);
    w = bex_interval_wilson(0, 10, 0.95);
    assert_close(w.low, 0, 0);
    assert_close(w.high, 0.2775328, 1e-6);
    w = bex_interval_wilson(10, 10, 0.95);
    assert_close(w.low, 0.7224672, 1e-6);
    assert_close(w.high, 1, 0);
    assert_true(isnan(bex_interval_wilson(0, 0, 0.95).low));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimates), cmocka_unit_test(student),  cmocka_unit_test(intervals),
        cmocka_unit_test(welch),     cmocka_unit_test(spearman), cmocka_unit_test(pairs),
        cmocka_unit_test(rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
