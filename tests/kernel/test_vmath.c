/* The bounds of vmath.h, over a sweep of all float bit patterns, against libm in double.
 * test_vmath_fused.c runs the same with fused multiply-add, as the kernels are compiled. */
#include "kernel/vmath.h"

#include "kernel/buffers.h"
#include "kernel/vsincos.h"

#ifndef BEX_F64

enum { STEP = SLOW ? 4099 : 127, BATCH = 4096 }; // odd: every mantissa bit takes part

typedef struct {
    const char *name;
    float (*ours)(float);
    double (*exact)(double);
    float low, high; // arguments swept
    double bound;    // ulp of the result
    int normal;      // only where the result is a normal number
} bounded;

static double exact_sigmoid(double x) {
    return 1 / (1 + exp(-x));
}

static double exact_softplus(double x) {
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

// distance to the exact value in units of the last place of a float near it
static double ulps(float got, double want) {
    if (fabs(want) >= 0x1.ffffffp127) // rounds to inf; the largest float is one step from it
        return isinf(got) || (fabs((double)got) >= 0x1.fffffep127) ? 0 : HUGE_VAL;
    if (isinf(got)) return fabs(want) >= 0x1.fffffcp127 ? 1 : HUGE_VAL;
    int e;
    frexp(want, &e);
    return fabs((double)got - want) / ldexp(1, (e < -125 ? -125 : e) - 24);
}

static double worst_of(const bounded *f, float *where) {
    double worst = 0;
    for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += STEP) {
        float x = bex_from_bits((int32_t)(uint32_t)bits);
        if (!(x >= f->low && x <= f->high)) continue;
        double want = f->exact((double)x);
        if (f->normal && fabs(want) < (double)FLT_MIN) continue;
        double u = ulps(f->ours(x), want);
        if (!(u <= worst)) worst = u, *where = x;
    }
    return worst;
}

static void results_keep_their_bounds(void **state) {
    (void)state;
    static const bounded functions[] = {
        {"exp", bex_exp, exp, -INFINITY, INFINITY, 2, 0},
        {"exp_low", bex_exp_low, exp, -INFINITY, 88, 2, 1},
        {"log", bex_log, log, 0x1p-149f, INFINITY, 2, 0},
        {"tanh", bex_tanh, tanh, -INFINITY, INFINITY, 4, 0},
        {"sigmoid", bex_sigmoid, exact_sigmoid, -INFINITY, INFINITY, 4, 1},
        {"softplus", bex_softplus, exact_softplus, -INFINITY, INFINITY, 4, 0},
    };
    for (int i = 0; i < COUNT(functions); i++) {
        float where = 0;
        double worst = worst_of(&functions[i], &where);
        print_message("%-9s %.3f ulp at %a\n", functions[i].name, worst, (double)where);
        if (!(worst <= functions[i].bound))
            fail_msg("%s: %.3f ulp at %a, bound %g", functions[i].name, worst, (double)where,
                     functions[i].bound);
    }
}

static void sine_and_cosine_keep_their_bound(void **state) {
    (void)state;
    double worst[2] = {0};
    for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += STEP) {
        float x = bex_from_bits((int32_t)(uint32_t)bits);
        if (!(fabsf(x) <= 8192)) continue;
        worst[0] = fmax(worst[0], fabs((double)bex_sin(x) - sin((double)x)));
        worst[1] = fmax(worst[1], fabs((double)bex_cos(x) - cos((double)x)));
    }
    print_message("sin %.3g, cos %.3g\n", worst[0], worst[1]);
    assert_true(worst[0] <= 1.5e-7 && worst[1] <= 1.5e-7);
}

static void exp_edges(void **state) {
    (void)state;
    assert_true(bex_exp(0) == 1 && bex_exp(-0.0f) == 1);
    assert_true(bex_exp(0x1p-149f) == 1 && bex_exp(-0x1p-149f) == 1);
    assert_true(isfinite(bex_exp(0x1.62e42ep6f)) && isinf(bex_exp(0x1.62e43p6f))); // ln FLT_MAX
    assert_true(bex_exp(-103.9f) == 0x1p-149f && bex_exp(-104.0f) == 0);           // ln 2^-150
    assert_true(bex_exp(INFINITY) == INFINITY && bex_exp(-INFINITY) == 0);
    assert_true(bex_exp(3e38f) == INFINITY && bex_exp(-3e38f) == 0);
}

static void exp_low_edges(void **state) {
    (void)state;
    assert_true(bex_exp_low(0) == 1 && bex_exp_low(-0x1p-149f) == 1);
    assert_true(bex_exp_low(-87.3f) >= FLT_MIN && bex_exp_low(-87.34f) == 0); // ln FLT_MIN
    assert_true(bex_exp_low(-3e38f) == 0 && bex_exp_low(-INFINITY) == 0);
    assert_true(isnan(bex_exp_low(NAN)));
}

