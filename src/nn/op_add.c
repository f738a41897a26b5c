/* nn/op_add.c - sum and difference; the second operand may repeat over leading dimensions. */
#include "nn/ops.h"

#include <string.h>

typedef struct {
    bex_tensor *a, *b, *y;
    bex_real sign;
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    const bex_real *dy = c->y->grad;
    size_t n = bex_count(c->y), m = bex_count(c->b);
    int add;
    bex_real *da = bex_grad(tape, c->a, &add);
    if (da && add)
        for (size_t i = 0; i < n; i++) da[i] += dy[i];
    else if (da)
        memcpy(da, dy, n * sizeof *da);
    bex_real *db = bex_grad_sum(tape, c->b);
    for (size_t i = 0; db && i < n; i += m)
        for (size_t j = 0; j < m; j++) db[j] += c->sign * dy[i + j];
}

static bex_tensor *sum(bex_tape *tape, bex_tensor *a, bex_tensor *b, bex_real sign) {
    bex_tensor *y = bex_tensor_repeating(tape, a, b, sign > 0 ? "add" : "sub");
    size_t n = bex_count(a), m = bex_count(b);
    for (size_t i = 0; i < n; i += m)
        for (size_t j = 0; j < m; j++) y->data[i + j] = a->data[i + j] + sign * b->data[j];
    if (y->needs_grad)
        *(context *)bex_record(tape, backward, sizeof(context)) = (context){a, b, y, sign};
    return y;
}

bex_tensor *bex_add(bex_tape *tape, bex_tensor *a, bex_tensor *b) {
    return sum(tape, a, b, R(1));
}

bex_tensor *bex_sub(bex_tape *tape, bex_tensor *a, bex_tensor *b) {
    return sum(tape, a, b, R(-1));
}
