/* nn/op_norm.c - Euclidean length over the last dimension, y = sqrt(max(sum x^2, floor)); d/dx = x / y, and 0
 * where the floor holds: a length has no gradient at 0. */
#include "nn/ops.h"

#include "base/error.h"
#include "kernel/reduce.h"

typedef struct {
    bex_tensor *x, *y;
    bex_real least; // sqrt(floor)
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    bex_real *dx = bex_grad_sum(tape, c->x);
    size_t n = bex_count(c->y), C = (size_t)bex_width(c->x);
    for (size_t i = 0; i < n; i++) {
        if (!(c->y->data[i] > c->least)) continue;
        bex_real f = c->y->grad[i] / c->y->data[i];
        for (size_t j = 0; j < C; j++) dx[i * C + j] += f * c->x->data[i * C + j];
    }
}

bex_tensor *bex_norm(bex_tape *tape, bex_tensor *x, double floor) {
    BEX_CHECK(x->rank >= 1 && floor > 0, "norm of %s, floor %g", bex_shape(x), floor);
    bex_tensor *y = bex_tensor_new(tape, x->rank - 1, x->dim, x->needs_grad);
    size_t n = bex_count(y), C = (size_t)bex_width(x);
    bex_real least = bex_sqrt(R(floor));
    for (size_t i = 0; i < n; i++) {
        bex_real length = bex_sqrt(bex_dot(x->data + i * C, x->data + i * C, C));
        y->data[i] = length < least ? least : length; // a NaN passes through
    }
    if (y->needs_grad)
        *(context *)bex_record(tape, backward, sizeof(context)) = (context){x, y, least};
    return y;
}
