/* nn/op_activate.c - an activation on its own; after a linear layer, fuse it there. */
#include "nn/ops.h"

typedef struct {
    bex_tensor *x, *y;
    bex_activation act;
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    int add;
    bex_real *dx = bex_grad(tape, c->x, &add);
    bex_activation_bwd(dx, c->y->grad, c->x->data, bex_count(c->x), c->act, add);
}

bex_tensor *bex_activate(bex_tape *tape, bex_tensor *x, bex_activation act) {
    bex_tensor *y = bex_tensor_like(tape, x);
    bex_activation_fwd(y->data, x->data, bex_count(x), act);
    if (y->needs_grad)
        *(context *)bex_record(tape, backward, sizeof(context)) = (context){x, y, act};
    return y;
}
