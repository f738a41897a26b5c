/* nn/op_softmax.c - over the last dimension. */
#include "nn/ops.h"

#include "kernel/softmax.h"

typedef struct {
    bex_tensor *x, *y;
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    int add;
    bex_real *dx = bex_grad(tape, c->x, &add);
    bex_softmax_bwd(dx, c->y->grad, c->y->data, bex_rows(c->x), bex_width(c->x), add);
}

bex_tensor *bex_softmax(bex_tape *tape, bex_tensor *x) {
    bex_tensor *y = bex_tensor_like(tape, x);
    bex_softmax_fwd(y->data, x->data, bex_rows(x), bex_width(x));
    if (y->needs_grad) *(context *)bex_record(tape, backward, sizeof(context)) = (context){x, y};
    return y;
}
