/* nn/tensor.c - shapes. */
#include "nn/tensor.h"

#include "base/error.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

size_t bex_numel(int rank, const int *dim) {
    BEX_CHECK(rank >= 0 && rank <= BEX_RANK, "rank %d", rank);
    size_t n = 1;
    for (int i = 0; i < rank; i++) {
        BEX_CHECK(dim[i] >= 0 && !__builtin_mul_overflow(n, (size_t)dim[i], &n), "shape %s",
                  bex_shape_text(rank, dim));
    }
    BEX_CHECK(n <= SIZE_MAX / sizeof(double), "shape %s", bex_shape_text(rank, dim));
    return n;
}

int bex_rows(const bex_tensor *t) {
    size_t n = t->rank ? bex_numel(t->rank - 1, t->dim) : 1;
    BEX_CHECK(n <= INT_MAX, "%zu rows", n);
    return (int)n;
}

bool bex_same_shape(const bex_tensor *a, const bex_tensor *b) {
    if (a->rank != b->rank) return false;
    for (int i = 0; i < a->rank; i++)
        if (a->dim[i] != b->dim[i]) return false;
    return true;
}

const char *bex_shape_text(int rank, const int *dim) {
    static _Thread_local char ring[4][64];
    static _Thread_local int next;
    char *text = ring[next++ % 4];
    int n = snprintf(text, sizeof ring[0], "(");
    for (int i = 0; i < rank && n < (int)sizeof ring[0]; i++)
        n += snprintf(text + n, sizeof ring[0] - (size_t)n, "%s%d", i ? "," : "", dim[i]);
    if (n < (int)sizeof ring[0]) snprintf(text + n, sizeof ring[0] - (size_t)n, ")");
    return text;
}

const char *bex_shape(const bex_tensor *t) {
    return bex_shape_text(t->rank, t->dim);
}
