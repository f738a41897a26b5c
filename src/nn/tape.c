/* nn/tape.c - records are a linked list in the arena, newest first. */
#include "nn/tape.h"

#include "base/error.h"

#include <string.h>

struct bex_tape_record {
    bex_tape_record *before;
    bex_backward_fn *backward;
    void *context;
};

void bex_tape_init(bex_tape *tape, bex_arena *arena) {
    *tape = (bex_tape){.arena = arena};
}

void bex_tape_train(bex_tape *tape, const bex_params *params) {
    tape->recording = tape->training = true;
    for (int i = 0; i < BEX_TAPE_BLOCKS; i++) {
        if (tape->train[i] == params) return;
        if (!tape->train[i]) {
            tape->train[i] = params;
            return;
        }
    }
    BEX_CHECK(0, "more than %d parameter blocks on one tape", BEX_TAPE_BLOCKS);
}

void bex_tape_reset(bex_tape *tape) {
    bex_arena_reset(tape->arena);
    tape->last = NULL;
}

bex_tensor *bex_tensor_new(bex_tape *tape, int rank, const int *dim, bool needs_grad) {
    bex_tensor *t = bex_arena_alloc(tape->arena, sizeof *t);
    *t = (bex_tensor){.rank = rank, .needs_grad = needs_grad && tape->recording};
    memcpy(t->dim, dim, (size_t)rank * sizeof *dim);
    t->data = bex_scratch(tape, bex_numel(rank, dim));
    return t;
}

bex_tensor *bex_tensor_like(bex_tape *tape, const bex_tensor *of) {
    return bex_tensor_new(tape, of->rank, of->dim, of->needs_grad);
}

bex_tensor *bex_tensor_repeating(bex_tape *tape, const bex_tensor *a, const bex_tensor *b,
                                 const char *operation) {
    int skip = a->rank - b->rank;
    BEX_CHECK(skip >= 0 && !memcmp(a->dim + skip, b->dim, (size_t)b->rank * sizeof *b->dim),
              "%s: %s and %s", operation, bex_shape(a), bex_shape(b));
    return bex_tensor_new(tape, a->rank, a->dim, a->needs_grad || b->needs_grad);
}

// a tensor over memory that is not the tape's
static bex_tensor *wrap(bex_tape *tape, const bex_real *data, int rank, const int *dim) {
    bex_tensor *t = bex_arena_alloc(tape->arena, sizeof *t);
    *t = (bex_tensor){.data = (bex_real *)(uintptr_t)data, .rank = rank};
    memcpy(t->dim, dim, (size_t)rank * sizeof *dim);
    return t;
}

bex_tensor *bex_constant(bex_tape *tape, const bex_real *data, int rank, const int *dim) {
    return wrap(tape, data, rank, dim);
}

bex_tensor *bex_use(bex_tape *tape, const bex_param *p) {
    bex_tensor *t = wrap(tape, bex_param_value(p), p->rank, p->dim);
    for (int i = 0; tape->recording && i < BEX_TAPE_BLOCKS && tape->train[i]; i++) {
        if (tape->train[i] != p->block) continue;
        t->needs_grad = true;
        BEX_CHECK(tape->block >= 0 && tape->block < p->block->blocks, "gradient block %d of %d",
                  tape->block, p->block->blocks);
        t->grad = bex_param_grad(p, tape->block);
        t->kept = bex_param_started(p, tape->block);
    }
    return t;
}

void *bex_record(bex_tape *tape, bex_backward_fn *backward, size_t size) {
    bex_tape_record *r = bex_arena_alloc(tape->arena, sizeof *r);
    *r = (bex_tape_record){tape->last, backward, bex_arena_alloc(tape->arena, size)};
    tape->last = r;
    return r->context;
}

bex_real *bex_grad(bex_tape *tape, bex_tensor *t, int *add) {
    if (!t->needs_grad) return NULL;
    if (!t->grad) t->grad = bex_scratch(tape, bex_count(t));
    bool *started = bex_grad_started(t);
    *add = *started;
    *started = true;
    return t->grad;
}

bex_real *bex_grad_sum(bex_tape *tape, bex_tensor *t) {
    int add;
    bex_real *g = bex_grad(tape, t, &add);
    if (g && !add) memset(g, 0, bex_count(t) * sizeof *g);
    return g;
}

bex_real *bex_scratch(bex_tape *tape, size_t count) {
    return bex_arena_alloc(tape->arena, count * sizeof(bex_real));
}

void bex_backward(bex_tape *tape, bex_tensor *root) {
    int add;
    bex_real *g = bex_grad(tape, root, &add);
    BEX_CHECK(g, "backward from a tensor %s that depends on no parameter", bex_shape(root));
    for (size_t i = 0; i < bex_count(root); i++) g[i] = R(1) + (add ? g[i] : R(0));
    for (bex_tape_record *r = tape->last; r; r = r->before) r->backward(tape, r->context);
    tape->last = NULL;
}
