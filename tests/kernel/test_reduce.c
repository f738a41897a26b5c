/* Fixed-order sums: right, and the same bits wherever the array lies. */
#include "kernel/reduce.h"

#include "kernel/buffers.h"

// the order reduce.h promises: 32 strided chains, then halves folded together
static bex_real promised_sum(const bex_real *x, size_t n) {
    volatile bex_real a[32] = {0}; // volatile: one addition at a time
    for (size_t i = 0; i < n; i++) a[i % 32] += x[i];
    for (int half = 16; half; half /= 2)
        for (int j = 0; j < half; j++) a[j] += a[j + half];
    return a[0];
}

static void equal_sums_in_double(void **state) {
    (void)state;
    for (size_t n = 0; n < 200; n++) {
        bex_real *x = input(n, n & 1), *y = input(n, 1), m = R(0.3);
        double sum = 0, dot = 0, squares = 0, largest = -HUGE_VAL;
        for (size_t i = 0; i < n; i++) {
            double d = (double)x[i] - (double)m;
            sum += (double)x[i], dot += (double)x[i] * (double)y[i], squares += d * d;
            largest = fmax(largest, (double)x[i]);
        }
        assert_true(close_to((double)bex_sum(x, n), sum, 16 * EPS * sqrt((double)n + 1)));
        assert_true(close_to((double)bex_dot(x, y, n), dot, 16 * EPS * sqrt((double)n + 1)));
        assert_true(close_to((double)bex_sum_squares(x, m, n), squares, 16 * EPS * (squares + 1)));
        if (n) assert_true((double)bex_max(x, n) == largest);
        release_all();
    }
}

static void the_order_is_the_promised_one(void **state) {
    (void)state;
    for (size_t n = 0; n < 300; n += 7) {
        bex_real *x = input(n, 0), a = bex_sum(x, n), b = promised_sum(x, n);
        assert_same_bits(&a, &b, 1, "sum");
        release_all();
    }
}

static void bits_do_not_depend_on_alignment(void **state) {
    (void)state;
    for (size_t n = 0; n < 300; n += 3) {
        bex_real *x = input(n, 0), *y = input(n, 0), *x1 = input_copy(x, n, 1);
        bex_real *y1 = input_copy(y, n, 3);
        bex_real a[] = {bex_sum(x, n), bex_dot(x, y, n), bex_sum_squares(x, R(0.1), n)};
        bex_real b[] = {bex_sum(x1, n), bex_dot(x1, y1, n), bex_sum_squares(x1, R(0.1), n)};
        assert_same_bits(a, b, 3, "offset");
        release_all();
    }
}

static void many_small_terms_are_not_lost(void **state) {
    (void)state;
    enum { N = 1 << 20 };
    bex_real *x = input(N, 1);
    for (int i = 0; i < N; i++) x[i] = R(0.1);
    double want = N * (double)R(0.1);
    assert_true(close_to((double)bex_sum(x, N), want, 1e4 * EPS * want));
    release_all();
}

static void nan_and_inf_pass(void **state) {
    (void)state;
    bex_real *x = input(77, 0), *y = input(77, 0);
    x[70] = R(INFINITY);
    assert_true(isinf(bex_sum(x, 77)) && bex_max(x, 77) == R(INFINITY));
    x[3] = R(NAN);
    assert_true(isnan(bex_sum(x, 77)) && isnan(bex_dot(x, y, 77)) &&
                isnan(bex_sum_squares(x, 0, 77)));
    release_all();
}

int main(void) {
    source = bex_rng_seed(7);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_sums_in_double),
        cmocka_unit_test(the_order_is_the_promised_one),
        cmocka_unit_test(bits_do_not_depend_on_alignment),
        cmocka_unit_test(many_small_terms_are_not_lost),
        cmocka_unit_test(nan_and_inf_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
