/* nn/ops.h - every operation of the tape, one line of formula each; op_<name>.c holds one whole: shape
 * rule, forward, backward. Adding one: its file (a function of one number: a row of op_pointwise.c), its
 * declaration here, its row in tests/nn/test_ops.c.
 *
 * Letters: B batch, T tokens, C width or channels, E ensemble members, M any rows. Shapes are checked (a bug
 * aborts with both shapes). Results live in the tape's arena. */
#ifndef BEX_NN_OPS_H
#define BEX_NN_OPS_H

#include "kernel/activation.h"
#include "nn/tape.h"

/* ---- layers ---- */

/* y (..,N) = act(x (..,K) W^T + b), W (N,K), b (N) or NULL.
 * Ensemble: W (E,N,K), b (E,N): x (E,M,K), or (M,K) shared by all members; y (E,M,N). */
bex_tensor *bex_linear(bex_tape *tape, bex_tensor *x, const bex_param *W, const bex_param *b,
                       bex_activation act);

/* The same with rows first..first+count-1 of W and b: part of a packed projection. */
bex_tensor *bex_linear_rows(bex_tape *tape, bex_tensor *x, const bex_param *W, const bex_param *b,
                            int first, int count, bex_activation act);

/* y = (x - mean) / sqrt(var + eps) w + b over the last dimension. w, b (C), both NULL for none. */
bex_tensor *bex_layernorm(bex_tape *tape, bex_tensor *x, const bex_param *w, const bex_param *b,
                          double eps);

/* y = layernorm(x) scale + shift; x (B,T,C), scale and shift (B,C). Not 1 + scale. */
bex_tensor *bex_layernorm_modulated(bex_tape *tape, bex_tensor *x, const bex_param *w,
                                    const bex_param *b, bex_tensor *scale, bex_tensor *shift,
                                    double eps);

/* Columns at..at+C-1 of each row of a tensor: the heads of a packed projection. */
typedef struct bex_columns {
    bex_tensor *t;
    int at;
} bex_columns;

/* o (B,Tq,C): softmax(q k^T / sqrt(C/heads)) v per head; q from (B,Tq,..), k and v from (B,Tk,..). */
bex_tensor *bex_attention(bex_tape *tape, bex_columns q, bex_columns k, bex_columns v, int C,
                          int heads);

/* o (B,Q,C): as attention, but row (b,t) sees the prefix of its group and the Q tokens of its own window:
 * q, k, v from (B,Q,..), prefix_k and prefix_v from (G,N,..); windows b of one group follow each
 * other, B/G to a group. */
bex_tensor *bex_prefix_attention(bex_tape *tape, bex_columns q, bex_columns k, bex_columns v,
                                 bex_columns prefix_k, bex_columns prefix_v, int C, int heads);

/* x becomes x keep / (1 - p), keep ~ Bernoulli(1 - p) from the tape's rng, and is returned; untouched unless
 * tape->training. In place: x is fresh from an operation that does not need its result for its gradient
 * (linear, attention, add), and nobody has used it yet; never a parameter or the caller's memory. */
bex_tensor *bex_dropout(bex_tape *tape, bex_tensor *x, double p);

/* y (M,T,H): the states of a gated recurrent unit after each of T steps, from gx (3,M T,H) = W x + b of the
 * gates r, g, n (an ensemble of three linear layers over the sequences' rows), U (3,H,H) and c (H);
 * `backwards`: from the last step to the first. Equations: op_gru.c. */
bex_tensor *bex_gru(bex_tape *tape, bex_tensor *gx, const bex_param *U, const bex_param *c, int T,
                    bool backwards);
/* ---- pictures: x (B,H,W,C), channels last ---- */

/* y (B,OH,OW,N) = convolution with W (N,kh,kw,C) + b (N) or NULL (kernel/conv2d.h). */
bex_tensor *bex_conv2d(bex_tape *tape, bex_tensor *x, const bex_param *W, const bex_param *b,
                       int stride, int pad);

/* y = act(n w + b + residual), n normalised over the pixels and channels of each of `groups` groups of a
 * picture; residual like x, another tensor, or NULL; relu: act(z) = max(0, z). */
bex_tensor *bex_groupnorm(bex_tape *tape, bex_tensor *x, const bex_param *w, const bex_param *b,
                          int groups, double eps, bex_tensor *residual, bool relu);

/* Over k x k windows (kernel/pool2d.h); (B,2C): the mean column and row of each channel's softmax. */
bex_tensor *bex_max_pool(bex_tape *tape, bex_tensor *x, int k, int stride, int pad);
bex_tensor *bex_mean_pool(bex_tape *tape, bex_tensor *x, int k, int stride, int pad);
bex_tensor *bex_spatial_softmax(bex_tape *tape, bex_tensor *x);

/* ---- pointwise ---- */

