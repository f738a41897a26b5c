/* nn/op_exponential.c - y = e^x;  dx = dy y. */
#include "nn/ops.h"

#include "kernel/vmath.h"

typedef struct {
    bex_tensor *x, *y;
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    bex_real *dx = bex_grad_sum(tape, c->x);
    for (size_t i = 0; i < bex_count(c->x); i++) dx[i] += c->y->grad[i] * c->y->data[i];
}

bex_tensor *bex_exponential(bex_tape *tape, bex_tensor *x) {
    bex_tensor *y = bex_tensor_like(tape, x);
    for (size_t i = 0; i < bex_count(x); i++) y->data[i] = bex_exp(x->data[i]);
    if (y->needs_grad) *(context *)bex_record(tape, backward, sizeof(context)) = (context){x, y};
    return y;
}
