/* coverage/gram.c - the sums, and the one hot loop: rows gathered into a panel of doubles that
 * stays in the first-level cache, then tiles of the triangle accumulated in registers. */
#include "coverage/gram.h"
#include "coverage/double4.h"

#include "base/error.h"

#include <string.h>

enum { PANEL_ROWS = 64, AHEAD = 16 }; // AHEAD: scattered rows being fetched

static int blocks_of(int d) {
    return (d + DOUBLE4_SIZE - 1) / DOUBLE4_SIZE;
}

size_t bex_gram_size(bex_gram_shape shape) {
    size_t blocks = (size_t)blocks_of(shape.d);
    return shape.diagonal ? (size_t)shape.d
                          : DOUBLE4_SIZE * DOUBLE4_SIZE / 2 * blocks * (blocks + 1);
}

// first element of block row b when there are `blocks` of them
static size_t block_offset(int blocks, int b) {
    return DOUBLE4_SIZE * DOUBLE4_SIZE / 2 * (size_t)b * (size_t)(2 * blocks - b + 1);
}

// element (i, j) in row i; j not left of i's block
static size_t place(int blocks, int i, int j) {
    int b = i / DOUBLE4_SIZE;
    return block_offset(blocks, b) +
           (size_t)(i % DOUBLE4_SIZE * DOUBLE4_SIZE * (blocks - b) + j - DOUBLE4_SIZE * b);
}

size_t bex_gram_index(bex_gram_shape shape, int i, int j) {
    return i < j ? place(blocks_of(shape.d), i, j) : place(blocks_of(shape.d), j, i);
}

double bex_gram_at(bex_gram_shape shape, const double *g, int i, int j) {
    if (shape.diagonal) return i == j ? g[i] : 0;
    return g[bex_gram_index(shape, i, j)];
}

void bex_gram_zero(bex_gram_shape shape, double *g) {
    memset(g, 0, bex_gram_size(shape) * sizeof *g);
}

void bex_gram_union(bex_gram_shape shape, double *restrict g, const double *restrict other) {
    size_t size = bex_gram_size(shape);
    for (size_t e = 0; e < size; e++) g[e] += other[e];
}

void bex_gram_without(bex_gram_shape shape, double *restrict g, const double *restrict other) {
    size_t size = bex_gram_size(shape);
    for (size_t e = 0; e < size; e++) g[e] -= other[e];
}

void bex_gram_scale(bex_gram_shape shape, double *g, double factor) {
    size_t size = bex_gram_size(shape);
    for (size_t e = 0; e < size; e++) g[e] *= factor;
}

/* ---- the triangle of panel^T panel ---- */

// g[r][v] += or -= sum over rows of panel[.][row + r] * panel[.][column + 4v], r < 4, v < vectors
static inline __attribute__((always_inline)) void tile(double *g, size_t g_stride,
                                                       const double *panel, int width, int rows,
                                                       int row, int column, const int vectors,
                                                       bex_gram_sign sign) {
    double4 sum[DOUBLE4_SIZE][3];
    for (int r = 0; r < DOUBLE4_SIZE; r++)
        for (int v = 0; v < vectors; v++) sum[r][v] = double4_set(0);
    for (int k = 0; k < rows; k++) {
        const double *x = panel + (size_t)k * (size_t)width;
        double4 right[3];
        for (int v = 0; v < vectors; v++)
            right[v] = *(const double4 *)(x + column + v * DOUBLE4_SIZE);
        for (int r = 0; r < DOUBLE4_SIZE; r++) {
            double4 left = double4_set(x[row + r]);
            for (int v = 0; v < vectors; v++) sum[r][v] += left * right[v];
        }
    }
    for (int r = 0; r < DOUBLE4_SIZE; r++)
        for (int v = 0; v < vectors; v++) {
            double4 *out = (double4 *)(g + (size_t)r * g_stride + v * DOUBLE4_SIZE);
            *out = sign == BEX_GRAM_ADD ? *out + sum[r][v] : *out - sum[r][v];
        }
}

