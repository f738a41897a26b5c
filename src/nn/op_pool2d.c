/* nn/op_pool2d.c - pooling of pictures: largest, mean, and where each channel is (spatial softmax). */
#include "nn/ops.h"

#include "base/error.h"
#include "kernel/pool2d.h"

typedef struct {
    bex_tensor *x, *y;
    unsigned char *which; // of the largest
    bex_real *p;          // of the softmax
    bex_pool2d_dims d;
} context;

static bex_real *gradient(bex_tape *tape, const context *c, int *add) {
    return c->y->grad ? bex_grad(tape, c->x, add) : NULL;
}

static void largest_backward(bex_tape *tape, void *payload) {
    context *c = payload;
    int add;
    bex_real *dx = gradient(tape, c, &add);
    if (dx) bex_maxpool_bwd(dx, c->y->grad, c->which, &c->d, add);
}

static void mean_backward(bex_tape *tape, void *payload) {
    context *c = payload;
    int add;
    bex_real *dx = gradient(tape, c, &add);
    if (dx) bex_meanpool_bwd(dx, c->y->grad, &c->d, add);
}

static void places_backward(bex_tape *tape, void *payload) {
    context *c = payload;
    int add;
    bex_real *dx = gradient(tape, c, &add);
    if (dx)
        bex_spatial_softmax_bwd(dx, c->y->grad, c->y->data, c->p, c->d.B, c->d.H, c->d.W, c->d.C,
                                add);
}

// the result's shape by the windows of d
static context begin(bex_tape *tape, bex_tensor *x, int k, int stride, int pad) {
    BEX_CHECK(x->rank == 4, "pooling of %s", bex_shape(x));
    context c = {.x = x, .d = {x->dim[0], x->dim[1], x->dim[2], x->dim[3], k, stride, pad}};
    c.y = bex_tensor_new(tape, 4,
                         BEX_DIMS(c.d.B, bex_pool2d_size(c.d.H, k, stride, pad),
                                  bex_pool2d_size(c.d.W, k, stride, pad), c.d.C),
                         x->needs_grad);
    return c;
}

static void record(bex_tape *tape, const context *c, bex_backward_fn *backward) {
    if (c->y->needs_grad) *(context *)bex_record(tape, backward, sizeof *c) = *c;
}

bex_tensor *bex_max_pool(bex_tape *tape, bex_tensor *x, int k, int stride, int pad) {
    context c = begin(tape, x, k, stride, pad);
    if (c.y->needs_grad) c.which = bex_arena_alloc(tape->arena, bex_count(c.y));
    bex_maxpool_fwd(c.y->data, c.which, x->data, &c.d);
    record(tape, &c, largest_backward);
    return c.y;
}

bex_tensor *bex_mean_pool(bex_tape *tape, bex_tensor *x, int k, int stride, int pad) {
    context c = begin(tape, x, k, stride, pad);
    bex_meanpool_fwd(c.y->data, x->data, &c.d);
    record(tape, &c, mean_backward);
    return c.y;
}

bex_tensor *bex_spatial_softmax(bex_tape *tape, bex_tensor *x) {
    BEX_CHECK(x->rank == 4, "spatial softmax of %s", bex_shape(x));
    context c = {.x = x, .d = {.B = x->dim[0], .H = x->dim[1], .W = x->dim[2], .C = x->dim[3]}};
    c.p = bex_scratch(tape, bex_count(x));
    c.y = bex_tensor_new(tape, 2, BEX_DIMS(c.d.B, 2 * c.d.C), x->needs_grad);
    bex_spatial_softmax_fwd(c.y->data, c.p, x->data, c.d.B, c.d.H, c.d.W, c.d.C);
    record(tape, &c, places_backward);
    return c.y;
}
