#include "agent/rl/reward_model.h"

#include "base/error.h"
#include "nn/adam.h"

#include <math.h>
#include <string.h>

int bex_reward_model_init(bex_reward_model *m, int in, const int *hidden, bex_rng rng) {
    bex_mlp_options o = {.in = in, .out = 1, .act = BEX_ACTIVATION_RELU, .xavier = true};
    memcpy(o.hidden, hidden, sizeof o.hidden);
    *m = (bex_reward_model){.params = bex_params_new()};
    m->reward = bex_mlp_add(m->params, "reward", o);
    m->mask = bex_mlp_add(m->params, "mask", o);
    return bex_params_build(m->params, 1, rng);
}

void bex_reward_model_fini(bex_reward_model *m) {
    bex_params_free(m->params);
    *m = (bex_reward_model){0};
}

static bex_tape begin(bex_arena *arena) {
    bex_tape tape;
    bex_tape_init(&tape, arena);
    bex_tape_reset(&tape);
    return tape;
}

int bex_reward_model_learn(bex_reward_model *m, bex_arena *arena, const bex_real *x,
                           const bex_real *reward, const bex_real *mask, int n, double lr) {
    static const bex_adam adam = BEX_ADAM_INIT;
    bex_params_pack(m->params, 1);
    bex_tape tape = begin(arena);
    bex_tape_train(&tape, m->params);
    bex_params_begin(m->params, 0);
    bex_tensor *in = bex_constant(&tape, x, 2, BEX_DIMS(n, m->reward.options.in));
    bex_tensor *of_reward =
        bex_squared_error(&tape, bex_mlp_run(&tape, &m->reward, in),
                          bex_constant(&tape, reward, 2, BEX_DIMS(n, 1)), NULL, 1.0 / n);
    bex_tensor *of_mask = bex_logistic_loss(&tape, bex_mlp_run(&tape, &m->mask, in),
                                            bex_constant(&tape, mask, 2, BEX_DIMS(n, 1)), 1.0 / n);
    bex_tensor *loss = bex_add(&tape, of_reward, of_mask);
    bex_backward(&tape, loss);
    bex_params_end(m->params, 0);
    double value = (double)loss->data[0];
    if (!isfinite(value)) return bex_fail("the reward model's loss is %g", value);
    double norm = bex_adam_step(m->params, &adam, lr, 1);
    return isfinite(norm) ? 0 : bex_fail("the reward model's gradient is not finite");
}

void bex_reward_model_tell(const bex_reward_model *m, bex_arena *arena, const bex_real *x, int n,
                           bex_real *reward, bex_real *mask) {
    bex_tape tape = begin(arena);
    bex_tensor *in = bex_constant(&tape, x, 2, BEX_DIMS(n, m->reward.options.in));
    if (reward)
        memcpy(reward, bex_mlp_run(&tape, &m->reward, in)->data, (size_t)n * sizeof *reward);
    if (!mask) return;
    bex_tensor *logit = bex_mlp_run(&tape, &m->mask, in);
    memcpy(mask, bex_activate(&tape, logit, BEX_ACTIVATION_SIGMOID)->data,
           (size_t)n * sizeof *mask);
}
