/* kernel/activation.h - the pointwise functions a linear layer can end in.
 *
 *   id        y = x                        relu      y = max(x, 0)
 *   gelu      y = x sigmoid(2u), u = sqrt(2/pi) (x + 0.044715 x^3)      the tanh form, exactly:
 *                                          x/2 (1 + tanh u) = x sigmoid(2u)
 *   silu      y = x sigmoid(x)             tanh, sigmoid
 *   softplus  y = log(1 + e^x) */
#ifndef BEX_KERNEL_ACTIVATION_H
#define BEX_KERNEL_ACTIVATION_H

#include "base/real.h"

typedef enum {
    BEX_ACT_ID,
    BEX_ACT_GELU,
    BEX_ACT_SILU,
    BEX_ACT_RELU,
    BEX_ACT_TANH,
    BEX_ACT_SIGMOID,
    BEX_ACT_SOFTPLUS,
    BEX_ACTS,
} bex_activation;

/* y[i] = act(x[i]); y may be x. */
void bex_act_fwd(bex_real *y, const bex_real *x, size_t n, bex_activation act);

/* dx[i] = dy[i] act'(x[i]), or += if add. x is the value before the activation. dx may be dy. */
void bex_activation_bwd(bex_real *dx, const bex_real *dy, const bex_real *x, size_t n,
                        bex_activation act, int add);

const char *bex_act_name(bex_activation act);

#endif
