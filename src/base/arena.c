/* base/arena.c - a chain of blocks; positions are offsets in the chain, so a mark is one number.
 *
 *   first -> [block 0: size s0][block 1: size s1] ...      position p in [start_i, start_i + s_i)
 *
 * A request that does not fit the rest of a block moves to the next; the gap counts as used until
 * release. Block sizes at least double, so a chain stays short. */
#include "base/arena.h"

#include "base/error.h"
#include "base/pages.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define POISON(p, n)   __asan_poison_memory_region((p), (n))
#define UNPOISON(p, n) __asan_unpoison_memory_region((p), (n))
#else
#define POISON(p, n)   ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

enum { ALIGN = 64, FIRST_BLOCK = 1 << 16 };
static const size_t LARGEST = SIZE_MAX / 4; // rounding and doubling cannot overflow

typedef struct block block;
struct block {
    block *next;
    size_t start; // chain position of the first byte
    size_t size;
    unsigned char *bytes;
};

struct bex_arena {
    block *first, *current;
    size_t position, peak;
};

bex_arena *bex_arena_new(void) {
    bex_arena *a = calloc(1, sizeof *a);
    if (!a) bex_fail("out of memory for an arena");
    return a;
}

static void free_chain(block *b) {
    while (b) {
        block *next = b->next;
        UNPOISON(b->bytes, b->size);
        free(b->bytes);
        free(b);
        b = next;
    }
}

void bex_arena_free(bex_arena *a) {
    if (!a) return;
    free_chain(a->first);
    free(a);
}

static block *block_new(size_t start, size_t size) {
    block *b = malloc(sizeof *b);
    unsigned char *bytes = b ? bex_pages_alloc(size) : NULL;
    if (!bytes) {
        free(b);
        return NULL;
    }
    *b = (block){.start = start, .size = size, .bytes = bytes};
    POISON(bytes, size);
    return b;
}

// the block that can take `bytes` at or after the position, appended to the chain if none can
static block *block_for(bex_arena *a, size_t bytes) {
    block *b = a->current ? a->current : a->first;
    if (b && a->position - b->start + bytes <= b->size) return b;
    block *last = b;
    for (b = b ? b->next : NULL; b; last = b, b = b->next)
        if (bytes <= b->size) return b;
#ifdef BEX_ARENA_MALLOC
    size_t size = bytes;
#else
    size_t size = last ? 2 * last->size : FIRST_BLOCK;
    while (size < bytes) size *= 2;
#endif
    b = block_new(last ? last->start + last->size : 0, size);
    if (!b) return NULL;
    *(last ? &last->next : &a->first) = b;
    return b;
}

static size_t rounded(size_t bytes) {
    BEX_CHECK(bytes <= LARGEST, "arena request of %zu bytes", bytes);
    return bytes ? (bytes + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
}

int bex_arena_reserve(bex_arena *a, size_t bytes) {
#ifdef BEX_ARENA_MALLOC
    (void)a, (void)bytes; // a reserved block would be shared by several allocations
    return 0;
#else
    if (bytes <= LARGEST && block_for(a, rounded(bytes))) return 0;
    return bex_fail("out of memory: %zu MiB for a step arena", bytes >> 20);
#endif
}

static _Thread_local jmp_buf *landing; // of the innermost guard of this thread

static _Noreturn void run_out(size_t position, size_t need) {
    BEX_CHECK(landing, "out of memory: arena at %zu bytes asks for %zu more", position, need);
    bex_fail("out of memory: %zu KiB of step memory and %zu KiB more", position >> 10,
             (need >> 10) + 1);
    longjmp(*landing, 1);
}

int bex_arena_guard(void (*work)(void *payload), void *payload) {
    jmp_buf here, *const outer = landing;
    landing = &here;
    int left = setjmp(here);
    if (!left) work(payload);
    landing = outer;
    return left ? -1 : 0;
}

void *bex_arena_alloc(bex_arena *a, size_t bytes) {
    size_t need = rounded(bytes);
    block *b = block_for(a, need);
    if (!b) run_out(a->position, need);
    a->current = b;
    if (a->position < b->start) a->position = b->start;
    unsigned char *p = b->bytes + (a->position - b->start);
    a->position += need;
    if (a->position > a->peak) a->peak = a->position;
    UNPOISON(p, bytes);
    return p;
}

void *bex_arena_zalloc(bex_arena *a, size_t bytes) {
    return memset(bex_arena_alloc(a, bytes), 0, bytes);
}

size_t bex_arena_mark(const bex_arena *a) {
    return a->position;
}

void bex_arena_release(bex_arena *a, size_t mark) {
    BEX_CHECK(mark <= a->position, "release to %zu, arena is at %zu", mark, a->position);
    block *b = a->first, *holder = NULL;
    for (; b; b = b->next) {
        if (b->start <= mark) holder = b;
        size_t from = mark > b->start ? mark - b->start : 0;
        if (from < b->size) POISON(b->bytes + from, b->size - from);
    }
    a->current = holder;
    a->position = mark;
#ifdef BEX_ARENA_MALLOC
    // give back what is past the mark, so that a stale pointer is a use after free
    block **tail = &a->first;
    a->current = NULL;
    while (*tail && (*tail)->start < mark) a->current = *tail, tail = &(*tail)->next;
    free_chain(*tail);
    *tail = NULL;
#endif
}

void bex_arena_reset(bex_arena *a) {
    bex_arena_release(a, 0);
}

size_t bex_arena_used(const bex_arena *a) {
    return a->position;
}

size_t bex_arena_peak(const bex_arena *a) {
    return a->peak;
}
