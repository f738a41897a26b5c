/* Softmax against its definition in double. */
#include "kernel/softmax.h"

#include "kernel/buffers.h"

static const int widths[] = {1, 2, 7, 8, 9, 31, 32, 33, 102, 129};
enum { M = 5 };

static void plain_softmax(double *y, const bex_real *x, int n, double scale) {
    double m = -HUGE_VAL, sum = 0;
    for (int j = 0; j < n; j++) m = fmax(m, scale * (double)x[j]);
    for (int j = 0; j < n; j++) sum += y[j] = exp(scale * (double)x[j] - m);
    for (int j = 0; j < n; j++) y[j] /= sum;
}

static void forward(void **state) {
    (void)state;
    for (int c = 0; c < COUNT(widths); c++)
        for (int offset = 0; offset < 2; offset++) {
            int N = widths[c];
            bex_real *x = input((size_t)(M * N), offset);
            for (int i = 0; i < M * N; i++) x[i] = x[i] * R(20) + R(1000); // exp would overflow
            matrix y = output(M, N, N, offset), want = copy_of(y, 0);
            bex_softmax_fwd(y.p, x, M, N);
            for (int i = 0; i < M; i++) {
                double p[200];
                plain_softmax(p, x + i * N, N, 1);
                for (int j = 0; j < N; j++) *at(want, i, j) = (bex_real)p[j];
            }
            assert_close(y, want, 16 * EPS, "y");
            bex_softmax_fwd(x, x, M, N);
            assert_same_bits(x, y.p, (size_t)(M * N), "y is x");
            release_all();
        }
}

static void backward(void **state) {
    (void)state;
    for (int c = 0; c < COUNT(widths); c++)
        for (int option = 0; option < 4; option++) {
            int N = widths[c], offset = option & 1, add = option >> 1;
            bex_real *x = input((size_t)(M * N), offset), *dy = input((size_t)(M * N), offset);
            matrix y = output(M, N, N, offset), dx = output(M, N, N, offset), want = copy_of(dx, 0);
            bex_softmax_fwd(y.p, x, M, N);
            bex_softmax_bwd(dx.p, dy, y.p, M, N, add);
            for (int i = 0; i < M; i++) {
                double p[200], mean = 0;
                plain_softmax(p, x + i * N, N, 1);
                for (int j = 0; j < N; j++) mean += p[j] * (double)dy[i * N + j];
                for (int j = 0; j < N; j++)
                    *at(want, i, j) = (bex_real)(p[j] * ((double)dy[i * N + j] - mean) +
                                                 (add ? (double)*at(want, i, j) : 0));
            }
            assert_close(dx, want, 16 * EPS, "dx");
            if (!add) {
                bex_softmax_bwd(dy, dy, y.p, M, N, 0);
                assert_same_bits(dy, dx.p, (size_t)(M * N), "dx is dy");
            }
            release_all();
        }
}

static void attention_rows(void **state) {
    (void)state;
    for (int c = 0; c < COUNT(widths); c++)
        for (int offset = 0; offset < 2; offset++) {
            int N = widths[c];
            bex_real scale = R(0.17677669529663687), top[M], sum[M];
            matrix s = output(M, N, N, offset), want = copy_of(s, 0);
            double largest[M], total[M];
            for (int i = 0; i < M; i++) {
                double p[200], m = -HUGE_VAL;
                for (int j = 0; j < N; j++) *at(s, i, j) *= R(50);
                plain_softmax(p, at(s, i, 0), N, (double)scale);
                for (int j = 0; j < N; j++) m = fmax(m, (double)scale * (double)*at(s, i, j));
                total[i] = 0, largest[i] = m;
                for (int j = 0; j < N; j++)
                    total[i] += exp((double)scale * (double)*at(s, i, j) - m);
                for (int j = 0; j < N; j++) *at(want, i, j) = (bex_real)(p[j] * total[i]);
            }
            bex_softmax_rows(s.p, M, N, scale, top, sum);
            assert_close(s, want, 32 * EPS, "weights before division");
            for (int i = 0; i < M; i++) {
                assert_true(close_to((double)sum[i], total[i], 64 * EPS * total[i]));
                assert_true(close_to((double)top[i], largest[i], 32 * EPS));
            }
            release_all();
        }
}

static void special_values(void **state) {
    (void)state;
    bex_real x[] = {0, R(-INFINITY), 0, R(NAN), 0, 1, R(-INFINITY), R(-INFINITY), R(-INFINITY)};
    bex_softmax_fwd(x, x, 3, 3);
    assert_true(x[0] == R(0.5) && x[1] == 0 && x[2] == R(0.5)); // a masked score weighs nothing
    for (int i = 3; i < 9; i++) assert_true(isnan(x[i]));
}

static void bits_do_not_depend_on_alignment(void **state) {
    (void)state;
    bex_real *x = input(5 * 101, 0), *y[2] = {input(5 * 101, 0), input(5 * 101, 1)};
    bex_softmax_fwd(y[0], x, 5, 101);
    bex_softmax_fwd(y[1], input_copy(x, 5 * 101, 1), 5, 101);
    assert_same_bits(y[0], y[1], 5 * 101, "offset by one");
    release_all();
}

int main(void) {
    source = bex_rng_seed(4);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward),
        cmocka_unit_test(backward),
        cmocka_unit_test(attention_rows),
        cmocka_unit_test(special_values),
        cmocka_unit_test(bits_do_not_depend_on_alignment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
