/* nn/op_pointwise.c - functions of one number with at most two constants; one row per function. Those a
 * layer can end in are activations: kernel/activation.h. */
#include "nn/ops.h"

#include "kernel/vmath.h"

typedef struct {
    bex_real a, b;
} constants;

/* _f: y of x;  _b: what dx gains, of dy, x and y */

static inline bex_real exponential_f(bex_real x, constants k) {
    (void)k;
    return bex_exp(x);
}
static inline bex_real exponential_b(bex_real dy, bex_real x, bex_real y, constants k) {
    (void)x, (void)k;
    return dy * y;
}

static inline bex_real square_f(bex_real x, constants k) {
    (void)k;
    return x * x;
}
static inline bex_real square_b(bex_real dy, bex_real x, bex_real y, constants k) {
    (void)y, (void)k;
    return R(2) * x * dy;
}

static inline bex_real affine_f(bex_real x, constants k) {
    return k.a * x + k.b;
}
static inline bex_real affine_b(bex_real dy, bex_real x, bex_real y, constants k) {
    (void)x, (void)y;
    return k.a * dy;
}

// written so that a NaN passes through
static inline bex_real clamp_f(bex_real x, constants k) {
    x = x < k.a ? k.a : x;
    return x > k.b ? k.b : x;
}
static inline bex_real clamp_b(bex_real dy, bex_real x, bex_real y, constants k) {
    (void)y;
    return x >= k.a && x <= k.b ? dy : R(0);
}

#define EACH_POINTWISE(X)                                                                          \
    X(exponential)                                                                                 \
    X(square)                                                                                      \
    X(affine)                                                                                      \
    X(clamp)

typedef struct {
    bex_tensor *x, *y;
    constants k;
} context;

static inline bex_tensor *keep(bex_tape *tape, bex_backward_fn *backward, context c) {
    if (c.y->needs_grad) *(context *)bex_record(tape, backward, sizeof c) = c;
    return c.y;
}

#define X(name)                                                                                    \
    static void name##_backward(bex_tape *tape, void *payload) {                                   \
        const context *c = payload;                                                                \
        if (!c->y->grad) return;                                                                   \
        const bex_real *dy = c->y->grad, *x = c->x->data, *y = c->y->data;                         \
        bex_real *dx = bex_grad_sum(tape, c->x);                                                   \
        for (size_t i = 0; i < bex_count(c->x); i++) dx[i] += name##_b(dy[i], x[i], y[i], c->k);   \
    }                                                                                              \
    static bex_tensor *name(bex_tape *tape, bex_tensor *x, constants k) {                          \
        bex_tensor *y = bex_tensor_like(tape, x);                                                  \
        for (size_t i = 0; i < bex_count(x); i++) y->data[i] = name##_f(x->data[i], k);            \
        return keep(tape, name##_backward, (context){x, y, k});                                    \
    }
EACH_POINTWISE(X)
#undef X

bex_tensor *bex_exponential(bex_tape *tape, bex_tensor *x) {
    return exponential(tape, x, (constants){0});
}

bex_tensor *bex_square(bex_tape *tape, bex_tensor *x) {
    return square(tape, x, (constants){0});
}

bex_tensor *bex_affine(bex_tape *tape, bex_tensor *x, double a, double b) {
    return affine(tape, x, (constants){R(a), R(b)});
}

bex_tensor *bex_clamp(bex_tape *tape, bex_tensor *x, double low, double high) {
    return clamp(tape, x, (constants){R(low), R(high)});
}
