/* nn/adam.h - Adam and AdamW, with optional clipping by global norm and a running average.
 *
 *   m = b1 m + (1 - b1) g        v = b2 v + (1 - b2) g^2         t = updates done, this one included
 *   x -= lr / (1 - b1^t)  m / (sqrt(v / (1 - b2^t)) + eps)
 *
 * AdamW (decoupled) first shrinks x by lr decay x; Adam adds decay x to g. Both as in PyTorch.
 *
 *   x_ema = d x_ema + (1 - d) x          d = min(ema_decay, t / (9 + t))
 *
 * Of t updates the last ninth counts, until that is 1 / (1 - ema_decay): a short run is not held back by
 * where it began. */
#ifndef BEX_NN_ADAM_H
#define BEX_NN_ADAM_H

#include "nn/param.h"

typedef struct bex_adam {
    double beta1, beta2, eps, decay;
    int decoupled;    // AdamW
    double clip;      // largest global gradient norm, 0 for none
    double ema_decay; // of the running average x_ema, 0 for none
} bex_adam;

#define BEX_ADAM_INIT                                                                              \
    { .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8 }
/* of the policy: AdamW, betas (0.95, 0.999), decay 1e-6 on everything */
#define BEX_ADAMW_INIT                                                                             \
    { .beta1 = 0.95, .beta2 = 0.999, .eps = 1e-8, .decay = 1e-6, .decoupled = 1 }

/* Update from the gradient in lane 0's block. Returns the gradient norm before clipping; if it is not
 * finite nothing is changed: the caller reports and stops. `threads` changes nothing but speed. The
 * first call allocates moments and average, unless they are there: it aborts where there is no memory
 * for them. */
double bex_adam_step(bex_params *params, const bex_adam *adam, double lr, int threads);

/* sqrt(sum g^2) of lane 0's gradients: pieces in a fixed order. */
double bex_grad_norm(const bex_params *params, int threads);

#endif
