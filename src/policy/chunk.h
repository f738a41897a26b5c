/* policy/chunk.h - how a chunk of the network lies in memory, and what its columns mean.
 *
 *   x (K, columns)     row k = [ action k | waypoint k ],  columns = A + W
 *
 *   action       A values in [-1, 1] (policy/normaliser.h)
 *   waypoint     with model.waypoints: the state (k + 1) F / K steps on, in the W dims of coverage.dims,
 *                in [-1, 1]
 *                  reach 0    (s - mean) / (2 std)                    a position
 *                  reach r    (s - s_now) / (r std (k + 1) / K)       a displacement, as its mean velocity
 *
 * A displacement is as large as an action, so the two are denoised together. Positions a few steps apart
 * differ by hundredths: they are resolved only by the last denoising steps, when the actions are settled. */
#ifndef BEX_POLICY_CHUNK_H
#define BEX_POLICY_CHUNK_H

#include "coverage/feature.h"
#include "policy/normaliser.h"

typedef struct bex_chunk_shape {
    int K, A, W;
    int columns;               // A + W
    int dim[BEX_FEATURE_DIMS]; // (W) the state dim of each waypoint column
    double reach;              // standard deviations in F steps that count as 1; 0: positions
    double spacing;            // F / K, steps between waypoints
} bex_chunk_shape;

static inline size_t bex_chunk_size(const bex_chunk_shape *s) {
    return (size_t)s->K * (size_t)s->columns;
}

/* Row k of x: its action (A), and its waypoint (W). */
static inline bex_real *bex_chunk_action(const bex_chunk_shape *s, bex_real *x, int k) {
    return x + (size_t)k * (size_t)s->columns;
}
static inline bex_real *bex_chunk_waypoint(const bex_chunk_shape *s, bex_real *x, int k) {
    return bex_chunk_action(s, x, k) + s->A;
}

/* Waypoint column of a state s seen from `now`, both normalised; clamped to [-1, 1]. */
bex_real bex_waypoint_encode(const bex_chunk_shape *shape, int k, bex_real s, bex_real now);

/* The state in dim shape->dim[i] of column i of waypoint k seen from `now`; both in the world's units. */
bex_real bex_waypoint_decode(const bex_chunk_shape *shape, const bex_normaliser *n, int k, int i,
                             bex_real value, bex_real now);

/* All waypoints of x predicted in `state` (O): positions (K,W), the world's units. */
void bex_chunk_positions(const bex_chunk_shape *shape, const bex_normaliser *n, const bex_real *x,
                         const bex_real *state, bex_real *positions);

/* The actions of x in the world's units: (K,A). */
void bex_chunk_actions(const bex_chunk_shape *shape, const bex_normaliser *n, const bex_real *x,
                       bex_real *actions);

/* The noise of n chunks at a temperature: that of the actions scaled, since likelier actions are denoised
 * from less. That of the waypoints stays: candidates differ in it. */
void bex_chunk_cool(const bex_chunk_shape *shape, bex_real *x, size_t n, double temperature);

/* Columns `first` and behind of so many rows: x gets those of `from`. */
void bex_chunk_copy_columns(bex_real *x, const bex_real *from, size_t rows, int columns, int first);

#endif
