/* nn/op_reshape.c - another shape of the same elements, and the end of a gradient (detach). */
#include "nn/ops.h"

#include "base/error.h"

#include <string.h>

typedef struct {
    bex_tensor *x, *y;
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    int add;
    bex_real *dx = bex_grad(tape, c->x, &add);
    size_t n = bex_count(c->x);
    if (add)
        for (size_t i = 0; i < n; i++) dx[i] += c->y->grad[i];
    else
        memcpy(dx, c->y->grad, n * sizeof *dx);
}

bex_tensor *bex_reshape(bex_tape *tape, bex_tensor *x, int rank, const int *dim) {
    BEX_CHECK(bex_numel(rank, dim) == bex_count(x), "reshape of %s to %s", bex_shape(x),
              bex_shape_text(rank, dim));
    bex_tensor *y = bex_constant(tape, x->data, rank, dim);
    y->needs_grad = x->needs_grad;
    if (y->needs_grad) *(context *)bex_record(tape, backward, sizeof(context)) = (context){x, y};
    return y;
}

bex_tensor *bex_detach(bex_tape *tape, bex_tensor *x) {
    return bex_constant(tape, x->data, x->rank, x->dim);
}
