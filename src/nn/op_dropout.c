/* nn/op_dropout.c */
#include "nn/ops.h"

#include "kernel/dropout.h"

typedef struct {
    bex_tensor *x, *y;
    unsigned char *keep;
    bex_real factor;
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    int add;
    bex_real *dx = bex_grad(tape, c->x, &add);
    bex_dropout_apply(dx, c->y->grad, c->keep, c->factor, bex_count(c->x), add);
}

bex_tensor *bex_dropout(bex_tape *tape, bex_tensor *x, double p) {
    if (!tape->training || p == 0) return x;
    bex_tensor *y = bex_tensor_like(tape, x);
    size_t n = bex_count(x);
    context c = {.x = x, .y = y, .keep = bex_arena_alloc(tape->arena, n)};
    c.factor = bex_dropout_draw(c.keep, n, p, &tape->rng);
    bex_dropout_apply(y->data, x->data, c.keep, c.factor, n, 0);
    if (y->needs_grad) *(context *)bex_record(tape, backward, sizeof c) = c;
    return y;
}
