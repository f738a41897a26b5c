/* Forward values of the ops against their formulas, and the tape's own rules. Gradients:
 * test_gradients.c; the large ops against plain twins: tests/kernel. */
#include "nn/ops.h"

#include "kernel/random.h"

#include "test.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>

static bex_arena *arena;
static bex_tape tape;

static int set_up(void **state) {
    (void)state;
    arena = bex_arena_new();
    bex_tape_init(&tape, arena);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    bex_arena_free(arena);
    return 0;
}

static bex_tensor *values(int rank, const int *dim, const double *v) {
    bex_tensor *t = bex_tensor_new(&tape, rank, dim, false);
    for (size_t i = 0; i < bex_count(t); i++) t->data[i] = (bex_real)v[i];
    return t;
}

static void expect(const bex_tensor *t, int rank, const int *dim, const double *v) {
    assert_int_equal(t->rank, rank);
    for (int i = 0; i < rank; i++) assert_int_equal(t->dim[i], dim[i]);
    for (size_t i = 0; i < bex_count(t); i++)
        if (!(fabs((double)t->data[i] - v[i]) <= 2e-6 * (1 + fabs(v[i]))))
            fail_msg("element %zu is %g, not %g", i, (double)t->data[i], v[i]);
}

#define V(...) ((const double[]){__VA_ARGS__})

static void shapes(void **state) {
    (void)state;
    bex_tensor *a = values(3, BEX_DIMS(2, 1, 2), V(1, 2, 3, 4));
    bex_tensor *b = values(3, BEX_DIMS(2, 2, 2), V(5, 6, 7, 8, 9, 10, 11, 12));
    expect(bex_concat(&tape, a, b, 1), 3, BEX_DIMS(2, 3, 2),
           V(1, 2, 5, 6, 7, 8, 3, 4, 9, 10, 11, 12));
    expect(bex_concat(&tape, a, a, 2), 3, BEX_DIMS(2, 1, 4), V(1, 2, 1, 2, 3, 4, 3, 4));
    expect(bex_concat(&tape, a, a, 0), 3, BEX_DIMS(4, 1, 2), V(1, 2, 3, 4, 1, 2, 3, 4));
    expect(bex_slice(&tape, b, 1, 1, 1), 3, BEX_DIMS(2, 1, 2), V(7, 8, 11, 12));
    expect(bex_slice(&tape, b, 2, 0, 1), 3, BEX_DIMS(2, 2, 1), V(5, 7, 9, 11));
    expect(bex_reshape(&tape, b, 2, BEX_DIMS(1, 8)), 2, BEX_DIMS(1, 8),
           V(5, 6, 7, 8, 9, 10, 11, 12));
}

static void pointwise(void **state) {
    (void)state;
    bex_tensor *x = values(2, BEX_DIMS(2, 2), V(-2, 0.5, 1, 3)),
               *r = values(1, BEX_DIMS(2), V(10, -1));
    expect(bex_add(&tape, x, r), 2, x->dim, V(8, -0.5, 11, 2));
    expect(bex_sub(&tape, x, r), 2, x->dim, V(-12, 1.5, -9, 4));
    expect(bex_mul(&tape, x, r), 2, x->dim, V(-20, -0.5, 10, -3));
    expect(bex_affine(&tape, x, 2, 1), 2, x->dim, V(-3, 2, 3, 7));
    expect(bex_square(&tape, x), 2, x->dim, V(4, 0.25, 1, 9));
    expect(bex_exponential(&tape, x), 2, x->dim, V(exp(-2), exp(0.5), exp(1), exp(3)));
    expect(bex_clamp(&tape, x, -1, 1), 2, x->dim, V(-1, 0.5, 1, 1));
    expect(bex_softmax(&tape, x), 2, x->dim,
           V(1 / (1 + exp(2.5)), 1 / (1 + exp(-2.5)), 1 / (1 + exp(2)), 1 / (1 + exp(-2))));
    const unsigned char use[2] = {0, 1};
    expect(bex_select(&tape, x, r, use), 2, x->dim, V(-2, 0.5, 10, -1));
    bex_tensor *t = values(3, BEX_DIMS(1, 2, 2), V(1, 2, 3, 4)),
               *s = values(2, BEX_DIMS(1, 2), V(2, 3));
    expect(bex_modulate(&tape, t, s, s), 3, t->dim, V(4, 9, 8, 15));
    expect(bex_gated_add(&tape, t, s, t), 3, t->dim, V(3, 8, 9, 16));
}

