/* nn/op_logistic_loss.c - cross entropy of logits: softplus(x) - x t;  d/dx = sigmoid(x) - t. */
#include "nn/ops.h"

#include "base/error.h"
#include "kernel/reduce.h"
#include "kernel/vmath.h"

typedef struct {
    bex_tensor *x, *loss;
    const bex_tensor *target;
    bex_real factor;
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->loss->grad) return;
    bex_real *dx = bex_grad_sum(tape, c->x), f = c->factor * c->loss->grad[0];
    for (size_t i = 0; i < bex_count(c->x); i++)
        dx[i] += f * (bex_sigmoid(c->x->data[i]) - c->target->data[i]);
}

bex_tensor *bex_logistic_loss(bex_tape *tape, bex_tensor *x, const bex_tensor *target,
                              double factor) {
    BEX_CHECK(bex_same_shape(x, target), "logistic loss of %s against %s", bex_shape(x),
              bex_shape(target));
    bex_tensor *loss = bex_tensor_new(tape, 0, x->dim, x->needs_grad);
    size_t n = bex_count(x), mark = bex_arena_mark(tape->arena);
    bex_real *term = bex_scratch(tape, n);
    for (size_t i = 0; i < n; i++)
        term[i] = bex_softplus(x->data[i]) - x->data[i] * target->data[i];
    loss->data[0] = R(factor) * bex_sum(term, n);
    bex_arena_release(tape->arena, mark);
    if (loss->needs_grad)
        *(context *)bex_record(tape, backward, sizeof(context)) =
            (context){x, loss, target, R(factor)};
    return loss;
}
