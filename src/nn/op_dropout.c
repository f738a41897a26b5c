/* nn/op_dropout.c */
#include "nn/ops.h"

#include "kernel/random.h"

typedef struct {
    bex_tensor *x, *y;
    bex_real *keep;
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    int add;
    bex_real *dx = bex_grad(tape, c->x, &add);
    const bex_real *dy = c->y->grad, *keep = c->keep;
    size_t n = bex_count(c->x);
    if (add)
        for (size_t i = 0; i < n; i++) dx[i] += dy[i] * keep[i];
    else
        for (size_t i = 0; i < n; i++) dx[i] = dy[i] * keep[i];
}

bex_tensor *bex_dropout(bex_tape *tape, bex_tensor *x, double p) {
    if (!tape->training || p == 0) return x;
    bex_tensor *y = bex_tensor_like(tape, x);
    context c = {x, y, bex_scratch(tape, bex_count(x))};
    bex_random_keep(c.keep, bex_count(x), (bex_real)p, &tape->rng);
    for (size_t i = 0; i < bex_count(x); i++) y->data[i] = x->data[i] * c.keep[i];
    if (y->needs_grad) *(context *)bex_record(tape, backward, sizeof c) = c;
    return y;
}
