/* model/tanh_gaussian.c - the hidden layers, two heads, and the density of what was squashed. */
#include "model/tanh_gaussian.h"

#include "base/error.h"

bex_tanh_gaussian bex_tanh_gaussian_add(bex_params *p, bex_tanh_gaussian_options o) {
    if (o.low == 0 && o.high == 0) o.low = -20, o.high = 2;
    bex_tanh_gaussian pi = {.o = o};
    int in = o.O;
    for (int i = 0; i < BEX_MLP_LAYERS && o.hidden[i]; i++) {
        int out = o.hidden[i];
        pi.weight[i] = bex_param_add(p, BEX_INIT_XAVIER, 2, BEX_DIMS(out, in), "fc%d.weight", i);
        pi.bias[i] = bex_param_add(p, BEX_INIT_ZERO, 1, BEX_DIMS(out), "fc%d.bias", i);
        pi.layers = i + 1;
        in = out;
    }
    BEX_CHECK(pi.layers > 0, "an actor without hidden layers");
    pi.mean_weight = bex_param_add(p, BEX_INIT_XAVIER, 2, BEX_DIMS(o.A, in), "mean.weight");
    pi.mean_bias = bex_param_add(p, BEX_INIT_ZERO, 1, BEX_DIMS(o.A), "mean.bias");
    pi.std_weight = bex_param_add(p, BEX_INIT_XAVIER, 2, BEX_DIMS(o.A, in), "log_std.weight");
    pi.std_bias = bex_param_add(p, BEX_INIT_ZERO, 1, BEX_DIMS(o.A), "log_std.bias");
    return pi;
}

void bex_tanh_gaussian_heads(bex_tape *tape, const bex_tanh_gaussian *pi, bex_tensor *s,
                             bex_tensor **mean, bex_tensor **log_std) {
    bex_tensor *h = s;
    for (int i = 0; i < pi->layers; i++)
        h = bex_linear(tape, h, pi->weight[i], pi->bias[i], BEX_ACTIVATION_RELU);
    *mean = bex_linear(tape, h, pi->mean_weight, pi->mean_bias, BEX_ACTIVATION_ID);
    if (!log_std) return;
    *log_std = bex_linear(tape, h, pi->std_weight, pi->std_bias, BEX_ACTIVATION_ID);
    *log_std = bex_clamp(tape, *log_std, pi->o.low, pi->o.high);
}

bex_tensor *bex_tanh_gaussian_sample(bex_tape *tape, const bex_tanh_gaussian *pi, bex_tensor *s,
                                     const bex_tensor *noise, bex_tensor **logp) {
    bex_tensor *mean, *log_std, *z;
    BEX_CHECK(noise || !logp, "log-density of an action that was not drawn");
    bex_tanh_gaussian_heads(tape, pi, s, &mean, noise ? &log_std : NULL);
    if (!noise) return bex_activate(tape, mean, BEX_ACTIVATION_TANH);
    z = bex_gaussian_sample(tape, mean, log_std, noise);
    if (logp)
        *logp = bex_sub(tape, bex_gaussian_logp(tape, z, mean, log_std), bex_tanh_logdet(tape, z));
    return bex_activate(tape, z, BEX_ACTIVATION_TANH);
}
