/* Parity of the whole policy with PyTorch, full and prefix mode: forward, loss, every gradient, three AdamW
 * steps, a guided DDIM chunk from given noise; and of one that sees two cameras through a ResNet-18.
 * Goldens: tests/parity/make_policy.py. */
#include "model/dit.h"
#include "model/vision.h"
#include "nn/adam.h"
#include "nn/safetensors.h"
#include "policy/sampler.h"

#include "base/error.h"

#include "golden.h"

#include <math.h>

enum {
    O = 5,
    A = 3,
    K = 4,
    C = 16,
    F = 24,
    HEADS = 2,
    BLOCKS = 2,
    T = 8,
    N = 6,
    B = 6,
    G = 3,
    TASKS = 3,
    STEPS = 3,
    CAMERAS = 2,
    HEIGHT = 33,
    WIDTH = 36,
    PIXELS = CAMERAS * B * HEIGHT * WIDTH * 3
};

#ifdef BEX_F64
static const double BOUND = 2e-7;
#else
static const double BOUND = 1e-5;
#endif

typedef struct {
    bex_params *params;
    bex_dit dit;
    bex_vision vision;
    bex_tensor *seen[BEX_CAMERAS];
    bex_real pixels[PIXELS];
    bex_noise_schedule schedule;
    bex_real state[B * O], coverage[B], timestep[B], history[B * N * O], clean[B * K * A],
        noise[B * K * A], mask[B * K];
    int task[B], step[B];
    unsigned char hidden[B];
} policy;

static bex_st_file *open_golden(const char *mode) {
    char path[512];
    const char *folder = getenv("BEX_GOLDENS");
    snprintf(path, sizeof path, "%s/policy_%s.safetensors",
             folder ? folder : BEX_SOURCE_DIR "/tests/golden", mode);
    bex_st_file *f = bex_st_load(path);
    if (!f) fail_msg("%s", bex_error());
    return f;
}

static void fetch(bex_real *out, const bex_st_file *f, const char *name) {
    const bex_st_tensor *t = bex_st_find(f, name);
    if (!t) fail_msg("no tensor '%s'", name);
    if (bex_st_read_real(f, name, out, t->rank, t->dim) < 0) fail_msg("%s", bex_error());
}

static void fetch_param(bex_real *out, const bex_st_file *f, const char *prefix,
                        const bex_param *p) {
    char name[160];
    snprintf(name, sizeof name, "%s%s", prefix, p->name);
    fetch(out, f, name);
    assert_int_equal(bex_st_find(f, name)->count, p->count);
}

static policy *policy_new(const bex_st_file *f, bex_dit_mode mode) {
    policy *p = calloc(1, sizeof *p);
    p->params = bex_params_new();
    bool sees = bex_st_find(f, "pixels") != NULL;
    p->vision = bex_vision_add(
        p->params, (bex_vision_options){
                       .cameras = sees ? CAMERAS : 0,
                       .height = HEIGHT,
                       .width = WIDTH,
                       .shared = true,
                       .net = {.depth = 18, .width = 4, .groups = 2, .pool = BEX_RESNET_PLACES}});
    if (sees) fetch(p->pixels, f, "pixels");
    p->dit = bex_dit_add(p->params, (bex_dit_options){.O = O,
                                                      .columns = A,
                                                      .K = K,
                                                      .C = C,
                                                      .feedforward = F,
                                                      .heads = HEADS,
                                                      .blocks = BLOCKS,
                                                      .time_width = T,
                                                      .N = N,
                                                      .coverage = true,
                                                      .timestep = true,
                                                      .tasks = TASKS,
                                                      .cameras = p->vision.o.cameras,
                                                      .places = p->vision.places,
                                                      .features = p->vision.features,
                                                      .mode = mode});
    bex_params_build(p->params, 1, bex_rng_seed(0));
    for (int i = 0; i < p->params->params; i++)
        fetch_param(bex_param_edit(p->params->param[i]), f, "param.", p->params->param[i]);
    bex_noise_schedule_init(&p->schedule, 100, BEX_PREDICTS_NOISE);
    bex_real task[B], step[B], hidden[B], history[G * N * O];
    fetch(p->state, f, "state");
    fetch(p->coverage, f, "coverage");
    fetch(p->timestep, f, "timestep");
    fetch(p->clean, f, "clean");
    fetch(p->noise, f, "noise");
    fetch(p->mask, f, "mask");
    fetch(task, f, "task");
    fetch(step, f, "step");
    fetch(hidden, f, "hidden");
    fetch(history, f, "history");
    for (int i = 0; i < B; i++)
        p->task[i] = (int)task[i], p->step[i] = (int)step[i], p->hidden[i] = hidden[i] > 0;
    // full mode takes the history once for each window
    int copies = mode == BEX_DIT_FULL ? B / G : 1;
    for (int i = 0; i < G * copies; i++)
        memcpy(p->history + i * N * O, history + i / copies * N * O, N * O * sizeof *history);
    return p;
}

