/* data/alternatives.h - where else demonstrators went on from nearly the same state.
 *
 *     episode 3   ... s s s[s]s s s ...        the query is near [s] of three episodes: three passes,
 *     episode 8   ... s s[s]s s s s ...        each the start of a window of its own
 *     episode 8   ............. s[s]s ...
 *
 * Rows that may start a window, nearest first by Euclidean distance over columns that the caller chose and
 * scaled. Rows of one episode within `apart` of one another are one pass, of which the nearest counts: a
 * future that is another's a few steps later is no alternative. Every `apart` / 25th row is looked at.
 * Immutable once made: share it between threads. */
#ifndef BEX_DATA_ALTERNATIVES_H
#define BEX_DATA_ALTERNATIVES_H

#include "data/window.h"

enum { BEX_ALTERNATIVES_MOST = 256 };

typedef struct bex_alternatives bex_alternatives;

/* points (starts of windows, D), in the order of bex_windows_at; copied. Borrows the windows. NULL with a
 * message. */
bex_alternatives *bex_alternatives_new(const bex_windows *windows, const bex_real *points, int D,
                                       int apart);
void bex_alternatives_free(bex_alternatives *a); // NULL is fine

/* Up to k <= BEX_ALTERNATIVES_MOST windows nearest to query (D), nearest first; how many. None is of the pass
 * that `row` of the windows' own data belongs to (-1: the query is from elsewhere). Fewer than k where the
 * nearest 64 k rows hold no more passes. Allocates nothing. */
int bex_alternatives_find(const bex_alternatives *a, const bex_real *query, int row, int k,
                          bex_window *found);

#endif
