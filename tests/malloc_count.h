/* tests/malloc_count.h - counts every heap allocation of the process, those inside libraries included,
 * by standing in front of the C library's functions. Include in one file of a test program.
 *
 *     long before = malloc_calls();
 *     ...
 *     assert_int_equal(malloc_calls(), before);
 *
 * Under AddressSanitizer, which does the same, it counts nothing: check malloc_counted(). */
#ifndef BEX_TESTS_MALLOC_COUNT_H
#define BEX_TESTS_MALLOC_COUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static atomic_long malloc_count_calls;

static inline long malloc_calls(void) {
    return atomic_load(&malloc_count_calls);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

static inline bool malloc_counted(void) {
    return false;
}

#else

static inline bool malloc_counted(void) {
    return true;
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);

void *malloc(size_t size) {
    atomic_fetch_add(&malloc_count_calls, 1);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    atomic_fetch_add(&malloc_count_calls, 1);
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    atomic_fetch_add(&malloc_count_calls, 1);
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t align, size_t size) {
    atomic_fetch_add(&malloc_count_calls, 1);
    return __libc_memalign(align, size);
}

void *memalign(size_t align, size_t size);
void *memalign(size_t align, size_t size) {
    return aligned_alloc(align, size);
}

int posix_memalign(void **out, size_t align, size_t size) {
    *out = aligned_alloc(align, size);
    return *out ? 0 : 12; // ENOMEM
}

#endif

#endif
