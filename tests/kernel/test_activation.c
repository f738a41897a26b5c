/* Every activation and its derivative against libm in double. */
#include "kernel/activation.h"

#include "kernel/buffers.h"

static double sigmoid(double x) {
    return 1 / (1 + exp(-x));
}

static double value(bex_activation act, double x) {
    switch (act) {
    case BEX_ACTIVATION_GELU:
        return x / 2 * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
    case BEX_ACTIVATION_SILU:
        return x * sigmoid(x);
    case BEX_ACTIVATION_RELU:
        return fmax(x, 0);
    case BEX_ACTIVATION_TANH:
        return tanh(x);
    case BEX_ACTIVATION_SIGMOID:
        return sigmoid(x);
    case BEX_ACTIVATION_SOFTPLUS:
        return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
    default:
        return x;
    }
}

static double slope(bex_activation act, double x) {
    double s = sigmoid(x), c = sqrt(2 / acos(-1)), t = tanh(c * (x + 0.044715 * x * x * x));
    switch (act) {
    case BEX_ACTIVATION_GELU:
        return (1 + t) / 2 + x / 2 * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x);
    case BEX_ACTIVATION_SILU:
        return s + x * s * (1 - s);
    case BEX_ACTIVATION_RELU:
        return x > 0;
    case BEX_ACTIVATION_TANH:
        return 1 - tanh(x) * tanh(x);
    case BEX_ACTIVATION_SIGMOID:
        return s * (1 - s);
    case BEX_ACTIVATION_SOFTPLUS:
        return s;
    default:
        return 1;
    }
}

static bex_real *arguments(int n, int offset) {
    bex_real *x = input((size_t)n, offset);
    for (int i = 0; i < n; i++) x[i] *= i % 3 ? R(4) : R(30);
    return x;
}

static void forward(void **state) {
    (void)state;
    for (int act = 0; act < BEX_ACTIVATIONS; act++)
        for (int n = 0; n < 70; n++) {
            int offset = n & 1;
            bex_real *x = arguments(n, offset);
            matrix y = output(1, n, n, offset), want = copy_of(y, 0);
            bex_activation_fwd(y.p, x, (size_t)n, (bex_activation)act);
            for (int i = 0; i < n; i++)
                want.p[i] = (bex_real)value((bex_activation)act, (double)x[i]);
            assert_close(y, want, 32 * EPS, bex_activation_name((bex_activation)act));
            bex_activation_fwd(x, x, (size_t)n, (bex_activation)act);
            assert_same_bits(x, y.p, (size_t)n, "y is x");
            release_all();
        }
}

static void backward(void **state) {
    (void)state;
    for (int act = 0; act < BEX_ACTIVATIONS; act++)
        for (int n = 0; n < 70; n++)
            for (int add = 0; add < 2; add++) {
                int offset = n & 1;
                bex_real *x = arguments(n, offset), *dy = input((size_t)n, offset);
                matrix dx = output(1, n, n, offset), want = copy_of(dx, 0);
                bex_activation_bwd(dx.p, dy, x, (size_t)n, (bex_activation)act, add);
                for (int i = 0; i < n; i++)
                    want.p[i] =
                        (bex_real)((double)dy[i] * slope((bex_activation)act, (double)x[i]) +
                                   (add ? (double)want.p[i] : 0));
                assert_close(dx, want, 32 * EPS, bex_activation_name((bex_activation)act));
                if (!add) {
                    bex_activation_bwd(dy, dy, x, (size_t)n, (bex_activation)act, 0);
                    assert_same_bits(dy, dx.p, (size_t)n, "dx is dy");
                }
                release_all();
            }
}

// vector body and scalar tail must agree: a value's bits do not depend on where it lies
static void bits_do_not_depend_on_place(void **state) {
    (void)state;
    enum { N = 203 };
    for (int act = 0; act < BEX_ACTIVATIONS; act++) {
        bex_real *x = arguments(N, 0), *dy = input(N, 0), *y = input(N, 0), *dx = input(N, 0), one;
        bex_activation_fwd(y, x, N, (bex_activation)act);
        bex_activation_bwd(dx, dy, x, N, (bex_activation)act, 0);
        for (int i = 0; i < N; i++) {
            bex_activation_fwd(&one, x + i, 1, (bex_activation)act);
            assert_same_bits(&one, y + i, 1, bex_activation_name((bex_activation)act));
            bex_activation_bwd(&one, dy + i, x + i, 1, (bex_activation)act, 0);
            assert_same_bits(&one, dx + i, 1, bex_activation_name((bex_activation)act));
        }
        release_all();
    }
}

static void special_values(void **state) {
    (void)state;
    static const bex_real inf = R(INFINITY);
    static const struct {
        bex_activation act;
        bex_real low, high; // limits at -inf, inf
    } limits[] = {
        {BEX_ACTIVATION_ID, R(-INFINITY), R(INFINITY)},
        {BEX_ACTIVATION_RELU, 0, R(INFINITY)},
        {BEX_ACTIVATION_TANH, -1, 1},
        {BEX_ACTIVATION_SIGMOID, 0, 1},
        {BEX_ACTIVATION_SOFTPLUS, 0, R(INFINITY)},
    };
    for (int i = 0; i < COUNT(limits); i++) {
        bex_real x[2] = {-inf, inf};
        bex_activation_fwd(x, x, 2, limits[i].act);
        assert_true(x[0] == limits[i].low && x[1] == limits[i].high);
    }
    for (int act = 0; act < BEX_ACTIVATIONS; act++) {
        bex_real big[] = {R(-3e4), R(3e4), R(-1e18), R(1e18)}, dy[] = {1, 1, 1, 1}, nan = R(NAN);
        bex_real y[4], dx[4];
        bex_activation_fwd(&nan, &nan, 1, (bex_activation)act);
        assert_true(isnan(nan));
        bex_activation_fwd(y, big, 4, (bex_activation)act);
        bex_activation_bwd(dx, dy, big, 4, (bex_activation)act, 0);
        for (int i = 0; i < 4; i++) {
            assert_true(close_to((double)y[i], value((bex_activation)act, (double)big[i]), 0));
            assert_true(close_to((double)dx[i], slope((bex_activation)act, (double)big[i]), 0));
        }
    }
}

static void names(void **state) {
    (void)state;
    assert_string_equal(bex_activation_name(BEX_ACTIVATION_GELU), "gelu");
    assert_string_equal(bex_activation_name(BEX_ACTIVATION_SOFTPLUS), "softplus");
    assert_string_equal(bex_activation_name(BEX_ACTIVATIONS), "?");
}

int main(void) {
    source = bex_rng_seed(6);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward),
        cmocka_unit_test(backward),
        cmocka_unit_test(bits_do_not_depend_on_place),
        cmocka_unit_test(special_values),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
