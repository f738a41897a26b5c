/* nn/op_clamp.c - y = min(max(x, low), high); no gradient where x is outside. NaN passes. */
#include "nn/ops.h"

typedef struct {
    bex_tensor *x, *y;
    bex_real low, high;
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    bex_real *dx = bex_grad_sum(tape, c->x);
    for (size_t i = 0; i < bex_count(c->x); i++) {
        bex_real x = c->x->data[i];
        dx[i] += x >= c->low && x <= c->high ? c->y->grad[i] : R(0);
    }
}

bex_tensor *bex_clamp(bex_tape *tape, bex_tensor *x, double low, double high) {
    bex_tensor *y = bex_tensor_like(tape, x);
    context c = {x, y, R(low), R(high)};
    for (size_t i = 0; i < bex_count(x); i++) {
        bex_real v = x->data[i];
        v = v < c.low ? c.low : v;
        y->data[i] = v > c.high ? c.high : v;
    }
    if (y->needs_grad) *(context *)bex_record(tape, backward, sizeof c) = c;
    return y;
}