static void log_edges(void **state) {
    (void)state;
    assert_true(bex_log(1) == 0 && bex_log(0) == -INFINITY && bex_log(-0.0f) == -INFINITY);
    assert_true(bex_log(INFINITY) == INFINITY);
    assert_true(isnan(bex_log(-1)) && isnan(bex_log(-INFINITY)) && isnan(bex_log(-0x1p-149f)));
    assert_true(bex_log1p(0) == 0 && bex_log1p(0x1p-140f) == 0x1p-140f);
}

static void tanh_and_kin_edges(void **state) {
    (void)state;
    assert_true(bex_tanh(INFINITY) == 1 && bex_tanh(-INFINITY) == -1);
    assert_true(bex_tanh(0x1p-149f) == 0x1p-149f && bex_tanh(-0.0f) == 0);
    assert_true(bex_sigmoid(0) == 0.5f && bex_sigmoid(INFINITY) == 1 &&
                bex_sigmoid(-INFINITY) == 0);
    assert_true(bex_softplus(INFINITY) == INFINITY && bex_softplus(-INFINITY) == 0);
    assert_true(bex_softplus(-1e4f) == 0 && bex_softplus(1e4f) == 1e4f);
    assert_true(bex_sin(0) == 0 && bex_cos(0) == 1);
}

static void nan_gives_nan(void **state) {
    (void)state;
    static const uint32_t nans[] = {0x7fc00000, 0xffc00000, 0x7fffffff, 0xffffffff, 0x7f800001};
    for (int i = 0; i < COUNT(nans); i++) {
        float x = bex_from_bits((int32_t)nans[i]);
        assert_true(isnan(bex_exp(x)) && isnan(bex_log(x)) && isnan(bex_tanh(x)));
        assert_true(isnan(bex_sigmoid(x)) && isnan(bex_softplus(x)) && isnan(bex_log1p(x)));
        assert_true(isnan(bex_sin(x)) && isnan(bex_cos(x)));
    }
}

#else

static void are_those_of_libm(void **state) {
    (void)state;
    for (double x = -30; x < 30; x += 0.37) {
        assert_true(bex_exp(x) == exp(x) && bex_tanh(x) == tanh(x) && bex_sin(x) == sin(x));
        assert_true(bex_cos(x) == cos(x) && bex_log(fabs(x)) == log(fabs(x)));
        assert_true(close_to(bex_softplus(x), log1p(exp(x)), 1e-15 * (1 + fabs(x))));
        assert_true(close_to(bex_sigmoid(x), (1 + tanh(x / 2)) / 2, 1e-15));
    }
    assert_true(bex_softplus(R(INFINITY)) == R(INFINITY) && bex_softplus(R(-INFINITY)) == 0);
    assert_true(isnan(bex_softplus(R(NAN))) && isnan(bex_sigmoid(R(NAN))));
}

#endif

static void sincos_case(int n, int which) {
    bex_real *x = input((size_t)n, n & 1);
    for (int i = 0; i < n; i++) x[i] *= i % 5 ? R(100) : R(1e6);
    if (n > 3) x[n - 2] = R(1e30), x[n - 3] = R(INFINITY);
    matrix s = output(1, n, n, n & 1), c = output(1, n, n, 0), s0 = copy_of(s, 0),
           c0 = copy_of(c, 0);
    bex_sincos(which & 1 ? s.p : NULL, which & 2 ? c.p : NULL, x, (size_t)n);
    for (int i = 0; i < n; i++) {
        if (which & 1) s0.p[i] = (bex_real)sin((double)x[i]);
        if (which & 2) c0.p[i] = (bex_real)cos((double)x[i]);
    }
    assert_close(s, s0, sizeof(bex_real) == 4 ? 2.2e-7 : 0, "sin");
    assert_close(c, c0, sizeof(bex_real) == 4 ? 2.2e-7 : 0, "cos");
    if (which == 3) { // in place
        bex_real *copy = input_copy(x, (size_t)n, 1), *other = input((size_t)n, 0);
        bex_sincos(x, other, x, (size_t)n);
        assert_same_bits(other, c.p, (size_t)n, "cos beside sin in place");
        bex_sincos(NULL, copy, copy, (size_t)n);
        assert_same_bits(copy, c.p, (size_t)n, "cos in place");
    }
    release_all();
}

static void arrays_of_any_angle(void **state) {
    (void)state;
    for (int which = 0; which < 4; which++)
        for (int n = 0; n < 600; n += n < 20 ? 1 : 29) sincos_case(n, which);
}

int main(void) {
    source = bex_rng_seed(9);
    const struct CMUnitTest tests[] = {
#ifndef BEX_F64
        cmocka_unit_test(results_keep_their_bounds),
        cmocka_unit_test(sine_and_cosine_keep_their_bound),
        cmocka_unit_test(exp_edges),
        cmocka_unit_test(exp_low_edges),
        cmocka_unit_test(log_edges),
        cmocka_unit_test(tanh_and_kin_edges),
        cmocka_unit_test(nan_gives_nan),
#else
        cmocka_unit_test(are_those_of_libm),
#endif
        cmocka_unit_test(arrays_of_any_angle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
