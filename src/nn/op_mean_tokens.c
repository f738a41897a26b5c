/* nn/op_mean_tokens.c - y (B,C) = mean over a range of tokens of x (B,T,C). */
#include "nn/ops.h"

#include "base/error.h"

#include <string.h>

typedef struct {
    bex_tensor *x, *y;
    int first, count;
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    size_t B = (size_t)c->x->dim[0], T = (size_t)c->x->dim[1], C = (size_t)c->x->dim[2];
    bex_real *dx = bex_grad_sum(tape, c->x), r = R(1) / (bex_real)c->count;
    for (size_t b = 0; b < B; b++)
        for (size_t t = 0; t < (size_t)c->count; t++) {
            bex_real *d = dx + (b * T + (size_t)c->first + t) * C;
            for (size_t j = 0; j < C; j++) d[j] += r * c->y->grad[b * C + j];
        }
}

bex_tensor *bex_mean_tokens(bex_tape *tape, bex_tensor *x, int first, int count) {
    BEX_CHECK(x->rank == 3 && first >= 0 && count > 0 && first + count <= x->dim[1],
              "mean of tokens %d..%d of %s", first, first + count - 1, bex_shape(x));
    size_t B = (size_t)x->dim[0], T = (size_t)x->dim[1], C = (size_t)x->dim[2];
    bex_tensor *y = bex_tensor_new(tape, 2, BEX_DIMS(x->dim[0], x->dim[2]), x->needs_grad);
    bex_real r = R(1) / (bex_real)count;
    memset(y->data, 0, B * C * sizeof *y->data);
    for (size_t b = 0; b < B; b++) {
        bex_real *out = y->data + b * C;
        for (size_t t = 0; t < (size_t)count; t++) {
            const bex_real *row = x->data + (b * T + (size_t)first + t) * C;
            for (size_t j = 0; j < C; j++) out[j] += row[j];
        }
        for (size_t j = 0; j < C; j++) out[j] *= r;
    }
    if (y->needs_grad)
        *(context *)bex_record(tape, backward, sizeof(context)) = (context){x, y, first, count};
    return y;
}
