/* nn/op_layernorm.c - layer norm, plain or followed by a per-sample scale and shift. */
#include "nn/ops.h"

#include "base/error.h"
#include "kernel/layernorm.h"

typedef struct {
    bex_tensor *x, *w, *b, *scale, *shift, *y; // w and b, scale and shift: both or neither
    bex_real *mean, *rstd;
    bex_layernorm_dims d;
} context;

static bex_real *data(const bex_tensor *t) {
    return t ? t->data : NULL;
}

static bex_real *sum_of(bex_tape *tape, bex_tensor *t) {
    return t ? bex_grad_sum(tape, t) : NULL;
}

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    int add = 0;
    bex_real *dx = bex_grad(tape, c->x, &add);
    bex_layernorm_bwd(dx, sum_of(tape, c->w), sum_of(tape, c->b), sum_of(tape, c->scale),
                      sum_of(tape, c->shift), c->y->grad, c->x->data, c->mean, c->rstd, data(c->w),
                      data(c->b), data(c->scale), c->d, add, bex_scratch(tape, 2 * (size_t)c->d.C));
}

static bex_tensor *layernorm(bex_tape *tape, bex_tensor *x, const bex_param *wp,
                             const bex_param *bp, bex_tensor *scale, bex_tensor *shift, int T,
                             double eps) {
    int C = bex_width(x);
    BEX_CHECK(!wp == !bp && (!wp || (wp->count == (size_t)C && bp->count == (size_t)C)),
              "layernorm of %s with weight '%s'", bex_shape(x), wp ? wp->name : "none");
    bex_tensor *w = wp ? bex_use(tape, wp) : NULL, *b = bp ? bex_use(tape, bp) : NULL;
    bool needs = x->needs_grad || (w && w->needs_grad) || (scale && scale->needs_grad) ||
                 (shift && shift->needs_grad);
    bex_tensor *y = bex_tensor_new(tape, x->rank, x->dim, needs);
    context c = {x, w, b, scale, shift, y, NULL, NULL, {bex_rows(x), C, T, (bex_real)eps}};
    if (y->needs_grad) {
        c.mean = bex_scratch(tape, (size_t)c.d.M);
        c.rstd = bex_scratch(tape, (size_t)c.d.M);
        *(context *)bex_record(tape, backward, sizeof c) = c;
    }
    bex_layernorm_fwd(y->data, c.mean, c.rstd, x->data, data(w), data(b), data(scale), data(shift),
                      c.d);
    return y;
}

bex_tensor *bex_layernorm(bex_tape *tape, bex_tensor *x, const bex_param *w, const bex_param *b,
                          double eps) {
    return layernorm(tape, x, w, b, NULL, NULL, 1, eps);
}

bex_tensor *bex_layernorm_modulated(bex_tape *tape, bex_tensor *x, const bex_param *w,
                                    const bex_param *b, bex_tensor *scale, bex_tensor *shift,
                                    double eps) {
    BEX_CHECK(x->rank == 3 && bex_same_shape(scale, shift) && scale->rank == 2 &&
                  scale->dim[0] == x->dim[0] && scale->dim[1] == x->dim[2],
              "modulated layernorm: x %s, scale %s, shift %s", bex_shape(x), bex_shape(scale),
              bex_shape(shift));
    return layernorm(tape, x, w, b, scale, shift, x->dim[1], eps);
}
