/* What a training step promises: the same bits for any number of threads, no malloc once warm, for
 * learning and for inference; and that it learns. */
#include "base/parallel.h"
#include "model/encoder.h"
#include "model/mlp.h"
#include "nn/adam.h"
#include "nn/lanes.h"
#include "nn/schedule.h"

#include "kernel/random.h"

#include "malloc_count.h"
#include "test.h"

#include <math.h>

enum { B = 24, T = 9, C = 32, HEADS = 4, OUT = 4, BLOCKS = 2, LANES = 8 };

typedef struct {
    bex_params *params;
    bex_encoder encoder;
    bex_mlp head;
    bex_real x[B * T * C], target[B * OUT];
    bex_lanes *lanes;
    double loss;
} learner;

static learner *learner_new(int threads) {
    learner *l = calloc(1, sizeof *l);
    l->params = bex_params_new();
    l->encoder = bex_encoder_add(
        l->params, "encoder",
        (bex_stack){
            .blocks = BLOCKS, .C = C, .feedforward = 2 * C, .heads = HEADS, .dropout = 0.1});
    l->head = bex_mlp_add(
        l->params, "head",
        (bex_mlp_options){.in = C, .out = OUT, .hidden = {16}, .act = BEX_ACTIVATION_SILU});
    l->lanes = bex_lanes_new(LANES, threads);
    bex_params_build(l->params, bex_lanes_blocks(l->lanes), bex_rng_seed(1));
    bex_rng g = bex_rng_seed(2);
    bex_random_normal(l->x, B * T * C, &g);
    bex_random_normal(l->target, B * OUT, &g);
    return l;
}

static void learner_free(learner *l) {
    bex_lanes_free(l->lanes);
    bex_params_free(l->params);
    free(l);
}

static bex_tensor *predict(bex_tape *tape, const learner *l, int first, int count) {
    bex_tensor *out[BLOCKS];
    bex_tensor *x = bex_constant(tape, l->x + first * T * C, 3, BEX_DIMS(count, T, C));
    bex_encoder_run(tape, &l->encoder, x, NULL, out);
    return bex_mlp_run(tape, &l->head, bex_mean_tokens(tape, out[BLOCKS - 1], 0, T));
}

// micro-batches of two samples, with dropout: every lane's random stream is its own
static int lane_work(bex_tape *tape, int lane, void *payload, double *result) {
    learner *l = payload;
    int first, count;
    *result = 0;
    bex_part(B, LANES, lane, &first, &count);
    for (int i = 0; i < count; i += 2) {
        int n = count - i < 2 ? count - i : 2;
        bex_tape_train(tape, l->params);
        bex_tensor *y = predict(tape, l, first + i, n);
        bex_tensor *t = bex_constant(tape, l->target + (first + i) * OUT, 2, BEX_DIMS(n, OUT));
        bex_tensor *e = bex_squared_error(tape, y, t, NULL, 1.0 / (B * OUT));
        bex_backward(tape, e);
        *result += (double)e->data[0];
        bex_tape_reset(tape);
    }
    return 0;
}

static void train_step(learner *l, int step) {
    static const bex_schedule schedule = {.peak = 3e-3, .warmup = 5, .total = 60};
    bex_adam adam = BEX_ADAMW_INIT;
    adam.clip = 1, adam.ema_decay = 0.99;
    if (bex_lanes_threads(l->lanes) != 1)
        bex_params_pack(l->params, 2); // the same bits, packed or not
    bex_rng rng = bex_rng_split(bex_rng_seed(3), "step", (uint64_t)step);
    assert_int_equal(bex_lanes_learn(l->lanes, rng, lane_work, l, l->params, &l->loss), 0);
    bex_adam_step(l->params, &adam, bex_schedule_lr(&schedule, step), bex_lanes_threads(l->lanes));
}

