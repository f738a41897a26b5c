/* tests/malloc_count.h - counts every heap allocation of the process, those inside libraries included,
 * and lets chosen ones fail, by standing in front of the C library's functions. Include in one file of
 * a test program.
 *
 *     long before = malloc_calls();                malloc_fail(7, false);       the 7th from now fails, once
 *     ...                                          ...
 *     assert_int_equal(malloc_calls(), before);    assert_int_equal(malloc_fail(0, false), 1);
 *
 * Under a sanitizer, which does the same, it stands in front of that one's functions; in front of
 * ThreadSanitizer's it counts nothing: check malloc_counted(). */
#ifndef BEX_TESTS_MALLOC_COUNT_H
#define BEX_TESTS_MALLOC_COUNT_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static atomic_long malloc_count_calls, malloc_count_live;
static atomic_long malloc_count_left;   // calls until the one that fails; 0: none does
static atomic_bool malloc_count_beyond; // and all after it
static atomic_long malloc_count_failed;

static inline long malloc_calls(void) {
    return atomic_load(&malloc_count_calls);
}

// allocations that nobody has freed
static inline long malloc_live(void) {
    return atomic_load(&malloc_count_live);
}

// the nth allocation from now on fails, with `beyond` every later one too; 0: none. How many have
// failed before
static inline long malloc_fail(long nth, bool beyond) {
    atomic_store(&malloc_count_left, 0);
    atomic_store(&malloc_count_beyond, beyond);
    atomic_store(&malloc_count_left, nth);
    return atomic_exchange(&malloc_count_failed, 0);
}

#if defined(__SANITIZE_THREAD__)

static inline bool malloc_counted(void) {
    return false;
}

#else

static inline bool malloc_counted(void) {
    return true;
}

#if defined(__SANITIZE_ADDRESS__)
// called before the sanitizer has set itself up: no shadow memory yet
#define MALLOC_COUNT_PLAIN      __attribute__((no_sanitize("address", "undefined")))
void *__interceptor_malloc(size_t size);
void *__interceptor_calloc(size_t count, size_t size);
void *__interceptor_realloc(void *old, size_t size);
void *__interceptor_memalign(size_t align, size_t size);
void __interceptor_free(void *p);
#define MALLOC_COUNT_REAL(name) __interceptor_##name
#else
#define MALLOC_COUNT_PLAIN
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *p);
#define MALLOC_COUNT_REAL(name) __libc_##name
#endif

// one more call: whether it is to fail
MALLOC_COUNT_PLAIN static bool malloc_count_call(void) {
    malloc_count_calls++;
    long left = malloc_count_left;
    if (left == 0) return false;
    if (left > 1 || !malloc_count_beyond) malloc_count_left = left - 1;
    if (left > 1) return false;
    malloc_count_failed++;
    errno = ENOMEM; // as the real ones do
    return true;
}

MALLOC_COUNT_PLAIN static void *malloc_count_given(void *p) {
    if (p) malloc_count_live++;
    return p;
}

MALLOC_COUNT_PLAIN void *malloc(size_t size) {
    return malloc_count_call() ? NULL : malloc_count_given(MALLOC_COUNT_REAL(malloc)(size));
}

MALLOC_COUNT_PLAIN void *calloc(size_t count, size_t size) {
    return malloc_count_call() ? NULL : malloc_count_given(MALLOC_COUNT_REAL(calloc)(count, size));
}

MALLOC_COUNT_PLAIN void *realloc(void *old, size_t size) {
    if (malloc_count_call()) return NULL;
    void *p = MALLOC_COUNT_REAL(realloc)(old, size);
    return old ? p : malloc_count_given(p);
}

MALLOC_COUNT_PLAIN void *aligned_alloc(size_t align, size_t size) {
    if (malloc_count_call()) return NULL;
    return malloc_count_given(MALLOC_COUNT_REAL(memalign)(align, size));
}

void *memalign(size_t align, size_t size);
MALLOC_COUNT_PLAIN void *memalign(size_t align, size_t size) {
    return aligned_alloc(align, size);
}

MALLOC_COUNT_PLAIN int posix_memalign(void **out, size_t align, size_t size) {
    *out = aligned_alloc(align, size);
    return *out ? 0 : 12; // ENOMEM
}

MALLOC_COUNT_PLAIN void free(void *p) {
    if (p) malloc_count_live--;
    MALLOC_COUNT_REAL(free)(p);
}

#if defined(__SANITIZE_ADDRESS__)
// the sanitizer's own would not come by here
MALLOC_COUNT_PLAIN char *strdup(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}
#endif

#endif

#endif