bex_tensor *bex_activate(bex_tape *tape, bex_tensor *x, bex_activation act);
bex_tensor *bex_exponential(bex_tape *tape, bex_tensor *x);                    // y = e^x
bex_tensor *bex_square(bex_tape *tape, bex_tensor *x);                         // y = x^2
bex_tensor *bex_affine(bex_tape *tape, bex_tensor *x, double a, double b);     // y = a x + b
bex_tensor *bex_clamp(bex_tape *tape, bex_tensor *x, double low, double high); // gradient 0 outside

/* b has the shape of a, or of a's last dimensions (then it is repeated). */
bex_tensor *bex_add(bex_tape *tape, bex_tensor *a, bex_tensor *b); // y = a + b
bex_tensor *bex_sub(bex_tape *tape, bex_tensor *a, bex_tensor *b); // y = a - b
bex_tensor *bex_mul(bex_tape *tape, bex_tensor *a, bex_tensor *b); // y = a b

/* y = x scale + shift; x (B,T,C), scale and shift (B,C). */
bex_tensor *bex_modulate(bex_tape *tape, bex_tensor *x, bex_tensor *scale, bex_tensor *shift);

/* y = x + gate r; x, r (B,T,C), gate (B,C): a gated residual. */
bex_tensor *bex_gated_add(bex_tape *tape, bex_tensor *x, bex_tensor *gate, bex_tensor *r);

/* y[b] = use_b[b] ? b's row : a[b]; a (B,C), b (B,C) or (C); use_b (B) bytes: condition dropout. */
bex_tensor *bex_select(bex_tape *tape, bex_tensor *a, bex_tensor *b, const unsigned char *use_b);

bex_tensor *bex_softmax(bex_tape *tape, bex_tensor *x); // over the last dimension

/* ---- shape ---- */

bex_tensor *bex_reshape(bex_tape *tape, bex_tensor *x, int rank, const int *dim);
bex_tensor *bex_concat(bex_tape *tape, bex_tensor *a, bex_tensor *b, int axis);
bex_tensor *bex_slice(bex_tape *tape, bex_tensor *x, int axis, int first, int count);
bex_tensor *bex_detach(bex_tape *tape, bex_tensor *x); // the same values, no gradient

/* ---- reductions ---- */

/* y (B,C) = mean over tokens first..first+count-1 of x (B,T,C). */
bex_tensor *bex_mean_tokens(bex_tape *tape, bex_tensor *x, int first, int count);

/* Over the first dimension, x (E,..) -> (..); the minimum's gradient goes to the first that has it. */
bex_tensor *bex_min_members(bex_tape *tape, bex_tensor *x);
bex_tensor *bex_mean_members(bex_tape *tape, bex_tensor *x);

bex_tensor *bex_sum_all(bex_tape *tape, bex_tensor *x, double factor); // scalar: factor sum(x)
bex_tensor *bex_sum_last(bex_tape *tape, bex_tensor *x);               // (..,C) -> (..)

bex_tensor *bex_norm(bex_tape *tape, bex_tensor *x,
                     double floor); // (..,C) -> (..): sqrt(max(sum x^2, floor))

/* ---- losses and densities ---- */

/* scalar: factor sum over rows of weight[row] sum of (x - target)^2; x, target (..,C); weight has one
 * value per row of x, NULL for 1, and must outlive the pass. The target gets no gradient. */
bex_tensor *bex_squared_error(bex_tape *tape, bex_tensor *x, const bex_tensor *target,
                              const bex_real *weight, double factor);

/* scalar: factor sum of |tau - 1(sign < 0)| x^2; sign, of x's shape, gets no gradient and may be x. */
bex_tensor *bex_expectile(bex_tape *tape, bex_tensor *x, const bex_tensor *sign, double tau,
                          double factor);

/* scalar: factor sum of softplus(x) - x target: cross entropy of logits against targets in [0,1]. */
bex_tensor *bex_logistic_loss(bex_tape *tape, bex_tensor *x, const bex_tensor *target,
                              double factor);

/* (M): log N(a; mean, diag e^{2 log_std}), summed over the last dimension; all (M,A). */
bex_tensor *bex_gaussian_logp(bex_tape *tape, bex_tensor *a, bex_tensor *mean, bex_tensor *log_std);

/* z = mean + e^{log_std} noise; noise (M,A) is constant. tanh(z) is then bex_activate. */
bex_tensor *bex_gaussian_sample(bex_tape *tape, bex_tensor *mean, bex_tensor *log_std,
                                const bex_tensor *noise);

/* (M): sum over the last dimension of log(1 - tanh(z)^2) = 2 (log 2 - z - softplus(-2z)): what the
 * squashing of a tanh-Gaussian takes from its log-density. */
bex_tensor *bex_tanh_logdet(bex_tape *tape, bex_tensor *z);

#endif
