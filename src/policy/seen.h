/* policy/seen.h - columns of the state that are made from pictures: what a frozen network sees, in few
 * numbers.
 *
 *   x (F)   the features of all cameras at one moment, side by side
 *   seen    (n) = axis (x - mean),   axis (n,F): principal directions of the demonstrations' features,
 *                                    orthonormal, the widest first
 *
 * They stand behind the columns that a caller gives, named seen[0], seen[1], ...: coverage, waypoints,
 * history and tokens take them for any other column. A network that learns would change them under way: only
 * a frozen one has them. Immutable once fitted. */
#ifndef BEX_POLICY_SEEN_H
#define BEX_POLICY_SEEN_H

#include "base/real.h"
#include "nn/safetensors.h"

#define BEX_SEEN_KEY "seen"

typedef struct bex_seen {
    int columns, features; // n, F; 0: none
    bex_real *mean, *axis;
} bex_seen;

/* From the features of so many moments, x[i] (F). Negative with a message; nothing is left allocated then. */
int bex_seen_fit(bex_seen *seen, int columns, int features, const bex_real *const *x, int moments);
void bex_seen_fini(bex_seen *seen);

/* out (n) of x (F). */
void bex_seen_columns(const bex_seen *seen, bex_real *out, const bex_real *x);

/* As tensors "seen.*"; the writer borrows. Negative with a message: missing, or of other sizes. */
void bex_seen_save(const bex_seen *seen, bex_st_writer *w);
int bex_seen_load(bex_seen *seen, const bex_st_file *f, int columns, int features);

#endif
