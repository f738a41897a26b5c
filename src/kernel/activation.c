/* kernel/activation.c - see the header for the formulas; one macro row per function. */
#include "kernel/activation.h"

#include "base/error.h"
#include "kernel/vmath.h"

static inline bex_real id_f(bex_real x) {
    return x;
}
static inline bex_real id_d(bex_real x) {
    (void)x;
    return R(1);
}

static const bex_real GELU_A = R(1.5957691216057308),
                      GELU_B = R(0.071354816272600239); // 2 sqrt(2/pi) {1, 0.044715}

static inline bex_real gelu_f(bex_real x) {
    return x * bex_sigmoid(x * (GELU_A + GELU_B * (x * x)));
}
static inline bex_real gelu_d(bex_real x) {
    bex_real s = bex_sigmoid(x * (GELU_A + GELU_B * (x * x)));
    return s + x * s * (R(1) - s) * (GELU_A + R(3) * GELU_B * (x * x));
}

static inline bex_real silu_f(bex_real x) {
    return x * bex_sigmoid(x);
}
static inline bex_real silu_d(bex_real x) {
    bex_real s = bex_sigmoid(x);
    return s + x * s * (R(1) - s);
}

// written so that a NaN passes through
static inline bex_real relu_f(bex_real x) {
    return x < R(0) ? R(0) : x;
}
static inline bex_real relu_d(bex_real x) {
    return x > R(0) ? R(1) : R(0);
}

static inline bex_real tanh_f(bex_real x) {
    return bex_tanh(x);
}
static inline bex_real tanh_d(bex_real x) {
    bex_real t = bex_tanh(x);
    return R(1) - t * t;
}

static inline bex_real sigmoid_f(bex_real x) {
    return bex_sigmoid(x);
}
static inline bex_real sigmoid_d(bex_real x) {
    bex_real s = bex_sigmoid(x);
    return s * (R(1) - s);
}

static inline bex_real softplus_f(bex_real x) {
    return bex_softplus(x);
}
static inline bex_real softplus_d(bex_real x) {
    return bex_sigmoid(x);
}

#define EACH_ACTIVATION(X)                                                                         \
    X(BEX_ACTIVATION_ID, id)                                                                       \
    X(BEX_ACTIVATION_GELU, gelu)                                                                   \
    X(BEX_ACTIVATION_SILU, silu)                                                                   \
    X(BEX_ACTIVATION_RELU, relu)                                                                   \
    X(BEX_ACTIVATION_TANH, tanh)                                                                   \
    X(BEX_ACTIVATION_SIGMOID, sigmoid)                                                             \
    X(BEX_ACTIVATION_SOFTPLUS, softplus)

// in place has a loop of its own: clang's test that y and x are apart fails there, and it would go one by one
void bex_activation_fwd(bex_real *y, const bex_real *x, size_t n, bex_activation act) {
    switch (act) {
#define X(value, name)                                                                             \
    case value:                                                                                    \
        if (y == x)                                                                                \
            for (size_t i = 0; i < n; i++) y[i] = name##_f(y[i]);                                  \
        else                                                                                       \
            for (size_t i = 0; i < n; i++) y[i] = name##_f(x[i]);                                  \
        return;
        EACH_ACTIVATION(X)
#undef X
    default:
        BEX_CHECK(0, "activation %d", (int)act);
    }
}

void bex_activation_bwd(bex_real *dx, const bex_real *dy, const bex_real *x, size_t n,
                        bex_activation act, int add) {
    switch (act) {
#define X(value, name)                                                                             \
    case value:                                                                                    \
        if (add)                                                                                   \
            for (size_t i = 0; i < n; i++) dx[i] += dy[i] * name##_d(x[i]);                        \
        else                                                                                       \
            for (size_t i = 0; i < n; i++) dx[i] = dy[i] * name##_d(x[i]);                         \
        return;
        EACH_ACTIVATION(X)
#undef X
    default:
        BEX_CHECK(0, "activation %d", (int)act);
    }
}

const char *bex_activation_name(bex_activation act) {
    switch (act) {
#define X(value, name)                                                                             \
    case value:                                                                                    \
        return #name;
        EACH_ACTIVATION(X)
#undef X
    default:
        return "?";
    }
}
