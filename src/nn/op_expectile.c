/* nn/op_expectile.c - the loss of expectile regression: squares that weigh tau where `sign` is positive and
 * 1 - tau where it is negative. With sign = x its minimum is the tau-expectile; another sign, an advantage,
 * is HILP's. */
#include "nn/ops.h"

#include "base/error.h"
#include "kernel/reduce.h"

typedef struct {
    bex_tensor *x, *loss;
    const bex_tensor *sign;
    bex_real tau, factor;
} context;

static bex_real weight(bex_real sign, bex_real tau) {
    return sign < R(0) ? R(1) - tau : tau;
}

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->loss->grad) return;
    bex_real *dx = bex_grad_sum(tape, c->x), f = R(2) * c->factor * c->loss->grad[0];
    for (size_t i = 0; i < bex_count(c->x); i++)
        dx[i] += f * weight(c->sign->data[i], c->tau) * c->x->data[i];
}

bex_tensor *bex_expectile(bex_tape *tape, bex_tensor *x, const bex_tensor *sign, double tau,
                          double factor) {
    BEX_CHECK(bex_same_shape(x, sign), "expectile of %s by the sign of %s", bex_shape(x),
              bex_shape(sign));
    bex_tensor *loss = bex_tensor_new(tape, 0, x->dim, x->needs_grad);
    size_t n = bex_count(x), mark = bex_arena_mark(tape->arena);
    bex_real *term = bex_scratch(tape, n);
    for (size_t i = 0; i < n; i++)
        term[i] = weight(sign->data[i], R(tau)) * x->data[i] * x->data[i];
    loss->data[0] = R(factor) * bex_sum(term, n);
    bex_arena_release(tape->arena, mark);
    if (loss->needs_grad)
        *(context *)bex_record(tape, backward, sizeof(context)) =
            (context){x, loss, sign, R(tau), R(factor)};
    return loss;
}
