/* nn/init.h - initial values. For a weight of shape (out, in): fan_in = in, fan_out = out; leading
 * dimensions of a rank 3 weight are members of an ensemble, each drawn as its own matrix.
 *
 *   ZERO, ONE, NORMAL                N(0,1)
 *   XAVIER       U(+-sqrt(6 / (fan_in + fan_out)));  VARIANCE(x): its variance times x
 *   LECUN        N(0, 1 / fan_in) cut off at two deviations and widened to that variance: flax's Dense
 *   UNIFORM(n)   U(+-1/sqrt(n)), n = fan_in: PyTorch's Linear default, for weights and biases alike
 *   KAIMING(n)   N(0, 2/n), n = fan_out: torchvision's convolutions
 *   ORTHOGONAL(gain)   rows or columns orthonormal times gain, whichever are fewer */
#ifndef BEX_NN_INIT_H
#define BEX_NN_INIT_H

#include "base/real.h"
#include "base/rng.h"

typedef struct bex_init {
    enum {
        BEX_INIT_KIND_ZERO,
        BEX_INIT_KIND_ONE,
        BEX_INIT_KIND_NORMAL,
        BEX_INIT_KIND_XAVIER,
        BEX_INIT_KIND_LECUN,
        BEX_INIT_KIND_UNIFORM,
        BEX_INIT_KIND_KAIMING,
        BEX_INIT_KIND_ORTHOGONAL
    } kind;
    double x; // fan of UNIFORM and KAIMING, gain of ORTHOGONAL, factor of the variance of XAVIER
} bex_init;

#define BEX_INIT_ZERO          ((bex_init){BEX_INIT_KIND_ZERO, 0})
#define BEX_INIT_ONE           ((bex_init){BEX_INIT_KIND_ONE, 0})
#define BEX_INIT_NORMAL        ((bex_init){BEX_INIT_KIND_NORMAL, 0})
#define BEX_INIT_XAVIER        ((bex_init){BEX_INIT_KIND_XAVIER, 1})
#define BEX_INIT_VARIANCE(x)   ((bex_init){BEX_INIT_KIND_XAVIER, (x)})
#define BEX_INIT_LECUN         ((bex_init){BEX_INIT_KIND_LECUN, 0})
#define BEX_INIT_UNIFORM(n)    ((bex_init){BEX_INIT_KIND_UNIFORM, (n)})
#define BEX_INIT_KAIMING(n)    ((bex_init){BEX_INIT_KIND_KAIMING, (n)})
#define BEX_INIT_ORTHOGONAL(g) ((bex_init){BEX_INIT_KIND_ORTHOGONAL, (g)})

void bex_init_fill(bex_real *x, bex_init init, int rank, const int *dim, bex_rng rng);

#endif
