/* A linear layer and its gradients against loops over the definition. */
#include "kernel/linear.h"

#include "kernel/buffers.h"

static const int shapes[][3] = {{1, 1, 1},    {1, 64, 64},  {3, 5, 7},      {10, 64, 33},
                                {65, 17, 16}, {130, 70, 9}, {257, 64, 300}, {64, 130, 1}};

typedef struct {
    int M, N, K;
    bex_real *x, *W, *b, *dz;
} layer;

static layer make_layer(const int shape[3], int offset) {
    layer l = {.M = shape[0], .N = shape[1], .K = shape[2]};
    l.x = input((size_t)l.M * (size_t)l.K, offset);
    l.W = input((size_t)l.N * (size_t)l.K, offset);
    l.b = input((size_t)l.N, offset);
    l.dz = input((size_t)l.M * (size_t)l.N, offset);
    return l;
}

static double tolerance(int terms) {
    return 4 * EPS * (terms + 8);
}

static void forward_is_x_wt_plus_b(void **state) {
    (void)state;
    for (int s = 0; s < COUNT(shapes); s++)
        for (int option = 0; option < 8; option++) {
            layer l = make_layer(shapes[s], option & 1);
            matrix y = output(l.M, l.N, l.N, option & 1), pre = output(l.M, l.N, l.N, option & 1);
            matrix z = output(l.M, l.N, l.N, 0), want = output(l.M, l.N, l.N, 0);
            bex_linear_fwd(y.p, option & 2 ? pre.p : NULL, l.x, l.W, option & 4 ? l.b : NULL, l.M,
                           l.N, l.K, BEX_ACTIVATION_TANH);
            for (int i = 0; i < l.M; i++)
                for (int n = 0; n < l.N; n++) {
                    double sum = option & 4 ? (double)l.b[n] : 0;
                    for (int k = 0; k < l.K; k++)
                        sum += (double)l.x[i * l.K + k] * (double)l.W[n * l.K + k];
                    *at(z, i, n) = (bex_real)sum, *at(want, i, n) = (bex_real)tanh(sum);
                }
            assert_close(y, want, tolerance(l.K), "y");
            if (option & 2) assert_close(pre, z, tolerance(l.K), "pre");
            guards_intact(pre);
            release_all();
        }
}

static void gradient_of_x(void **state) {
    (void)state;
    for (int s = 0; s < COUNT(shapes); s++)
        for (int add = 0; add < 2; add++) {
            layer l = make_layer(shapes[s], add);
            matrix dx = output(l.M, l.K, l.K, add), want = copy_of(dx, 0);
            bex_linear_bwd_x(dx.p, l.dz, l.W, l.M, l.N, l.K, add);
            for (int i = 0; i < l.M; i++)
                for (int k = 0; k < l.K; k++) {
                    double sum = add ? (double)*at(want, i, k) : 0;
                    for (int n = 0; n < l.N; n++)
                        sum += (double)l.dz[i * l.N + n] * (double)l.W[n * l.K + k];
                    *at(want, i, k) = (bex_real)sum;
                }
            assert_close(dx, want, tolerance(l.N), "dx");
            release_all();
        }
}

static void gradient_of_w_is_set_or_added_that_of_b_added(void **state) {
    (void)state;
    for (int s = 0; s < COUNT(shapes); s++)
        for (int way = 0; way < 4; way++) {
            int has_b = way % 2, add = way / 2;
            layer l = make_layer(shapes[s], has_b);
            matrix dW = output(l.N, l.K, l.K, has_b), want_W = copy_of(dW, 0);
            matrix db = output(1, l.N, l.N, has_b), want_b = copy_of(db, 0);
            bex_linear_bwd_w(dW.p, has_b ? db.p : NULL, l.dz, l.x, l.M, l.N, l.K, add);
            for (int n = 0; n < l.N; n++) {
                double column = (double)*at(want_b, 0, n);
                for (int i = 0; i < l.M && has_b; i++) column += (double)l.dz[i * l.N + n];
                *at(want_b, 0, n) = (bex_real)column;
                for (int k = 0; k < l.K; k++) {
                    double sum = add ? (double)*at(want_W, n, k) : 0;
                    for (int i = 0; i < l.M; i++)
                        sum += (double)l.dz[i * l.N + n] * (double)l.x[i * l.K + k];
                    *at(want_W, n, k) = (bex_real)sum;
                }
            }
            assert_close(dW, want_W, tolerance(l.M), "dW");
            assert_close(db, want_b, tolerance(l.M), "db");
            release_all();
        }
}

static void no_rows_add_nothing_and_set_zeros(void **state) {
    (void)state;
    static const int none[] = {0, 6, 9};
    layer l = make_layer(none, 0);
    matrix dW = output(6, 9, 9, 0), db = output(1, 6, 6, 0), W0 = copy_of(dW, 0),
           b0 = copy_of(db, 0);
    bex_linear_bwd_w(dW.p, db.p, l.dz, l.x, 0, 6, 9, 1);
    assert_close(dW, W0, 0, "dW");
    assert_close(db, b0, 0, "db");
    bex_linear_bwd_w(dW.p, db.p, l.dz, l.x, 0, 6, 9, 0);
    for (int n = 0; n < 6; n++)
        for (int k = 0; k < 9; k++) assert_true(*at(dW, n, k) == 0);
    assert_close(db, b0, 0, "db");
    release_all();
}

int main(void) {
    source = bex_rng_seed(2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_is_x_wt_plus_b),
        cmocka_unit_test(gradient_of_x),
        cmocka_unit_test(gradient_of_w_is_set_or_added_that_of_b_added),
        cmocka_unit_test(no_rows_add_nothing_and_set_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
