/* base/arena.h - step memory: allocate forward, release back to a mark or reset whole.
 *
 *     size_t mark = bex_arena_mark(a);
 *     float *scratch = bex_arena_alloc(a, n * sizeof *scratch);
 *     ...
 *     bex_arena_release(a, mark);
 *
 * Blocks are kept across resets, so a loop that repeats its allocations stops calling malloc after the
 * first round. Pointers are 64-byte aligned and uninitialised. Released memory is poisoned under
 * AddressSanitizer; -DBEX_ARENA_MALLOC makes each allocation a malloc of its own, for valgrind. One
 * thread at a time. Running out of memory is a fault of the world but has no place to return to inside
 * a network: bex_arena_alloc goes back to the guard round the pass, bex_arena_guard, or, where there is
 * none, aborts with the sizes. libbex guards every pass; the lab's do not need it. */
#ifndef BEX_BASE_ARENA_H
#define BEX_BASE_ARENA_H

#include <stddef.h>

typedef struct bex_arena bex_arena;

bex_arena *bex_arena_new(void);        // NULL with a message: out of memory
void bex_arena_free(bex_arena *arena); // NULL is fine

/* Make sure the next `bytes` in all, each request rounded up to 64, need no malloc. 0, or negative
 * with a message. */
int bex_arena_reserve(bex_arena *arena, size_t bytes);

void *bex_arena_alloc(bex_arena *arena, size_t bytes);
void *bex_arena_zalloc(bex_arena *arena, size_t bytes); // zero-filled

/* work(payload), and 0. If an arena finds no memory in it, in this thread, work is left there and then,
 * not returned from: negative with a message. So only for work that holds nothing but memory of arenas,
 * which the caller resets, and objects that others own; what it had begun to write is half written.
 * Guards nest: the innermost is gone back to. */
int bex_arena_guard(void (*work)(void *payload), void *payload);

size_t bex_arena_mark(const bex_arena *arena);
void bex_arena_release(bex_arena *arena, size_t mark);
void bex_arena_reset(bex_arena *arena);

size_t bex_arena_used(const bex_arena *arena); // bytes handed out now, padding included
size_t bex_arena_peak(const bex_arena *arena); // highest value of used so far

#endif
