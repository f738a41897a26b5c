/* nn/op_gated_add.c - y = x + gate r, one gate per sample: x, r (B,T,C), gate (B,C). */
#include "nn/ops.h"

#include "base/error.h"

#include <string.h>

typedef struct {
    bex_tensor *x, *gate, *r, *y;
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    size_t B = (size_t)c->x->dim[0], T = (size_t)c->x->dim[1], C = (size_t)c->x->dim[2];
    const bex_real *dy = c->y->grad;
    int add;
    bex_real *dx = bex_grad(tape, c->x, &add);
    if (dx && add)
        for (size_t i = 0; i < B * T * C; i++) dx[i] += dy[i];
    else if (dx)
        memcpy(dx, dy, B * T * C * sizeof *dx);
    int add_r;
    bex_real *dg = bex_grad_sum(tape, c->gate), *dr = bex_grad(tape, c->r, &add_r);
    for (size_t b = 0; b < B; b++)
        for (size_t t = 0; t < T; t++) {
            size_t row = (b * T + t) * C;
            const bex_real *g = c->gate->data + b * C, *r = c->r->data + row;
            for (size_t j = 0; dg && j < C; j++) dg[b * C + j] += dy[row + j] * r[j];
            if (dr && add_r)
                for (size_t j = 0; j < C; j++) dr[row + j] += dy[row + j] * g[j];
            else if (dr)
                for (size_t j = 0; j < C; j++) dr[row + j] = dy[row + j] * g[j];
        }
}

bex_tensor *bex_gated_add(bex_tape *tape, bex_tensor *x, bex_tensor *gate, bex_tensor *r) {
    BEX_CHECK(x->rank == 3 && bex_same_shape(x, r) && gate->rank == 2 &&
                  gate->dim[0] == x->dim[0] && gate->dim[1] == x->dim[2],
              "gated add: x %s, gate %s, r %s", bex_shape(x), bex_shape(gate), bex_shape(r));
    size_t B = (size_t)x->dim[0], T = (size_t)x->dim[1], C = (size_t)x->dim[2];
    bex_tensor *y =
        bex_tensor_new(tape, 3, x->dim, x->needs_grad || gate->needs_grad || r->needs_grad);
    for (size_t b = 0; b < B; b++)
        for (size_t t = 0; t < T; t++) {
            size_t row = (b * T + t) * C;
            const bex_real *g = gate->data + b * C;
            for (size_t j = 0; j < C; j++)
                y->data[row + j] = x->data[row + j] + g[j] * r->data[row + j];
        }
    if (y->needs_grad)
        *(context *)bex_record(tape, backward, sizeof(context)) = (context){x, gate, r, y};
    return y;
}
