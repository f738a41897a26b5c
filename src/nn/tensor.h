/* nn/tensor.h - an array with a shape, living in a tape's arena until the tape is reset.
 *
 * Row-major, outermost dimension first, dense. `rows` is the product of all dimensions but the last:
 * most operations see a tensor as (rows, width). */
#ifndef BEX_NN_TENSOR_H
#define BEX_NN_TENSOR_H

#include "base/real.h"

#include <stdbool.h>

enum { BEX_RANK = 4 };

typedef struct bex_tensor {
    bex_real *data;
    bex_real *grad;    // NULL until the backward pass reaches it
    bool needs_grad;   // some parameter is upstream
    bool grad_started; // grad holds a sum already: add to it, else set it
    bool *kept;        // the same of a parameter, kept with its gradient block; else NULL
    int rank, dim[BEX_RANK];
} bex_tensor;

/* Elements of a shape; a bug if a dimension is negative or the product overflows. */
size_t bex_numel(int rank, const int *dim);

static inline size_t bex_count(const bex_tensor *t) {
    return bex_numel(t->rank, t->dim);
}

static inline int bex_width(const bex_tensor *t) {
    return t->rank ? t->dim[t->rank - 1] : 1;
}

int bex_rows(const bex_tensor *t);

bool bex_same_shape(const bex_tensor *a, const bex_tensor *b);

/* "(2,3,4)" for messages; a ring of four static-per-thread buffers, so that one message can hold
 * several. */
const char *bex_shape(const bex_tensor *t);
const char *bex_shape_text(int rank, const int *dim);

#endif
