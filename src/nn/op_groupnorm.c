/* nn/op_groupnorm.c - group norm with the residual and the activation that follow it. */
#include "nn/ops.h"

#include "base/error.h"
#include "kernel/groupnorm.h"

typedef struct {
    bex_tensor *x, *w, *b, *r, *y; // r NULL for none
    bex_real *mean, *rstd;
    bex_groupnorm_dims d;
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    bex_groupnorm_gradients g = {.dw = bex_grad_sum(tape, c->w), .db = bex_grad_sum(tape, c->b)};
    g.dx = bex_grad(tape, c->x, &g.add_dx);
    if (c->r) g.dr = bex_grad(tape, c->r, &g.add_dr);
    bex_groupnorm_bwd(g, c->y->grad, c->y->data, c->x->data, c->mean, c->rstd, c->w->data, &c->d,
                      bex_scratch(tape, 7 * (size_t)c->d.C));
}

bex_tensor *bex_groupnorm(bex_tape *tape, bex_tensor *x, const bex_param *w, const bex_param *b,
                          int groups, double eps, bex_tensor *residual, bool relu) {
    int C = bex_width(x);
    BEX_CHECK(x->rank == 4 && w->count == (size_t)C && b->count == (size_t)C &&
                  (!residual || bex_same_shape(x, residual)) && residual != x,
              "group norm of %s with weight '%s', residual %s", bex_shape(x), w->name,
              residual ? bex_shape(residual) : "none");
    context c = {.x = x, .w = bex_use(tape, w), .b = bex_use(tape, b), .r = residual};
    c.d = (bex_groupnorm_dims){x->dim[0], x->dim[1] * x->dim[2], C, groups, relu, (bex_real)eps};
    c.y = bex_tensor_new(tape, 4, x->dim,
                         x->needs_grad || c.w->needs_grad || c.b->needs_grad ||
                             (residual && residual->needs_grad));
    if (c.y->needs_grad) {
        c.mean = bex_scratch(tape, (size_t)c.d.B * (size_t)groups);
        c.rstd = bex_scratch(tape, (size_t)c.d.B * (size_t)groups);
        *(context *)bex_record(tape, backward, sizeof c) = c;
    }
    bex_groupnorm_fwd(c.y->data, c.mean, c.rstd, x->data, c.w->data, c.b->data,
                      residual ? residual->data : NULL, &c.d, bex_scratch(tape, 2 * (size_t)C));
    return c.y;
}
