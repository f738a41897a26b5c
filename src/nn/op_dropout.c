/* nn/op_dropout.c - in place: the masked values replace x, and on the way back the mask is applied to what
 * the users of x have summed up, before the operation that made x sees it. */
#include "nn/ops.h"

#include "kernel/dropout.h"

typedef struct {
    bex_tensor *x;
    unsigned char *keep;
    bex_real factor;
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    (void)tape;
    if (c->x->grad) bex_dropout_apply(c->x->grad, c->keep, c->factor, bex_count(c->x));
}

bex_tensor *bex_dropout(bex_tape *tape, bex_tensor *x, double p) {
    if (!tape->training || p == 0) return x;
    size_t n = bex_count(x);
    context c = {.x = x, .keep = bex_arena_alloc(tape->arena, n)};
    c.factor = bex_dropout_draw(c.keep, n, p, &tape->rng);
    bex_dropout_apply(x->data, c.keep, c.factor, n);
    if (x->needs_grad) *(context *)bex_record(tape, backward, sizeof c) = c;
    return x;
}
