/* coverage/prefix.h - features of a whole dataset, and Lambda of any run of its rows, cheaply.
 *
 *     rows      |.............................................|.........
 *     sums      P   P   P   P   P   P   P   P   P   P   P   P 0   P   P      one every `stride` rows
 *     window              [===================)
 *                       P - P, then at most stride/2 single rows added or taken away at each end
 *
 * Every row's sum of 1,000,000 x 32 features would be 4.6 GB; one every 16 rows is 0.3 GB. The stride
 * is the smallest that fits the budget. Sums restart every 1024 rows, whatever the episodes: a
 * window costs one more addition where it crosses, and the rounding of a difference stays below
 * 1024 * 1.1e-16 of |phi|^2 however long the data is (tests hold cov to 1e-10 of direct sums).
 *
 * Rows are numbered through all episodes; a window that leaves its episode is the caller's mistake.
 * Immutable once made: share it between threads. */
#ifndef BEX_COVERAGE_PREFIX_H
#define BEX_COVERAGE_PREFIX_H

#include "coverage/feature.h"

typedef struct bex_prefix bex_prefix;

typedef struct bex_prefix_options {
    size_t budget; // bytes for features and sums; 0: 512 MiB
    int stride;    // 0: chosen by the budget; else a power of two, 1 to 1024
    int threads;   // 0: all; the bits do not depend on it
} bex_prefix_options;

/* states (n, input) are read once; f is borrowed and must outlive the sums. NULL with a message if
 * a state is not finite, or the budget is too small even for the widest stride. */
bex_prefix *bex_prefix_new(const bex_feature *f, const bex_real *states, int64_t n,
                           const bex_prefix_options *options);
void bex_prefix_free(bex_prefix *p);

const bex_feature *bex_prefix_feature(const bex_prefix *p);
int64_t bex_prefix_rows(const bex_prefix *p);
int bex_prefix_stride(const bex_prefix *p);
size_t bex_prefix_bytes(const bex_prefix *p);

/* g (wide shape) += sum over rows first .. first + count - 1, or over the named rows. */
void bex_prefix_add_window(const bex_prefix *p, double *g, int64_t first, int64_t count);
void bex_prefix_add_rows(const bex_prefix *p, double *g, const int *rows, size_t n);

/* out (shape) = the wide sum g as phi sees it from row `reference`: a copy unless phi is relative. */
void bex_prefix_contract(const bex_prefix *p, double *out, const double *g, int64_t reference);

#endif
