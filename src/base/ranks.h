/* base/ranks.h - processes that train one policy together, each on its share of the lanes (nn/lanes.h).
 *
 *   alone (the default)     rank 0 of 1; every call below returns at once
 *   mpirun -n 4 bex train   ranks 0..3, joined by run/mpi.c
 *
 * The library knows no MPI: whoever starts ranks hands over the two ways they meet, bex_ranks_join. That
 * is a fact of the process, like the log's sink. Rank 0 speaks, writes and prints; the others compute.
 *
 * A meeting is collective: all ranks make the same calls in the same order, from their main thread. A
 * rank that is gone fails the meeting it does not come to, and on the others every one after it. */
#ifndef BEX_BASE_RANKS_H
#define BEX_BASE_RANKS_H

#include "base/real.h"

#include <stdbool.h>
#include <stddef.h>

/* data[first .. first + n - 1] as this rank leaves it, from `before`, the same part of the rank before
 * (n reals; NULL on rank 0). */
typedef void bex_fold_fn(size_t first, size_t n, const bex_real *before, void *payload);

/* How ranks meet; both return negative with a message if a rank is gone. */
typedef struct bex_ranks {
    int rank, count;
    int (*gather)(void *all, int n, size_t size);
    int (*fold)(bex_real *data, size_t n, bex_fold_fn *fold, void *payload);
} bex_ranks;

/* `ranks` must stay; NULL: alone again. */
void bex_ranks_join(const bex_ranks *ranks);
const bex_ranks *bex_ranks_joined(void); // NULL: alone

/* A launcher (mpirun, srun) started this process as one of several, by what it left in the environment. */
bool bex_ranks_launched(void);

int bex_ranks_rank(void);
int bex_ranks_count(void);
bool bex_ranks_lost(void); // one is gone

/* n elements of `size` bytes, slices of bex_part over ranks: each rank has filled its own, all get all. */
int bex_ranks_gather(void *all, int n, size_t size);

/* Along the ranks, piece by piece: fold() on rank 0, then on rank 1 given what 0 left, and so on; then every
 * rank's data (n reals) is the last one's. Pieces follow one another, so that all ranks work at once, and
 * what is added to what does not depend on where a piece ends. */
int bex_ranks_fold(bex_real *data, size_t n, bex_fold_fn *fold, void *payload);

/* What all came to: negative if any code is, with the message of the first rank that failed; else the
 * largest. */
int bex_ranks_settle(int code);

/* Rank 0's number. */
int bex_ranks_first(int mine);

/* 0 if all ranks hold the same bytes here, else negative: "rank 2 has other WHAT than rank 0". */
int bex_ranks_alike(const char *what, const void *data, size_t bytes);

/* This process was told to end: a meeting that waits gives up soon. For signal handlers. */
void bex_ranks_hurry(void);
bool bex_ranks_hurried(void);

#endif
