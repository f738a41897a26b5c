/* The schedule's constants and the DDIM list (docs/model.md), and the network's parameter counts. */
#include "policy/diffusion.h"

#include "model/dit.h"
#include "test.h"

#include <math.h>

static void near(double x, double y, double tolerance) {
    if (!(fabs(x - y) <= tolerance * fabs(y))) fail_msg("%.9g, not %.9g", x, y);
}

static void squared_cosine_constants(void **state) {
    (void)state;
    bex_noise_schedule s;
    bex_noise_schedule_init(&s, 100, BEX_PREDICTS_NOISE);
    near(s.beta[0], 6.313e-4, 1e-3);
    near(s.beta[98], 0.74994, 1e-4);
    near(s.beta[99], 0.999, 1e-12);
    near(s.alpha_bar[0], 0.999369, 1e-6);
    near(s.alpha_bar[98], 2.4286e-4, 1e-4);
    near(s.alpha_bar[99], 2.4286e-7, 1e-4);
}

static void ddim_list(void **state) {
    (void)state;
    const int expected[8] = {84, 72, 60, 48, 36, 24, 12, 0};
    const double root[8] = {.2316, .4085, .5711, .7137, .8315, .9203, .9770, .9997};
    int list[100];
    bex_noise_schedule s;
    bex_noise_schedule_init(&s, 100, BEX_PREDICTS_NOISE);
    bex_ddim_steps(list, 8, 100);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(list[i], expected[i]);
        near(sqrt(s.alpha_bar[list[i]]), root[i], 5e-4);
    }
    bex_ddim_steps(list, 1, 100);
    assert_int_equal(list[0], 0);
    bex_ddim_steps(list, 100, 100);
    for (int i = 0; i < 100; i++) assert_int_equal(list[i], 99 - i);
}

// encoder and decoder only: tokens are counted apart
static size_t network_size(int C, int heads, int blocks, int F, int T, int A, int K) {
    bex_params *p = bex_params_new();
    bex_stack stack = {.blocks = blocks, .C = C, .feedforward = F, .heads = heads};
    bex_encoder_add(p, "encoder", stack);
    bex_decoder_add(p, "decoder",
                    (bex_decoder_options){.stack = stack, .columns = A, .K = K, .time_width = T});
    size_t n = bex_params_total(p);
    bex_params_free(p);
    return n;
}

static void parameter_counts(void **state) {
    (void)state;
    assert_int_equal(network_size(256, 8, 4, 512, 256, 8, 10), 6066000);
    assert_int_equal(network_size(256, 8, 4, 512, 128, 8, 10), 6033232);
    assert_int_equal(network_size(256, 8, 4, 256, 256, 8, 10), 5015376);
    assert_int_equal(network_size(256, 8, 4, 512, 128, 7, 20), 6035263);
    assert_int_equal(network_size(128, 4, 4, 512, 256, 8, 10), 2068432);
    assert_int_equal(network_size(64, 1, 3, 512, 256, 9, 5), 603491);
    assert_int_equal(network_size(64, 1, 3, 128, 256, 9, 5), 306275);
    assert_int_equal(network_size(512, 8, 6, 2048, 256, 7, 4), 48213567);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squared_cosine_constants),
        cmocka_unit_test(ddim_list),
        cmocka_unit_test(parameter_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