static void reductions(void **state) {
    (void)state;
    bex_tensor *x = values(3, BEX_DIMS(2, 3, 1), V(1, 5, 3, 4, 2, 6));
    expect(bex_mean_tokens(&tape, x, 1, 2), 2, BEX_DIMS(2, 1), V(4, 4));
    expect(bex_min_members(&tape, x), 2, BEX_DIMS(3, 1), V(1, 2, 3));
    expect(bex_mean_members(&tape, x), 2, BEX_DIMS(3, 1), V(2.5, 3.5, 4.5));
    expect(bex_sum_all(&tape, x, 0.5), 0, NULL, V(10.5));
    expect(bex_sum_last(&tape, bex_reshape(&tape, x, 2, BEX_DIMS(2, 3))), 1, BEX_DIMS(2), V(9, 12));
}

static void losses_and_densities(void **state) {
    (void)state;
    bex_tensor *x = values(2, BEX_DIMS(2, 2), V(1, 2, 3, 5)), *t = values(2, x->dim, V(0, 0, 1, 1));
    const bex_real weight[2] = {R(1), R(0.5)};
    expect(bex_squared_error(&tape, x, t, weight, 2), 0, NULL, V(2 * (5 + 0.5 * 20)));
    expect(bex_logistic_loss(&tape, x, t, 1), 0, NULL,
           V(log1p(exp(1)) + log1p(exp(2)) + log1p(exp(-3)) + log1p(exp(-5))));
    bex_tensor *s = values(2, x->dim, V(0, 0.3, -0.2, 1));
    double logp[2] = {0};
    for (int i = 0; i < 4; i++) {
        double u = ((double)t->data[i] - (double)x->data[i]) / exp((double)s->data[i]);
        logp[i / 2] += -u * u / 2 - (double)s->data[i] - log(2 * acos(-1)) / 2;
    }
    expect(bex_gaussian_logp(&tape, t, x, s), 1, BEX_DIMS(2), logp);
    expect(bex_gaussian_sample(&tape, x, s, t), 2, x->dim, V(1, 2, 3 + exp(-0.2), 5 + exp(1)));
    // at 20 the naive log(1 - tanh^2) is -inf
    bex_tensor *z = values(2, BEX_DIMS(2, 1), V(0.7, 20));
    expect(bex_tanh_logdet(&tape, z), 1, BEX_DIMS(2),
           V(log(1 - tanh(0.7) * tanh(0.7)), 2 * (log(2) - 20)));
}

static void lengths_and_expectiles(void **state) {
    (void)state;
    bex_tensor *x = values(2, BEX_DIMS(3, 2), V(3, -4, 0, 0, 1e-4, 0));
    expect(bex_norm(&tape, x, 1e-6), 1, BEX_DIMS(3), V(5, 1e-3, 1e-3));
    bex_tensor *a = values(2, BEX_DIMS(2, 2), V(1, -2, 3, -1)),
               *s = values(2, a->dim, V(-1, 0, 1, -5));
    expect(bex_expectile(&tape, a, a, 0.9, 2), 0, NULL, V(2 * (0.9 * 1 + 0.1 * 4 + 0.9 * 9 + 0.1)));
    expect(bex_expectile(&tape, a, s, 0.9, 1), 0, NULL, V(0.1 * 1 + 0.9 * 4 + 0.9 * 9 + 0.1));
}

// two sequences of two steps, one unit: by the formula, from the first step on and from the last
static void a_gru_is_its_formula(void **state) {
    (void)state;
    enum { ROWS = 4, STEPS = 2 };
    bex_params *p = bex_params_new();
    const bex_param *U = bex_param_add(p, BEX_INIT_ZERO, 3, BEX_DIMS(3, 1, 1), "U");
    const bex_param *c = bex_param_add(p, BEX_INIT_ZERO, 1, BEX_DIMS(1), "c");
    assert_int_equal(bex_params_build(p, 0, bex_rng_seed(0)), 0);
    const double u[3] = {0.7, -0.4, 1.1}, bias = 0.3;
    for (int e = 0; e < 3; e++) bex_param_edit(U)[e] = R(u[e]);
    bex_param_edit(c)[0] = R(bias);
    const double x[3 * ROWS] = {0.1, -0.6, 1.2, 0.4, -1, 0.2, 0.5, -0.3, 0.9, 0.8, -0.7, 0.05};
    bex_tensor *gx = values(3, BEX_DIMS(3, ROWS, 1), x);
    for (int backwards = 0; backwards < 2; backwards++) {
        double y[ROWS];
        for (int m = 0; m < ROWS / STEPS; m++) {
            double h = 0;
            for (int k = 0; k < STEPS; k++) {
                int at = m * STEPS + (backwards ? STEPS - 1 - k : k);
                double r = 1 / (1 + exp(-x[at] - u[0] * h));
                double g = 1 / (1 + exp(-x[ROWS + at] - u[1] * h));
                double n = tanh(x[2 * ROWS + at] + r * (u[2] * h + bias));
                y[at] = h = (1 - g) * n + g * h;
            }
        }
        expect(bex_gru(&tape, gx, U, c, STEPS, backwards), 3, BEX_DIMS(2, STEPS, 1), y);
    }
    bex_params_free(p);
}

