/* data/window.h - the training sampler: which rows make a window. It alone knows padding and horizons.
 *
 *   one episode     s_0  ...  s_k  s_k+1 ........ s_k+F  ...  s_T-1
 *                             |<-------- future -------->|                future rows: F + 1
 *                             a_k  a_k+1 .. a_k+K-1                       chunk: K actions
 *
 *   near its end    ...  s_k  s_k+1  s_T-1 |                              K = 5, T - k = 3
 *                        a_k  a_k+1  a_T-1 | a_T-1  a_T-1                 the last action repeated
 *               mask      1     1      1   |   0      0
 *
 * Window i of step t is a function of (seed, t, i) and of the data only, never of threads, of other
 * windows or of what was drawn before:
 *   start     uniform over every k that may start a window: all rows of every episode with at least K
 *             rows (shorter ones are fragments), if not `truncate` only those with k + F < T
 * Its stream is split(split(seed, "window", t), "start", i). The history that goes with it:
 * data/training_history.h.
 *
 * Rows, not copies, are returned for the future: coverage sums features by prefix. */
#ifndef BEX_DATA_WINDOW_H
#define BEX_DATA_WINDOW_H

#include "base/rng.h"
#include "data/dataset.h"

#include <stdbool.h>

typedef struct bex_window_options {
    int chunk;    // K >= 1
    int future;   // F >= 0
    int truncate; // allow futures cut by the end of the episode
    uint64_t seed;
} bex_window_options;

#define BEX_WINDOW_INIT ((bex_window_options){.chunk = 1})

typedef struct bex_window {
    int episode;
    int row;         // of s_k, in the whole data set; s_k..s_k+future_rows-1 are the future
    int future_rows; // F + 1, fewer only if truncated
    int actions;     // of the chunk inside the episode, 1..K
} bex_window;

/* Immutable after new: share it between threads. Borrows the data set. */
typedef struct bex_windows bex_windows;

/* NULL with a message if no row can start a window: every episode shorter than a chunk or a future. */
bex_windows *bex_windows_new(const bex_dataset *dataset, const bex_window_options *options);
void bex_windows_free(bex_windows *windows); // NULL is fine

long long bex_windows_starts(const bex_windows *windows); // rows that may start a window
int bex_windows_short(const bex_windows *windows);        // episodes too short to start one

/* The j-th row that may start a window, in data order: for passes over all of them. */
bex_window bex_windows_at(const bex_windows *windows, long long j);

/* The episode of a row of the data set. */
int bex_windows_episode(const bex_windows *windows, int row);

/* The window that starts at a row of the data set; false if none does. */
bool bex_windows_of_row(const bex_windows *windows, int row, bex_window *window);

/* Window i of step t. */
bex_window bex_windows_draw(const bex_windows *windows, uint64_t t, int i);

/* The row whose action step k of the chunk holds, by the padding rule above, and its mask (1 or 0; may be
 * NULL). */
int bex_window_action(const bex_window *window, int k, bex_real *mask);

/* The chunk of a window: actions (K, A), mask (K) of 1 and 0. mask may be NULL. The one function here that
 * reads the data set's rows; the others know its episodes only. */
void bex_windows_chunk(const bex_windows *windows, const bex_window *window, bex_real *actions,
                       bex_real *mask);

#endif
