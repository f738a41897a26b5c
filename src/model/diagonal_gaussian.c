/* model/diagonal_gaussian.c - hidden layers and two heads. */
#include "model/diagonal_gaussian.h"

#include "base/error.h"

#include <string.h>

bex_diagonal_gaussian bex_diagonal_gaussian_add(bex_params *p, const char *prefix,
                                                bex_diagonal_gaussian_options o) {
    bex_diagonal_gaussian net = {.o = o};
    int in = o.in;
    for (int i = 0; i < BEX_MLP_LAYERS && o.hidden[i]; i++) {
        int out = o.hidden[i];
        net.weight[i] =
            bex_param_add(p, BEX_INIT_XAVIER, 2, BEX_DIMS(out, in), "%s.fc%d.weight", prefix, i);
        net.bias[i] = bex_param_add(p, BEX_INIT_ZERO, 1, BEX_DIMS(out), "%s.fc%d.bias", prefix, i);
        net.layers = i + 1;
        in = out;
    }
    BEX_CHECK(net.layers > 0, "'%s' has no hidden layers", prefix);
    net.mean_weight =
        bex_param_add(p, BEX_INIT_VARIANCE(1e-2), 2, BEX_DIMS(o.out, in), "%s.mean.weight", prefix);
    net.mean_bias = bex_param_add(p, BEX_INIT_ZERO, 1, BEX_DIMS(o.out), "%s.mean.bias", prefix);
    if (o.free) {
        net.std_bias = bex_param_add(p, BEX_INIT_ZERO, 1, BEX_DIMS(o.out), "%s.log_std", prefix);
        return net;
    }
    net.std_weight = bex_param_add(p, BEX_INIT_VARIANCE(1e-2), 2, BEX_DIMS(o.out, in),
                                   "%s.log_std.weight", prefix);
    net.std_bias = bex_param_add(p, BEX_INIT_ZERO, 1, BEX_DIMS(o.out), "%s.log_std.bias", prefix);
    return net;
}

void bex_diagonal_gaussian_run(bex_tape *tape, const bex_diagonal_gaussian *net, bex_tensor *x,
                               bex_tensor **mean, bex_tensor **log_std) {
    for (int i = 0; i < net->layers; i++)
        x = bex_linear(tape, x, net->weight[i], net->bias[i], BEX_ACTIVATION_RELU);
    *mean = bex_linear(tape, x, net->mean_weight, net->mean_bias, BEX_ACTIVATION_ID);
    if (net->o.free) {
        bex_tensor *zero = bex_tensor_new(tape, (*mean)->rank, (*mean)->dim, false);
        memset(zero->data, 0, bex_count(zero) * sizeof *zero->data);
        *log_std = bex_add(tape, zero, bex_use(tape, net->std_bias));
    } else {
        *log_std = bex_linear(tape, x, net->std_weight, net->std_bias, BEX_ACTIVATION_ID);
    }
    *log_std = bex_clamp(tape, *log_std, net->o.low, net->o.high);
}

// sum over dimensions of p_s - q_s + (e^{2 q_s} + (q_m - p_m)^2) e^{-2 p_s} / 2 - 1/2
bex_tensor *bex_gaussian_divergence(bex_tape *tape, bex_tensor *q_mean, bex_tensor *q_log_std,
                                    bex_tensor *p_mean, bex_tensor *p_log_std) {
    bex_tensor *spread = bex_exponential(tape, bex_affine(tape, q_log_std, 2, 0));
    bex_tensor *apart = bex_square(tape, bex_sub(tape, q_mean, p_mean));
    bex_tensor *precision = bex_exponential(tape, bex_affine(tape, p_log_std, -2, 0));
    bex_tensor *quadratic = bex_mul(tape, bex_add(tape, spread, apart), precision);
    bex_tensor *log_ratio = bex_sub(tape, p_log_std, q_log_std);
    return bex_sum_last(tape, bex_add(tape, log_ratio, bex_affine(tape, quadratic, 0.5, -0.5)));
}