// seeing prefix and own tokens set by set equals attention over both joined
static void prefix_attention_is_attention_over_the_joined_tokens(void **state) {
    (void)state;
    enum { G = 2, S = 3, Q = 2, N = 5, C = 8, B = G * S };
    bex_rng g = bex_rng_seed(6);
    bex_tensor *own = bex_tensor_new(&tape, 3, BEX_DIMS(B, Q, 3 * C), false);
    bex_tensor *prefix = bex_tensor_new(&tape, 3, BEX_DIMS(G, N, 2 * C), false);
    bex_random_normal(own->data, bex_count(own), &g);
    bex_random_normal(prefix->data, bex_count(prefix), &g);
    bex_tensor *o = bex_prefix_attention(&tape, (bex_columns){own, 0}, (bex_columns){own, C},
                                         (bex_columns){own, 2 * C}, (bex_columns){prefix, 0},
                                         (bex_columns){prefix, C}, C, 2);
    for (int b = 0; b < B; b++) {
        bex_tensor *x = bex_slice(&tape, own, 0, b, 1);
        bex_tensor *p = bex_slice(&tape, prefix, 0, b / S, 1);
        bex_tensor *kv = bex_concat(&tape, p, bex_slice(&tape, x, 2, C, 2 * C), 1);
        bex_tensor *y = bex_attention(&tape, (bex_columns){x, 0}, (bex_columns){kv, 0},
                                      (bex_columns){kv, C}, C, 2);
        for (int i = 0; i < Q * C; i++)
            assert_true(bex_fabs(y->data[i] - o->data[b * Q * C + i]) < R(2e-6));
    }
}

static void dropout_keeps_the_mean_and_is_off_in_inference(void **state) {
    (void)state;
    bex_tensor *x = bex_tensor_new(&tape, 1, BEX_DIMS(20000), false);
    for (int i = 0; i < 20000; i++) x->data[i] = 1;
    assert_true(bex_dropout(&tape, x, 0.3) == x);
    tape.training = true;
    tape.rng = bex_rng_seed(1);
    assert_true(bex_dropout(&tape, x, 0.3) == x);
    double mean = 0, once = 0;
    for (int i = 0; i < 20000; i++) mean += (double)x->data[i] / 20000, once += x->data[i] > 0;
    assert_true(fabs(mean - 1) < 0.03);
    bex_dropout(&tape, x, 0.3); // another mask
    double twice = 0;
    for (int i = 0; i < 20000; i++) twice += x->data[i] > 0;
    assert_true(fabs(twice / once - 0.7) < 0.03);
}

static void inference_records_nothing(void **state) {
    (void)state;
    bex_params *p = bex_params_new();
    const bex_param *w = bex_param_add(p, BEX_INIT_XAVIER, 2, BEX_DIMS(4, 4), "w");
    bex_params_build(p, 1, bex_rng_seed(1));
    bex_tensor *x = values(2, BEX_DIMS(1, 4), V(1, 2, 3, 4));
    bex_tensor *y = bex_linear(&tape, x, w, NULL, BEX_ACTIVATION_GELU);
    assert_false(y->needs_grad);
    assert_null(tape.last);
    // a block that is not trained is a constant on a recording tape
    bex_params *other = bex_params_new();
    bex_tape_train(&tape, other);
    y = bex_linear(&tape, x, w, NULL, BEX_ACTIVATION_GELU);
    assert_false(y->needs_grad);
    assert_null(tape.last);
    bex_params_free(other);
    bex_params_free(p);
}

// a bug aborts, and says the shapes
static void a_wrong_shape_aborts_with_the_shapes(void **state) {
    (void)state;
    int fd[2];
    assert_int_equal(pipe(fd), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(fd[1], 2);
        signal(SIGABRT, SIG_DFL);
        bex_tensor *a = values(2, BEX_DIMS(2, 3), V(1, 2, 3, 4, 5, 6));
        bex_add(&tape, a, values(1, BEX_DIMS(2), V(1, 2)));
        _exit(0);
    }
    close(fd[1]);
    char text[1024] = {0};
    size_t got = 0;
    for (ssize_t n; (n = read(fd[0], text + got, sizeof text - 1 - got)) > 0;) got += (size_t)n;
    int status;
    waitpid(child, &status, 0);
    close(fd[0]);
    assert_true(got > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(text, "(2,3)"));
    assert_non_null(strstr(text, "(2)"));
}

int main(void) {
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(shapes),
        T(pointwise),
        T(reductions),
        T(losses_and_densities),
        T(lengths_and_expectiles),
        T(a_gru_is_its_formula),
        T(prefix_attention_is_attention_over_the_joined_tokens),
        T(dropout_keeps_the_mean_and_is_off_in_inference),
        T(inference_records_nothing),
        T(a_wrong_shape_aborts_with_the_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
