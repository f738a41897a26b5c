/* nn/op_affine.c - y = a x + b with constants;  dx = a dy. */
#include "nn/ops.h"

typedef struct {
    bex_tensor *x, *y;
    bex_real a;
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    bex_real *dx = bex_grad_sum(tape, c->x);
    for (size_t i = 0; i < bex_count(c->x); i++) dx[i] += c->a * c->y->grad[i];
}

bex_tensor *bex_affine(bex_tape *tape, bex_tensor *x, double a, double b) {
    bex_tensor *y = bex_tensor_like(tape, x);
    for (size_t i = 0; i < bex_count(x); i++) y->data[i] = R(a) * x->data[i] + R(b);
    if (y->needs_grad)
        *(context *)bex_record(tape, backward, sizeof(context)) = (context){x, y, R(a)};
    return y;
}
