/* policy/chunk.c - rows of [action | waypoint]. */
#include "policy/chunk.h"

#include <string.h>

// deviations that waypoint k counts as 1
static bex_real scale(const bex_chunk_shape *s, int k) {
    return s->reach > 0 ? R(s->reach * (k + 1) / s->K) : R(2);
}

bex_real bex_waypoint_encode(const bex_chunk_shape *shape, int k, bex_real s, bex_real now) {
    bex_real x = (shape->reach > 0 ? s - now : s) / scale(shape, k);
    return x < R(-1) ? R(-1) : x > R(1) ? R(1) : x;
}

bex_real bex_waypoint_decode(const bex_chunk_shape *shape, const bex_normaliser *n, int k, int i,
                             bex_real value, bex_real now) {
    int dim = shape->dim[i];
    bex_real from = shape->reach > 0 ? now : n->mean[dim];
    return from + scale(shape, k) * value * n->std[dim];
}

void bex_chunk_positions(const bex_chunk_shape *s, const bex_normaliser *n, const bex_real *x,
                         const bex_real *state, bex_real *positions) {
    for (int k = 0; k < s->K; k++)
        for (int i = 0; i < s->W; i++)
            positions[k * s->W + i] =
                bex_waypoint_decode(s, n, k, i, x[k * s->columns + s->A + i], state[s->dim[i]]);
}

void bex_chunk_actions(const bex_chunk_shape *s, const bex_normaliser *n, const bex_real *x,
                       bex_real *actions) {
    for (size_t k = 0; k < (size_t)s->K; k++)
        bex_denormalise_actions(n, actions + k * (size_t)s->A, x + k * (size_t)s->columns, 1);
}

void bex_chunk_cool(const bex_chunk_shape *s, bex_real *x, size_t n, double temperature) {
    size_t columns = (size_t)s->columns;
    for (size_t i = 0; temperature != 1 && i < n * (size_t)s->K; i++)
        for (size_t a = 0; a < (size_t)s->A; a++) x[i * columns + a] *= R(temperature);
}

void bex_chunk_copy_columns(bex_real *x, const bex_real *from, size_t rows, int columns,
                            int first) {
    size_t row = (size_t)columns, at = (size_t)first;
    for (size_t i = 0; i < rows; i++)
        memcpy(x + i * row + at, from + i * row + at, (row - at) * sizeof *x);
}

void bex_chunk_take_waypoints(const bex_chunk_shape *s, const bex_real *x, size_t n,
                              bex_real *waypoints) {
    size_t W = (size_t)s->W, columns = (size_t)s->columns;
    for (size_t i = 0; i < n * (size_t)s->K; i++)
        memcpy(waypoints + i * W, x + i * columns + (size_t)s->A, W * sizeof *x);
}

void bex_chunk_put_waypoints(const bex_chunk_shape *s, const bex_real *waypoints, size_t n,
                             bex_real *x) {
    size_t W = (size_t)s->W, columns = (size_t)s->columns;
    for (size_t i = 0; i < n * (size_t)s->K; i++)
        memcpy(x + i * columns + (size_t)s->A, waypoints + i * W, W * sizeof *x);
}
