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
    BEX_ACTIVATION_ID,
    BEX_ACTIVATION_GELU,
    BEX_ACTIVATION_SILU,
    BEX_ACTIVATION_RELU,
    BEX_ACTIVATION_TANH,
    BEX_ACTIVATION_SIGMOID,
    BEX_ACTIVATION_SOFTPLUS,
    BEX_ACTIVATIONS,
} bex_activation;

/* y[i] = act(x[i]); y may be x. */
void bex_activation_fwd(bex_real *y, const bex_real *x, size_t n, bex_activation act);

/* dx[i] = dy[i] act'(x[i]), or += if add. x is the value before the activation. dx may be dy. */
void bex_activation_bwd(bex_real *dx, const bex_real *dy, const bex_real *x, size_t n,
                        bex_activation act, int add);

const char *bex_activation_name(bex_activation act);

#endif
