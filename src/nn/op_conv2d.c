/* nn/op_conv2d.c - convolution of pictures. From the packed copies of W where there are any
 * (bex_params_pack), else they are packed here: the same bits. */
#include "nn/ops.h"

#include "base/error.h"
#include "kernel/conv2d.h"

typedef struct {
    const bex_param *Wp;
    bex_tensor *x, *W, *b, *y; // b NULL for none
    bex_conv2d_dims d;
} context;

static const bex_real *panels_of(bex_tape *tape, const context *c, bex_panels form) {
    const bex_real *there = bex_param_panels(c->Wp, form, 0);
    int N = c->d.N, taps = c->d.kh * c->d.kw, C = c->d.C;
    if (there) return there;
    if (form == BEX_PANELS_Y) {
        bex_real *packed = bex_scratch(tape, bex_conv2d_pack_size(N, taps, C));
        bex_conv2d_pack(packed, c->W->data, N, taps, C);
        return packed;
    }
    bex_real *packed = bex_scratch(tape, bex_conv2d_pack_dx_size(N, taps, C));
    bex_conv2d_pack_dx(packed, c->W->data, N, taps, C);
    return packed;
}

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    int add_x, add_w;
    bex_real *dx = bex_grad(tape, c->x, &add_x), *dW = bex_grad(tape, c->W, &add_w);
    bex_real *db = c->b ? bex_grad_sum(tape, c->b) : NULL;
    const bex_real *dy = c->y->grad;
    if (dx) bex_conv2d_bwd_x(dx, dy, panels_of(tape, c, BEX_PANELS_DX), &c->d, add_x);
    if (dW)
        bex_conv2d_bwd_w(dW, dy, c->x->data, &c->d, add_w,
                         bex_scratch(tape, bex_conv2d_scratch(&c->d)));
    for (int i = 0; db && i < bex_rows(c->y); i++)
        for (int n = 0; n < c->d.N; n++) db[n] += dy[(size_t)i * (size_t)c->d.N + (size_t)n];
}

bex_tensor *bex_conv2d(bex_tape *tape, bex_tensor *x, const bex_param *W, const bex_param *b,
                       int stride, int pad) {
    BEX_CHECK(x->rank == 4 && W->rank == 4 && W->dim[3] == x->dim[3] &&
                  (!b || b->count == (size_t)W->dim[0]),
              "convolution of %s with '%s' %s", bex_shape(x), W->name,
              bex_shape_text(W->rank, W->dim));
    context c = {.Wp = W, .x = x, .W = bex_use(tape, W), .b = b ? bex_use(tape, b) : NULL};
    c.d = (bex_conv2d_dims){.B = x->dim[0],
                            .H = x->dim[1],
                            .W = x->dim[2],
                            .C = x->dim[3],
                            .N = W->dim[0],
                            .kh = W->dim[1],
                            .kw = W->dim[2],
                            .stride = stride,
                            .pad = pad};
    bool needs = x->needs_grad || c.W->needs_grad || (c.b && c.b->needs_grad);
    c.y = bex_tensor_new(
        tape, 4, BEX_DIMS(c.d.B, bex_conv2d_height(&c.d), bex_conv2d_width(&c.d), c.d.N), needs);
    bex_conv2d_fwd(c.y->data, x->data, panels_of(tape, &c, BEX_PANELS_Y), c.b ? c.b->data : NULL,
                   &c.d, bex_scratch(tape, bex_conv2d_scratch(&c.d)));
    if (c.y->needs_grad) *(context *)bex_record(tape, backward, sizeof c) = c;
    return c.y;
}