static void policy_free(policy *p) {
    bex_params_free(p->params);
    free(p);
}

static bex_dit_input input_of(policy *p, bex_tape *tape, const unsigned char *hidden) {
    if (p->vision.o.cameras) bex_vision_run(tape, &p->vision, p->pixels, B, p->seen);
    return (bex_dit_input){.B = B,
                           .G = p->dit.o.mode == BEX_DIT_FULL ? B : G,
                           .state = p->state,
                           .coverage = p->coverage,
                           .hidden = hidden,
                           .history = p->history,
                           .timestep = p->timestep,
                           .task = p->task,
                           .seen = p->seen};
}

static void compare_gradients(const policy *p, const bex_st_file *f) {
    static bex_real golden[32 * 9 * 32];
    for (int i = 0; i < p->params->params; i++) {
        const bex_param *q = p->params->param[i];
        fetch_param(golden, f, "grad.", q);
        near_golden(q->name, bex_param_grad(q, 0), golden, q->count, BOUND);
    }
}

static void three_steps(policy *p, const bex_st_file *f, bex_tape *tape) {
    bex_real golden[B * K * A], noised[B * K * A];
    double losses[STEPS];
    bex_adam adam = BEX_ADAMW_INIT;
    assert_int_equal(bex_st_read_f64(f, "losses", losses, 1, (int64_t[]){STEPS}), 0);
    for (int i = 0; i < B * K * A; i++) {
        double a = p->schedule.alpha_bar[p->step[i / (K * A)]];
        noised[i] = (bex_real)(sqrt(a) * (double)p->clean[i] + sqrt(1 - a) * (double)p->noise[i]);
    }
    for (int n = 0; n < STEPS; n++) {
        bex_tensor *pooled[BLOCKS];
        bex_params_zero_grad(p->params);
        bex_tape_train(tape, p->params);
        bex_dit_input in = input_of(p, tape, p->hidden);
        bex_dit_encode(tape, &p->dit, &in, pooled);
        bex_tensor *x = bex_constant(tape, noised, 3, BEX_DIMS(B, K, A));
        bex_tensor *eps = bex_dit_denoise(tape, &p->dit, x, p->step, pooled);
        bex_tensor *noise = bex_constant(tape, p->noise, 3, BEX_DIMS(B, K, A));
        bex_tensor *loss = bex_squared_error(tape, eps, noise, p->mask, 1.0 / (B * A));
        bex_backward(tape, loss);
        if (n == 0) {
            fetch(golden, f, "forward");
            near_golden("forward", eps->data, golden, B * K * A, BOUND);
            compare_gradients(p, f);
        }
        if (!(fabs((double)loss->data[0] - losses[n]) <= BOUND * losses[n]))
            fail_msg("loss %d: %.9g, PyTorch %.9g", n, (double)loss->data[0], losses[n]);
        bex_adam_step(p->params, &adam, 1e-3, 1);
        bex_tape_reset(tape);
    }
}

static void guided_chunk(policy *p, const bex_st_file *f, bex_tape *tape) {
    bex_real x[B * K * A], golden[B * K * A];
    const unsigned char all[B] = {1, 1, 1, 1, 1, 1};
    bex_tensor *pooled[BLOCKS], *null[BLOCKS];
    bex_dit_input in = input_of(p, tape, NULL), hidden = input_of(p, tape, all);
    bex_dit_encode(tape, &p->dit, &in, pooled);
    bex_dit_encode(tape, &p->dit, &hidden, null);
    memcpy(x, p->noise, sizeof x);
    bex_sampler s = {&p->schedule, 8, 2.5, NULL, 0};
    bex_sample(tape, &p->dit, &s, x, B, pooled, null);
    fetch(golden, f, "chunk");
    near_golden("chunk", x, golden, B * K * A, BOUND);
}

static void compare(const char *name, bex_dit_mode mode) {
    bex_st_file *f = open_golden(name);
    policy *p = policy_new(f, mode);
    bex_arena *arena = bex_arena_new();
    bex_tape tape;
    bex_tape_init(&tape, arena);
    guided_chunk(p, f, &tape);
    bex_tape_reset(&tape);
    three_steps(p, f, &tape);
    bex_arena_free(arena);
    policy_free(p);
    bex_st_free(f);
}

static void full_mode(void **state) {
    (void)state;
    compare("full", BEX_DIT_FULL);
}

static void prefix_mode(void **state) {
    (void)state;
    compare("prefix", BEX_DIT_PREFIX);
}

static void with_pictures(void **state) {
    (void)state;
    compare("seen", BEX_DIT_PREFIX);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(full_mode), cmocka_unit_test(prefix_mode),
                                       cmocka_unit_test(with_pictures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
