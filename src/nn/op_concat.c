/* nn/op_concat.c - join along an axis, and its inverse, a range of an axis.
 *
 * Both see a tensor as (outer, axis, inner): outer = dims before the axis, inner = after. */
#include "nn/ops.h"

#include "base/error.h"

#include <string.h>

typedef struct {
    bex_tensor *part[2], *whole; // a slice has one part
    size_t outer, inner;
    int axis, first; // where part[0] begins on the axis of whole
    bool joins;      // whole was made from the parts, not the other way round
} context;

static size_t product(const int *dim, int from, int to) {
    return bex_numel(to - from, dim + from);
}

// copy or add between a part and its place in the whole, for the outer rows
static void move(bex_real *part, bex_real *whole, const context *c, size_t part_axis, size_t at,
                 bool to_whole, bool add) {
    size_t n = part_axis * c->inner, stride = (size_t)c->whole->dim[c->axis] * c->inner;
    for (size_t o = 0; o < c->outer; o++) {
        bex_real *p = part + o * n, *w = whole + o * stride + at * c->inner;
        bex_real *to = to_whole ? w : p, *from = to_whole ? p : w;
        if (add)
            for (size_t i = 0; i < n; i++) to[i] += from[i];
        else
            memcpy(to, from, n * sizeof *to);
    }
}

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    size_t at = (size_t)c->first;
    if (!c->joins) {
        bex_tensor *y = c->part[0];
        if (!y->grad) return;
        move(y->grad, bex_grad_sum(tape, c->whole), c, (size_t)y->dim[c->axis], at, true, true);
        return;
    }
    if (!c->whole->grad) return;
    for (int i = 0; i < 2; i++) {
        int add;
        bex_tensor *p = c->part[i];
        bex_real *g = bex_grad(tape, p, &add);
        if (g) move(g, c->whole->grad, c, (size_t)p->dim[c->axis], at, false, add);
        at += (size_t)p->dim[c->axis];
    }
}

bex_tensor *bex_concat(bex_tape *tape, bex_tensor *a, bex_tensor *b, int axis) {
    bool fits = a->rank == b->rank && axis >= 0 && axis < a->rank;
    for (int i = 0; fits && i < a->rank; i++) fits = i == axis || a->dim[i] == b->dim[i];
    BEX_CHECK(fits, "concat of %s and %s along %d", bex_shape(a), bex_shape(b), axis);
    int dim[BEX_RANK];
    memcpy(dim, a->dim, sizeof dim);
    dim[axis] += b->dim[axis];
    bex_tensor *y = bex_tensor_new(tape, a->rank, dim, a->needs_grad || b->needs_grad);
    context c = {{a, b}, y, product(dim, 0, axis), product(dim, axis + 1, a->rank), axis, 0, true};
    move(a->data, y->data, &c, (size_t)a->dim[axis], 0, true, false);
    move(b->data, y->data, &c, (size_t)b->dim[axis], (size_t)a->dim[axis], true, false);
    if (y->needs_grad) *(context *)bex_record(tape, backward, sizeof c) = c;
    return y;
}

bex_tensor *bex_slice(bex_tape *tape, bex_tensor *x, int axis, int first, int count) {
    BEX_CHECK(axis >= 0 && axis < x->rank && first >= 0 && count > 0 &&
                  first + count <= x->dim[axis],
              "slice of %s: %d..%d along %d", bex_shape(x), first, first + count - 1, axis);
    int dim[BEX_RANK];
    memcpy(dim, x->dim, sizeof dim);
    dim[axis] = count;
    bex_tensor *y = bex_tensor_new(tape, x->rank, dim, x->needs_grad);
    context c = {{y, NULL}, x,    product(dim, 0, axis), product(dim, axis + 1, x->rank), axis,
                 first,     false};
    move(y->data, x->data, &c, (size_t)count, (size_t)first, false, false);
    if (y->needs_grad) *(context *)bex_record(tape, backward, sizeof c) = c;
    return y;
}
