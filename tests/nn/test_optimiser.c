/* Adam, AdamW, clipping, the running average and the learning-rate schedule, against the formulas in
 * double; non-finite gradients change nothing. */
#include "nn/adam.h"
#include "nn/schedule.h"

#include "nn/tensor.h"
#include "test.h"

#include <math.h>

enum { N = 5000 }; // more than one piece

static bex_params *block(void) {
    bex_params *p = bex_params_new();
    bex_param_add(p, BEX_INIT_NORMAL, 1, (const int[]){N}, "x");
    bex_params_build(p, 1, bex_rng_seed(1));
    return p;
}

static void set_gradient(bex_params *p, int step) {
    bex_rng g = bex_rng_split(bex_rng_seed(2), "g", (uint64_t)step);
    for (int i = 0; i < N; i++) p->grad[i] = (bex_real)(bex_rng_normal(&g) * (1 + i % 3));
}

static void follows_the_formulas(bex_adam a, double lr) {
    bex_params *p = block();
    double *x = calloc(N, sizeof *x), *m = calloc(N, sizeof *m), *v = calloc(N, sizeof *v),
           *ema = calloc(N, sizeof *ema);
    for (int i = 0; i < N; i++) x[i] = ema[i] = (double)p->value[i];
    for (int t = 1; t <= 20; t++) {
        set_gradient(p, t);
        double norm = 0;
        for (int i = 0; i < N; i++) norm += (double)p->grad[i] * (double)p->grad[i];
        norm = sqrt(norm);
        double shrink = a.clip > 0 && norm > a.clip ? a.clip / norm : 1;
        for (int i = 0; i < N; i++) {
            double g = shrink * (double)p->grad[i] + (a.decoupled ? 0 : a.decay * x[i]);
            if (a.decoupled) x[i] -= lr * a.decay * x[i];
            m[i] = a.beta1 * m[i] + (1 - a.beta1) * g;
            v[i] = a.beta2 * v[i] + (1 - a.beta2) * g * g;
            x[i] -=
                lr * (m[i] / (1 - pow(a.beta1, t))) / (sqrt(v[i] / (1 - pow(a.beta2, t))) + a.eps);
            double d = fmin(a.ema_decay, t / (9.0 + t));
            ema[i] = d * ema[i] + (1 - d) * x[i];
        }
        double got = bex_adam_step(p, &a, lr, 1 + t % 2);
        assert_true(fabs(got - norm) < 1e-5 * norm);
    }
    for (int i = 0; i < N; i++) {
        assert_true(fabs((double)p->value[i] - x[i]) < 2e-6 * (1 + fabs(x[i])));
        if (a.ema_decay > 0)
            assert_true(fabs((double)p->ema[i] - ema[i]) < 2e-6 * (1 + fabs(x[i])));
    }
    for (size_t i = N; i < p->count; i++) assert_true(p->value[i] == 0); // the padding
    assert_int_equal(p->step, 20);
    free(x), free(m), free(v), free(ema);
    bex_params_free(p);
}

static void adam(void **state) {
    (void)state;
    follows_the_formulas((bex_adam)BEX_ADAM_INIT, 1e-2);
    bex_adam decayed = BEX_ADAM_INIT;
    decayed.decay = 0.1;
    follows_the_formulas(decayed, 1e-2);
}

static void adamw_clipped_with_average(void **state) {
    (void)state;
    bex_adam a = BEX_ADAMW_INIT;
    a.decay = 0.1, a.clip = 50, a.ema_decay = 0.5; // from the ninth update on
    follows_the_formulas(a, 1e-2);
}

static void non_finite_gradients_change_nothing(void **state) {
    (void)state;
    bex_params *p = block();
    bex_adam a = BEX_ADAM_INIT;
    bex_real before[N];
    memcpy(before, p->value, sizeof before);
    for (int k = 0; k < 2; k++) {
        set_gradient(p, 0);
        p->grad[N - 1] = k ? (bex_real)NAN : (bex_real)INFINITY;
        assert_false(isfinite(bex_adam_step(p, &a, 1e-3, 1)));
        assert_memory_equal(before, p->value, sizeof before);
        assert_int_equal(p->step, 0);
    }
    bex_params_free(p);
}

static void polyak_moves_towards(void **state) {
    (void)state;
    bex_params *a = block(), *b = block();
    for (int i = 0; i < N; i++) b->value[i] += R(1);
    bex_real before = a->value[7];
    bex_params_polyak(a, b, R(0.25), 1);
    assert_true(bex_fabs(a->value[7] - before - R(0.25)) < R(1e-6));
    bex_params_copy(a, b);
    assert_memory_equal(a->value, b->value, N * sizeof(bex_real));
    bex_params_free(a);
    bex_params_free(b);
}

static void schedule_rises_and_falls(void **state) {
    (void)state;
    bex_schedule s = {.peak = 3e-4, .warmup = 2000, .total = 150000};
    assert_true(bex_schedule_lr(&s, 0) == 0);
    assert_true(fabs(bex_schedule_lr(&s, 1000) - 1.5e-4) < 1e-12);
    assert_true(fabs(bex_schedule_lr(&s, 2000) - 3e-4) < 1e-12);
    assert_true(fabs(bex_schedule_lr(&s, 76000) - 1.5e-4) < 1e-12); // half-way
    assert_true(bex_schedule_lr(&s, 150000) == 0 && bex_schedule_lr(&s, 200000) == 0);
    for (long i = 2001; i < 150000; i += 37)
        assert_true(bex_schedule_lr(&s, i) < bex_schedule_lr(&s, i - 1));
    bex_schedule constant = {.peak = 1, .warmup = 0, .total = 0};
    assert_true(bex_schedule_lr(&constant, 0) == 1 && bex_schedule_lr(&constant, 1000000) == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adam),
        cmocka_unit_test(adamw_clipped_with_average),
        cmocka_unit_test(non_finite_gradients_change_nothing),
        cmocka_unit_test(polyak_moves_towards),
        cmocka_unit_test(schedule_rises_and_falls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