static void accumulate(bex_gram_shape shape, double *g, const double *panel, int rows,
                       bex_gram_sign sign) {
    int blocks = blocks_of(shape.d), width = blocks * DOUBLE4_SIZE;
    for (int b = 0; b < blocks; b++) {
        double *block = g + block_offset(blocks, b);
        size_t stride = (size_t)(DOUBLE4_SIZE * (blocks - b));
        int row = b * DOUBLE4_SIZE, left = blocks - b;
        for (int column = row; left > 0;) {
            double *out = block + (column - row);
            // three vectors fill the registers; never leave one alone unless it is the last block
            int vectors = left == 1 ? 1 : left == 2 || left == 4 ? 2 : 3;
            if (vectors == 3)
                tile(out, stride, panel, width, rows, row, column, 3, sign);
            else if (vectors == 2)
                tile(out, stride, panel, width, rows, row, column, 2, sign);
            else
                tile(out, stride, panel, width, rows, row, column, 1, sign);
            column += vectors * DOUBLE4_SIZE, left -= vectors;
        }
    }
}

static void widen(double *restrict out, const bex_real *restrict row, int d, int width) {
    for (int i = 0; i < d; i++) out[i] = (double)row[i];
    for (int i = d; i < width; i++) out[i] = 0;
}

// rows NULL: 0, 1, 2, ...
static void gather(bex_gram_shape shape, double *g, const bex_real *features, const int *rows,
                   size_t n, bex_gram_sign sign) {
    BEX_CHECK(!shape.diagonal && shape.d > 0 && shape.d <= BEX_GRAM_WIDTH, "%d features", shape.d);
    _Alignas(64) double panel[PANEL_ROWS * BEX_GRAM_WIDTH];
    int width = blocks_of(shape.d) * DOUBLE4_SIZE;
    size_t d = (size_t)shape.d;
    for (size_t first = 0; first < n; first += PANEL_ROWS) {
        int count = n - first < PANEL_ROWS ? (int)(n - first) : PANEL_ROWS;
        for (int k = 0; k < count; k++) {
            size_t at = first + (size_t)k, row = rows ? (size_t)rows[at] : at;
            if (rows && at + AHEAD < n) {
                const bex_real *next = features + (size_t)rows[at + AHEAD] * d;
                __builtin_prefetch(next), __builtin_prefetch(next + d - 1);
            }
            widen(panel + k * width, features + row * d, shape.d, width);
        }
        accumulate(shape, g, panel, count, sign);
    }
}

void bex_gram_rows(bex_gram_shape shape, double *g, const bex_real *features, size_t n,
                   bex_gram_sign sign) {
    gather(shape, g, features, NULL, n, sign);
}

void bex_gram_gather(bex_gram_shape shape, double *g, const bex_real *features, const int *rows,
                     size_t n, bex_gram_sign sign) {
    gather(shape, g, features, rows, n, sign);
}

/* ---- files ---- */

size_t bex_gram_packed_size(bex_gram_shape shape) {
    size_t d = (size_t)shape.d;
    return shape.diagonal ? d : d * (d + 1) / 2;
}

void bex_gram_pack(bex_gram_shape shape, double *packed, const double *g) {
    if (shape.diagonal) {
        memcpy(packed, g, (size_t)shape.d * sizeof *g);
        return;
    }
    for (int i = 0; i < shape.d; i++)
        for (int j = i; j < shape.d; j++) *packed++ = g[bex_gram_index(shape, i, j)];
}

void bex_gram_unpack(bex_gram_shape shape, double *g, const double *packed) {
    bex_gram_zero(shape, g);
    if (shape.diagonal) {
        memcpy(g, packed, (size_t)shape.d * sizeof *g);
        return;
    }
    int blocks = blocks_of(shape.d);
    for (int i = 0; i < shape.d; i++)
        for (int j = i; j < shape.d; j++) {
            g[place(blocks, i, j)] = *packed;
            // inside a diagonal block both triangles are kept
            if (j / DOUBLE4_SIZE == i / DOUBLE4_SIZE) g[place(blocks, j, i)] = *packed;
            packed++;
        }
}
