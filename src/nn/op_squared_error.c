/* nn/op_squared_error.c - the loss of diffusion and of critics: weighted squared distance. */
#include "nn/ops.h"

#include "base/error.h"
#include "kernel/reduce.h"

typedef struct {
    bex_tensor *x, *loss;
    const bex_tensor *target;
    const bex_real *weight;
    bex_real factor;
} context;

static bex_real weight_of(const bex_real *weight, int row) {
    return weight ? weight[row] : R(1);
}

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->loss->grad) return;
    bex_real *dx = bex_grad_sum(tape, c->x);
    int rows = bex_rows(c->x), C = bex_width(c->x);
    for (int i = 0; i < rows; i++) {
        bex_real f = R(2) * c->factor * weight_of(c->weight, i) * c->loss->grad[0];
        size_t at = (size_t)i * (size_t)C;
        for (int j = 0; j < C; j++)
            dx[at + (size_t)j] +=
                f * (c->x->data[at + (size_t)j] - c->target->data[at + (size_t)j]);
    }
}

bex_tensor *bex_squared_error(bex_tape *tape, bex_tensor *x, const bex_tensor *target,
                              const bex_real *weight, double factor) {
    BEX_CHECK(bex_same_shape(x, target), "squared error of %s against %s", bex_shape(x),
              bex_shape(target));
    bex_tensor *loss = bex_tensor_new(tape, 0, x->dim, x->needs_grad);
    int rows = bex_rows(x), C = bex_width(x);
    size_t mark = bex_arena_mark(tape->arena);
    bex_real *difference = bex_scratch(tape, (size_t)C), *row = bex_scratch(tape, (size_t)rows);
    for (int i = 0; i < rows; i++) {
        size_t at = (size_t)i * (size_t)C;
        for (int j = 0; j < C; j++)
            difference[j] = x->data[at + (size_t)j] - target->data[at + (size_t)j];
        row[i] = weight_of(weight, i) * bex_dot(difference, difference, (size_t)C);
    }
    loss->data[0] = R(factor) * bex_sum(row, (size_t)rows);
    bex_arena_release(tape->arena, mark);
    if (loss->needs_grad)
        *(context *)bex_record(tape, backward, sizeof(context)) =
            (context){x, loss, target, weight, R(factor)};
    return loss;
}