static void same_bits_for_1_2_and_3_threads(void **state) {
    (void)state;
    learner *l[3];
    for (int k = 0; k < 3; k++) {
        l[k] = learner_new(k + 1);
        assert_int_equal(bex_lanes_threads(l[k]->lanes), k + 1);
    }
    for (int step = 0; step < 50; step++) {
        for (int k = 0; k < 3; k++) train_step(l[k], step);
        for (int k = 1; k < 3; k++) {
            assert_memory_equal(&l[0]->loss, &l[k]->loss, sizeof(double));
            size_t bytes = l[0]->params->count * sizeof(bex_real);
            assert_memory_equal(l[0]->params->value, l[k]->params->value, bytes);
            assert_memory_equal(l[0]->params->m, l[k]->params->m, bytes);
            assert_memory_equal(l[0]->params->v, l[k]->params->v, bytes);
            assert_memory_equal(l[0]->params->ema, l[k]->params->ema, bytes);
        }
    }
    for (int k = 0; k < 3; k++) learner_free(l[k]);
}

static void another_seed_gives_other_bits(void **state) {
    (void)state;
    learner *a = learner_new(2), *b = learner_new(2);
    for (int step = 0; step < 3; step++) train_step(a, step), train_step(b, step + 1);
    assert_true(memcmp(a->params->value, b->params->value, a->params->count * sizeof(bex_real)) !=
                0);
    learner_free(a);
    learner_free(b);
}

static void loss_falls(void **state) {
    (void)state;
    learner *l = learner_new(2);
    train_step(l, 0);
    double first = l->loss;
    for (int step = 1; step < 60; step++) train_step(l, step);
    assert_true(l->loss < 0.3 * first);
    learner_free(l);
}

static void no_malloc_in_a_steady_step(void **state) {
    (void)state;
    if (!malloc_counted()) skip();
    for (int threads = 1; threads <= 2; threads++) {
        learner *l = learner_new(threads);
        for (int step = 0; step < 3; step++) train_step(l, step);
        long before = malloc_calls();
        for (int step = 3; step < 13; step++) train_step(l, step);
        assert_int_equal(malloc_calls() - before, 0);
        learner_free(l);
    }
}

static void no_malloc_in_steady_inference(void **state) {
    (void)state;
    if (!malloc_counted()) skip();
    learner *l = learner_new(1);
    bex_arena *arena = bex_arena_new();
    bex_tape tape;
    bex_tape_init(&tape, arena);
    long before = 0;
    for (int i = 0; i < 10; i++) {
        if (i == 2) before = malloc_calls();
        predict(&tape, l, 0, 1);
        bex_tape_reset(&tape);
    }
    assert_int_equal(malloc_calls() - before, 0);
    bex_arena_free(arena);
    learner_free(l);
}

static void the_counter_counts(void **state) {
    (void)state;
    if (!malloc_counted()) skip();
    long before = malloc_calls();
    void *volatile p = malloc(10);
    free(p);
    assert_int_equal(malloc_calls() - before, 1);
}

static void inference_rows_do_not_depend_on_the_batch(void **state) {
    (void)state;
    learner *l = learner_new(1);
    bex_arena *arena = bex_arena_new();
    bex_tape tape;
    bex_tape_init(&tape, arena);
    const bex_tensor *all = predict(&tape, l, 0, B);
    for (int i = 0; i < B; i++) {
        const bex_tensor *one = predict(&tape, l, i, 1);
        assert_memory_equal(one->data, all->data + i * OUT, OUT * sizeof(bex_real));
    }
    bex_arena_free(arena);
    learner_free(l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_counter_counts),
        cmocka_unit_test(same_bits_for_1_2_and_3_threads),
        cmocka_unit_test(another_seed_gives_other_bits),
        cmocka_unit_test(loss_falls),
        cmocka_unit_test(no_malloc_in_a_steady_step),
        cmocka_unit_test(no_malloc_in_steady_inference),
        cmocka_unit_test(inference_rows_do_not_depend_on_the_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
