/* nn/op_select.c - row by row one of two tensors; the second may be a single row for all. */
#include "nn/ops.h"

#include "base/error.h"

#include <string.h>

typedef struct {
    bex_tensor *a, *b, *y;
    const unsigned char *use_b;
} context;

static size_t row_of_b(const bex_tensor *b, size_t i) {
    return b->rank == 2 ? i * (size_t)b->dim[1] : 0;
}

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    size_t B = (size_t)c->a->dim[0], C = (size_t)c->a->dim[1];
    bex_real *da = bex_grad_sum(tape, c->a), *db = bex_grad_sum(tape, c->b);
    for (size_t i = 0; i < B; i++) {
        const bex_real *dy = c->y->grad + i * C;
        bex_real *to =
            c->use_b[i] ? (db ? db + row_of_b(c->b, i) : NULL) : (da ? da + i * C : NULL);
        for (size_t j = 0; to && j < C; j++) to[j] += dy[j];
    }
}

bex_tensor *bex_select(bex_tape *tape, bex_tensor *a, bex_tensor *b, const unsigned char *use_b) {
    BEX_CHECK(a->rank == 2 && bex_width(b) == a->dim[1] &&
                  (b->rank == 1 || (b->rank == 2 && b->dim[0] == a->dim[0])),
              "select: %s or %s", bex_shape(a), bex_shape(b));
    size_t B = (size_t)a->dim[0], C = (size_t)a->dim[1];
    bex_tensor *y = bex_tensor_new(tape, 2, a->dim, a->needs_grad || b->needs_grad);
    for (size_t i = 0; i < B; i++)
        memcpy(y->data + i * C, use_b[i] ? b->data + row_of_b(b, i) : a->data + i * C,
               C * sizeof *y->data);
    if (!y->needs_grad) return y;
    unsigned char *kept = bex_arena_alloc(tape->arena, B);
    memcpy(kept, use_b, B);
    *(context *)bex_record(tape, backward, sizeof(context)) = (context){a, b, y, kept};
    return y;
}
