/* nn/op_sum.c - sums: of everything times a factor, and over the last dimension. */
#include "nn/ops.h"

#include "kernel/reduce.h"

typedef struct {
    bex_tensor *x, *y;
    bex_real factor;
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    bex_real *dx = bex_grad_sum(tape, c->x);
    size_t n = bex_count(c->y), m = bex_count(c->x) / n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) dx[i * m + j] += c->factor * c->y->grad[i];
}

static bex_tensor *sums(bex_tape *tape, bex_tensor *x, int rank, bex_real factor) {
    bex_tensor *y = bex_tensor_new(tape, rank, x->dim, x->needs_grad);
    size_t n = bex_count(y), m = bex_count(x) / n;
    for (size_t i = 0; i < n; i++) y->data[i] = factor * bex_sum(x->data + i * m, m);
    if (y->needs_grad)
        *(context *)bex_record(tape, backward, sizeof(context)) = (context){x, y, factor};
    return y;
}

bex_tensor *bex_sum_all(bex_tape *tape, bex_tensor *x, double factor) {
    return sums(tape, x, 0, R(factor));
}

bex_tensor *bex_sum_last(bex_tape *tape, bex_tensor *x) {
    return sums(tape, x, x->rank ? x->rank - 1 : 0, R(1));
}
