/* nn/op_modulate.c - y = x scale + shift, one scale and shift per sample: x (B,T,C), scale (B,C). */
#include "nn/ops.h"

#include "base/error.h"

typedef struct {
    bex_tensor *x, *scale, *shift, *y;
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    size_t B = (size_t)c->x->dim[0], T = (size_t)c->x->dim[1], C = (size_t)c->x->dim[2];
    int add;
    bex_real *dx = bex_grad(tape, c->x, &add), *da = bex_grad_sum(tape, c->scale),
             *ds = bex_grad_sum(tape, c->shift);
    for (size_t b = 0; b < B; b++)
        for (size_t t = 0; t < T; t++) {
            size_t row = (b * T + t) * C;
            const bex_real *dy = c->y->grad + row, *x = c->x->data + row,
                           *a = c->scale->data + b * C;
            if (dx && add)
                for (size_t j = 0; j < C; j++) dx[row + j] += dy[j] * a[j];
            else if (dx)
                for (size_t j = 0; j < C; j++) dx[row + j] = dy[j] * a[j];
            for (size_t j = 0; da && j < C; j++) da[b * C + j] += dy[j] * x[j];
            for (size_t j = 0; ds && j < C; j++) ds[b * C + j] += dy[j];
        }
}

bex_tensor *bex_modulate(bex_tape *tape, bex_tensor *x, bex_tensor *scale, bex_tensor *shift) {
    BEX_CHECK(x->rank == 3 && bex_same_shape(scale, shift) && scale->rank == 2 &&
                  scale->dim[0] == x->dim[0] && scale->dim[1] == x->dim[2],
              "modulate: x %s, scale %s, shift %s", bex_shape(x), bex_shape(scale),
              bex_shape(shift));
    size_t B = (size_t)x->dim[0], T = (size_t)x->dim[1], C = (size_t)x->dim[2];
    bex_tensor *y =
        bex_tensor_new(tape, 3, x->dim, x->needs_grad || scale->needs_grad || shift->needs_grad);
    for (size_t b = 0; b < B; b++)
        for (size_t t = 0; t < T; t++) {
            size_t row = (b * T + t) * C;
            const bex_real *a = scale->data + b * C, *s = shift->data + b * C;
            for (size_t j = 0; j < C; j++) y->data[row + j] = x->data[row + j] * a[j] + s[j];
        }
    if (y->needs_grad)
        *(context *)bex_record(tape, backward, sizeof(context)) = (context){x, scale, shift, y};
    return y;
}
