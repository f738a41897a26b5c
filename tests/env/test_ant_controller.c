/* The walking network: its formula, its noise, and files that are not one. */
#include "env/ant/ant_controller.h"

#include "base/error.h"
#include "env/make_controller.h"

#include <math.h>
#include <stdbool.h>

enum { M = 5 };

static void layer(double *y, const double *x, const bex_real *w, const bex_real *b, int out, int in,
                  bool relu) {
    for (int o = 0; o < out; o++) {
        y[o] = (double)b[o];
        for (int i = 0; i < in; i++) y[o] += (double)w[o * in + i] * x[i];
        if (relu && y[o] < 0) y[o] = 0;
    }
}

static void the_formula(void **state) {
    (void)state;
    small_controller net;
    const char *path = make_controller(&net, "walker.safetensors", NULL);
    bex_ant_controller *c = bex_ant_controller_load(path);
    if (!c) fail_msg("%s", bex_error());
    unlink(path);
    bex_real in[M * 29], mean[M * 8], deviation[M * 8], alone[8], other[8];
    bex_real *scratch = malloc(bex_ant_controller_scratch(c, M) * sizeof *scratch);
    bex_rng rng = bex_rng_seed(2);
    for (int i = 0; i < M * 29; i++) in[i] = R(3 * bex_rng_normal(&rng));
    bex_ant_controller_run(c, mean, deviation, in, M, scratch);
    for (int m = 0; m < M; m++) {
        double x[29], h0[SMALL_WIDTH], h1[SMALL_WIDTH], mu[8], ls[8];
        for (int i = 0; i < 29; i++) x[i] = (double)in[m * 29 + i];
        layer(h0, x, net.w0, net.b0, SMALL_WIDTH, 29, true);
        layer(h1, h0, net.w1, net.b1, SMALL_WIDTH, SMALL_WIDTH, true);
        layer(mu, h1, net.wm, net.bm, 8, SMALL_WIDTH, false);
        layer(ls, h1, net.ws, net.bs, 8, SMALL_WIDTH, false);
        for (int i = 0; i < 8; i++) {
            assert_true(fabs((double)mean[m * 8 + i] - mu[i]) < 1e-4);
            double s = exp(fmin(2, fmax(-20, ls[i])));
            assert_true(fabs((double)deviation[m * 8 + i] / s - 1) < 1e-4);
        }
        // a row alone has the same bits as among others
        bex_ant_controller_run(c, alone, other, in + m * 29, 1, scratch);
        assert_memory_equal(alone, mean + m * 8, sizeof alone);
        assert_memory_equal(other, deviation + m * 8, sizeof other);
    }
    free(scratch);
    bex_ant_controller_free(c);
}

static void samples_have_their_noise(void **state) {
    (void)state;
    enum { N = 20000 };
    bex_real mean[8] = {R(0.2), R(-0.1), 3}, deviation[8] = {R(1e-8), R(1e-8), R(1e-8), R(0.1)};
    double sum[8] = {0}, square[8] = {0};
    bex_rng rng = bex_rng_seed(4);
    for (int n = 0; n < N; n++) {
        bex_real act[8];
        bex_ant_controller_sample(act, mean, deviation, 0.2, &rng);
        for (int i = 0; i < 8; i++) {
            assert_true(act[i] >= -1 && act[i] <= 1);
            sum[i] += (double)act[i] / N, square[i] += (double)act[i] * (double)act[i] / N;
        }
    }
    assert_true(fabs(sum[0] - tanh(0.2)) < 5 * 0.2 / sqrt(N));
    assert_true(fabs(sqrt(square[1] - sum[1] * sum[1]) - 0.2) < 0.006);
    assert_true(sum[2] < 0.95 && sum[2] > 0.85); // tanh(3) and noise, cut at 1
    assert_true(fabs(square[3] - (0.04 + 0.0098)) < 0.003);
    bex_real act[8];
    bex_ant_controller_sample(act, mean, deviation, 0, &rng);
    assert_true(fabs((double)act[0] - tanh(0.2)) < 1e-6);
}

static void files_that_are_no_walker(void **state) {
    (void)state;
    small_controller net;
    static const char *const tensors[] = {"fc0.weight", "fc0.bias", "mean.weight", "log_std.bias"};
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++) {
        const char *path = make_controller(&net, "broken.safetensors", tensors[i]);
        assert_null(bex_ant_controller_load(path));
        assert_message(tensors[i]);
        assert_message("broken.safetensors");
        unlink(path);
    }
    // without fc1 the heads do not fit: one layer of 12 would, the names say otherwise
    const char *path = make_controller(&net, "broken.safetensors", "fc1.bias");
    assert_null(bex_ant_controller_load(path));
    assert_message("fc1.bias");
    unlink(path);
    assert_null(bex_ant_controller_load("/no/such/file"));
    assert_message("/no/such/file");
    bex_ant_controller_free(NULL);
}

/* D4RL's own, where it is at hand: the network in its file is the one that made the recorded actions. */
static void d4rls_own(void **state) {
    (void)state;
    const char *path = shared_data("antmaze/ant_goal_policy.safetensors");
    if (!path) {
        print_message("SKIP: no ../shared/data\n");
        skip();
    }
    bex_ant_controller *c = bex_ant_controller_load(path);
    if (!c) fail_msg("%s", bex_error());
    bex_ant_controller_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_formula),
        cmocka_unit_test(samples_have_their_noise),
        cmocka_unit_test(files_that_are_no_walker),
        cmocka_unit_test(d4rls_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
