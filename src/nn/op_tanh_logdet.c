/* nn/op_tanh_logdet.c - sum of log(1 - tanh(z)^2) over the last dimension, without cancellation:
 * 2 (log 2 - z - softplus(-2z));  d/dz = -2 tanh z. */
#include "nn/ops.h"

#include "base/error.h"
#include "kernel/reduce.h"
#include "kernel/vmath.h"

typedef struct {
    bex_tensor *z, *y;
} context;

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    int M = bex_rows(c->z), A = bex_width(c->z);
    bex_real *dz = bex_grad_sum(tape, c->z);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < A; j++) {
            size_t k = (size_t)i * (size_t)A + (size_t)j;
            dz[k] -= R(2) * bex_tanh(c->z->data[k]) * c->y->grad[i];
        }
}

bex_tensor *bex_tanh_logdet(bex_tape *tape, bex_tensor *z) {
    BEX_CHECK(z->rank >= 1, "tanh log-determinant of %s", bex_shape(z));
    int M = bex_rows(z), A = bex_width(z);
    bex_tensor *y = bex_tensor_new(tape, z->rank - 1, z->dim, z->needs_grad);
    size_t mark = bex_arena_mark(tape->arena);
    bex_real *term = bex_scratch(tape, (size_t)A);
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < A; j++) {
            bex_real v = z->data[(size_t)i * (size_t)A + (size_t)j];
            term[j] = R(2) * (R(0.69314718055994531) - v - bex_softplus(R(-2) * v));
        }
        y->data[i] = bex_sum(term, (size_t)A);
    }
    bex_arena_release(tape->arena, mark);
    if (y->needs_grad) *(context *)bex_record(tape, backward, sizeof(context)) = (context){z, y};
    return y;
}
