/* coverage/gram.h - Lambda(S) = sum of phi(s) phi(s)^T over a set of states, in double.
 *
 * A sum is a plain array of bex_gram_size(shape) doubles; the empty set is all zeros. Sums add:
 * Lambda(S u T) = Lambda(S) + Lambda(T), repeated states counted as often as they occur.
 *
 * Dense layout: the upper triangle in rows, in blocks of four rows; every row of block b starts at
 * column 4b and is padded with zeros to a multiple of four, so that all work is whole vectors:
 *
 *     row 0  0 1 2 3 | 4 5 6 7        d = 7, padded to 8: 48 doubles, not 64
 *     row 3  0 1 2 3 | 4 5 6 7
 *     row 4          | 4 5 6 7
 *
 * Diagonal layout (one-hot features): the d visit counts.
 * The product of two floats is exact in double, so the only error is that of adding: n rows lose at
 * most n * 1.1e-16 of the sum of |phi_i phi_j|. Pure functions; any thread. */
#ifndef BEX_COVERAGE_GRAM_H
#define BEX_COVERAGE_GRAM_H

#include "base/real.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BEX_GRAM_WIDTH = 128,  // most features of a dense sum
    BEX_GRAM_CELLS = 8192, // most features of a diagonal one
    BEX_GRAM_MOST = 8448,  // doubles of the largest sum: scratch is on the stack
};

typedef struct bex_gram_shape {
    int d;         // features
    bool diagonal; // one-hot: only counts are kept
} bex_gram_shape;

typedef enum { BEX_GRAM_ADD, BEX_GRAM_SUBTRACT } bex_gram_sign;

size_t bex_gram_size(bex_gram_shape shape);                // doubles, padding included
size_t bex_gram_index(bex_gram_shape shape, int i, int j); // dense, any order of i and j
double bex_gram_at(bex_gram_shape shape, const double *g, int i, int j);

void bex_gram_zero(bex_gram_shape shape, double *g);
void bex_gram_union(bex_gram_shape shape, double *g, const double *other);   // g += other
void bex_gram_without(bex_gram_shape shape, double *g, const double *other); // g -= other
void bex_gram_scale(bex_gram_shape shape, double *g, double factor);

/* Add or subtract phi phi^T of n rows of features (., d); dense shapes. bex_gram_gather takes the
 * rows named in `rows`, repeats included. */
void bex_gram_rows(bex_gram_shape shape, double *g, const bex_real *features, size_t n,
                   bex_gram_sign sign);
void bex_gram_gather(bex_gram_shape shape, double *g, const bex_real *features, const int *rows,
                     size_t n, bex_gram_sign sign);

/* To and from the plain packed upper triangle, row by row, d (d + 1) / 2 doubles (diagonal: d):
 * what files hold. */
size_t bex_gram_packed_size(bex_gram_shape shape);
void bex_gram_pack(bex_gram_shape shape, double *packed, const double *g);
void bex_gram_unpack(bex_gram_shape shape, double *g, const double *packed);

#endif
