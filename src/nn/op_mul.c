/* nn/op_mul.c - y = a b; the second operand may repeat over leading dimensions. */
#include "nn/ops.h"

typedef struct {
    bex_tensor *a, *b, *y;
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    const bex_real *dy = c->y->grad;
    size_t n = bex_count(c->y), m = bex_count(c->b);
    bex_real *da = bex_grad_sum(tape, c->a), *db = bex_grad_sum(tape, c->b);
    for (size_t i = 0; i < n; i += m) {
        for (size_t j = 0; da && j < m; j++) da[i + j] += dy[i + j] * c->b->data[j];
        for (size_t j = 0; db && j < m; j++) db[j] += dy[i + j] * c->a->data[i + j];
    }
}

bex_tensor *bex_mul(bex_tape *tape, bex_tensor *a, bex_tensor *b) {
    bex_tensor *y = bex_tensor_repeating(tape, a, b, "mul");
    size_t n = bex_count(a), m = bex_count(b);
    for (size_t i = 0; i < n; i += m)
        for (size_t j = 0; j < m; j++) y->data[i + j] = a->data[i + j] * b->data[j];
    if (y->needs_grad) *(context *)bex_record(tape, backward, sizeof(context)) = (context){a, b, y};
    return y;
}
