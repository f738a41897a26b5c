/* Principal directions: found where they were put, in order and with one sign; too few are told; what is
 * saved comes back, what does not fit is refused. */
#include "policy/seen.h"

#include "base/error.h"
#include "base/rng.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

enum { F = 12, MOMENTS = 400, SPREADS = 3 };

static const double spread[SPREADS] = {5, 2, 0.7};

static bex_real moment[MOMENTS][F];
static const bex_real *x[MOMENTS];

// orthogonal directions (1,1,0..), (1,-1,0..), (0,0,1,1,..) / sqrt 2, moved by 3; `wide` of them
static void make_moments(int wide) {
    bex_rng g = bex_rng_seed(3);
    for (int m = 0; m < MOMENTS; m++) {
        double a[SPREADS];
        for (int i = 0; i < SPREADS; i++) a[i] = i < wide ? spread[i] * bex_rng_normal(&g) : 0;
        for (int f = 0; f < F; f++) moment[m][f] = 3;
        moment[m][0] += R((a[0] + a[1]) / sqrt(2)), moment[m][1] += R((a[0] - a[1]) / sqrt(2));
        moment[m][2] += R(a[2] / sqrt(2)), moment[m][3] += R(a[2] / sqrt(2));
        x[m] = moment[m];
    }
}

static double variance(const bex_seen *s, int column) {
    double sum = 0, square = 0;
    for (int m = 0; m < MOMENTS; m++) {
        bex_real out[SPREADS];
        bex_seen_columns(s, out, x[m]);
        sum += (double)out[column], square += pow((double)out[column], 2);
    }
    assert_true(fabs(sum / MOMENTS) < 1e-4); // what is seen on average is 0
    return square / MOMENTS;
}

static void directions_are_found(void **state) {
    (void)state;
    static const double want[SPREADS][4] = {{1, 1, 0, 0}, {1, -1, 0, 0}, {0, 0, 1, 1}};
    bex_seen s;
    make_moments(SPREADS);
    if (bex_seen_fit(&s, SPREADS, F, x, MOMENTS) < 0) fail_msg("%s", bex_error());
    for (int i = 0; i < SPREADS; i++) {
        double along = 0;
        for (int f = 0; f < 4; f++) along += (double)s.axis[i * F + f] * want[i][f] / sqrt(2);
        if (!(fabs(along) > 0.99)) fail_msg("direction %d is %g of what it should be", i, along);
        double v = variance(&s, i), expected = spread[i] * spread[i];
        if (!(fabs(v / expected - 1) < 0.25)) fail_msg("spread %g, not %g", v, expected);
        int most = 0;
        for (int f = 1; f < F; f++)
            if (fabs((double)s.axis[i * F + f]) > fabs((double)s.axis[i * F + most])) most = f;
        assert_true(s.axis[i * F + most] > 0);
    }
    bex_seen_fini(&s);
}

static void too_few_are_told(void **state) {
    (void)state;
    bex_seen s;
    make_moments(2);
    assert_true(bex_seen_fit(&s, SPREADS, F, x, MOMENTS) < 0);
    assert_message("differs in 2 directions, vision.columns is 3");
    assert_true(!s.columns && !s.mean && !s.axis);
    assert_int_equal(bex_seen_fit(&s, 2, F, x, MOMENTS), 0);
    bex_seen_fini(&s);
    make_moments(0); // pictures that never change
    assert_true(bex_seen_fit(&s, 1, F, x, MOMENTS) < 0);
    assert_message("differs in 0 directions");
}

static void they_come_back(void **state) {
    (void)state;
    bex_seen s, t;
    char path[600];
    snprintf(path, sizeof path, "%s", scratch_path("seen.safetensors"));
    make_moments(SPREADS);
    assert_int_equal(bex_seen_fit(&s, SPREADS, F, x, MOMENTS), 0);
    bex_st_writer *w = bex_st_writer_new();
    bex_seen_save(&s, w);
    assert_int_equal(bex_st_save(w, path), 0);
    bex_st_writer_free(w);
    bex_st_file *f = bex_st_load(path);
    assert_non_null(f);
    if (bex_seen_load(&t, f, SPREADS, F) < 0) fail_msg("%s", bex_error());
    assert_memory_equal(s.axis, t.axis, SPREADS * F * sizeof *s.axis);
    assert_memory_equal(s.mean, t.mean, F * sizeof *s.mean);
    bex_seen_fini(&t);
    assert_true(bex_seen_load(&t, f, SPREADS, F + 1) < 0);
    assert_message("seen.mean");
    assert_true(bex_seen_load(&t, f, 2, F) < 0);
    assert_message("seen.axis");
    bex_st_free(f), bex_seen_fini(&s);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(directions_are_found),
                                       cmocka_unit_test(too_few_are_told),
                                       cmocka_unit_test(they_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
