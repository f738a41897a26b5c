/* nn/op_members.c - minimum and mean over the members of an ensemble, the first dimension. */
#include "nn/ops.h"

#include "base/error.h"

#include <string.h>

typedef struct {
    bex_tensor *x, *y;
    int *which; // (count of y) the member that holds the minimum; NULL for the mean
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    size_t E = (size_t)c->x->dim[0], n = bex_count(c->y);
    bex_real *dx = bex_grad_sum(tape, c->x), r = R(1) / (bex_real)E;
    if (c->which)
        for (size_t i = 0; i < n; i++) dx[(size_t)c->which[i] * n + i] += c->y->grad[i];
    else
        for (size_t e = 0; e < E; e++)
            for (size_t i = 0; i < n; i++) dx[e * n + i] += r * c->y->grad[i];
}

static bex_tensor *result(bex_tape *tape, bex_tensor *x) {
    BEX_CHECK(x->rank > 1 && x->dim[0] > 0, "members of %s", bex_shape(x));
    bex_tensor *y = bex_tensor_new(tape, x->rank - 1, x->dim + 1, x->needs_grad);
    memcpy(y->data, x->data, bex_count(y) * sizeof *y->data);
    return y;
}

bex_tensor *bex_min_members(bex_tape *tape, bex_tensor *x) {
    bex_tensor *y = result(tape, x);
    size_t n = bex_count(y);
    int *which = bex_arena_zalloc(tape->arena, n * sizeof *which);
    for (int e = 1; e < x->dim[0]; e++)
        for (size_t i = 0; i < n; i++) {
            bex_real v = x->data[(size_t)e * n + i];
            if (v < y->data[i]) y->data[i] = v, which[i] = e;
        }
    if (y->needs_grad)
        *(context *)bex_record(tape, backward, sizeof(context)) = (context){x, y, which};
    return y;
}

bex_tensor *bex_mean_members(bex_tape *tape, bex_tensor *x) {
    bex_tensor *y = result(tape, x);
    size_t n = bex_count(y);
    for (int e = 1; e < x->dim[0]; e++)
        for (size_t i = 0; i < n; i++) y->data[i] += x->data[(size_t)e * n + i];
    for (size_t i = 0; i < n; i++) y->data[i] /= (bex_real)x->dim[0];
    if (y->needs_grad)
        *(context *)bex_record(tape, backward, sizeof(context)) = (context){x, y, NULL};
    return y;
}
