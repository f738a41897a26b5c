/* coverage/feature.h - phi(s): states to the features whose span coverage measures.
 *
 *   kind             phi(s), x the selected dims of s                          features
 *   onehot           e_s for integer states, or the cell of a grid over x      cells
 *   mlp              in-128-128-32, ReLU, linear output, weights and biases    32
 *                    U(+-1/sqrt(fan_in)), fixed: never trained
 *   cosine           cos(A x + b), A ~ N(0, bandwidth^2), b ~ U(0, 2 pi)       16
 *   cosine_relative  cos(A (x - x_k) + b), x_k the state acted from            16
 *
 * Everything random comes from `seed`; saved and loaded as tensors `phi.*`, so a policy keeps its
 * phi whatever later versions draw. Immutable once made: share it between threads.
 *
 * Relative features change with x_k, which would forbid sums made in advance. But
 *     cos(A(x - x_k) + b) = cos(Ax + b) cos(A x_k) + sin(Ax + b) sin(A x_k),
 * so sums are kept over the wide features [cos(Ax + b) | sin(Ax + b)] and contracted with the
 * reference when it is known: exact, and as cheap as the rest. For other kinds wide = phi.
 *
 * Pitfall: raw states of unequal scale let one dim decide everything; give mean and std, or choose
 * dims. Cosines on the dims that matter beat the mlp on the full state (docs/coverage.md). */
#ifndef BEX_COVERAGE_FEATURE_H
#define BEX_COVERAGE_FEATURE_H

#include "base/real.h"
#include "coverage/gram.h"
#include "nn/safetensors.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BEX_FEATURE_DIMS = 256 }; // most selected dims, and most hidden units

typedef struct bex_feature_options {
    const char *kind; // a name of the table above
    int input;        // size of a state
    const int *dims;  // selected dims (dims_count), each once; NULL: all
    int dims_count;
    int out;          // features; 0: the kind's own. onehot without bins: number of states
    int hidden;       // mlp; 0: 128
    double bandwidth; // cosines; 0: 1. Larger tells smaller distances apart
    uint64_t seed;
    const bex_real *mean, *std; // (input), both or neither: x = (s - mean) / std
    // onehot over a grid: cell floor((x - low) / bin), 0..bins-1, states outside count as the edge
    // cell; (dims_count) each. bins NULL: one dim holding the integer 0..out-1
    const bex_real *low, *bin;
    const int *bins;
} bex_feature_options;

typedef struct bex_feature bex_feature;

/* NULL with a message for an unknown kind (naming the nearest) or a size out of range. */
bex_feature *bex_feature_new(const bex_feature_options *options);
void bex_feature_free(bex_feature *f);

const char *bex_feature_kind(const bex_feature *f);
int bex_feature_input(const bex_feature *f);
bool bex_feature_relative(const bex_feature *f);
bex_gram_shape bex_feature_shape(const bex_feature *f); // of phi
bex_gram_shape bex_feature_wide(const bex_feature *f);  // of the features sums are kept over

/* out (n, d) = phi of states (n, input). reference (input): x_k, for relative kinds, else NULL.
 * threads 0: as many as there are; the bits do not depend on it. Negative with a message naming
 * the row if a selected value is not finite, or an integer state is out of range. */
int bex_feature_eval(const bex_feature *f, bex_real *out, const bex_real *states, size_t n,
                     const bex_real *reference, int threads);
/* out (n, wide d); not for onehot, whose rows are cells (n). */
int bex_feature_eval_wide(const bex_feature *f, bex_real *out, const bex_real *states, size_t n,
                          int threads);
int bex_feature_cells(const bex_feature *f, int32_t *cells, const bex_real *states, size_t n,
                      int threads);

/* out (shape) = the sum over wide features seen from the state whose wide features are
 * `reference` (wide d). Relative kinds only. */
void bex_feature_contract(const bex_feature *f, double *out, const double *wide,
                          const bex_real *reference);

/* Adds the tensors to w, which borrows them: keep f until bex_st_save. */
void bex_feature_save(const bex_feature *f, bex_st_writer *w);
/* NULL with a message if a tensor is missing or does not fit. */
bex_feature *bex_feature_load(const bex_st_file *file);

#endif
