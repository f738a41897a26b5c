/* nn/op_square.c - y = x^2;  dx = 2 x dy. */
#include "nn/ops.h"

typedef struct {
    bex_tensor *x, *y;
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    bex_real *dx = bex_grad_sum(tape, c->x);
    for (size_t i = 0; i < bex_count(c->x); i++) dx[i] += R(2) * c->x->data[i] * c->y->grad[i];
}

bex_tensor *bex_square(bex_tape *tape, bex_tensor *x) {
    bex_tensor *y = bex_tensor_like(tape, x);
    for (size_t i = 0; i < bex_count(x); i++) y->data[i] = x->data[i] * x->data[i];
    if (y->needs_grad) *(context *)bex_record(tape, backward, sizeof(context)) = (context){x, y};
    return y;
}
