/* base/error.h - the two kinds of failure, never mixed.
 *
 * A bug (shape mismatch, NULL): BEX_CHECK prints where and what, and aborts. Always on.
 * The world (file, format, config, memory): a function returns a negative int and leaves a message
 * for this thread. Callers add context on the way up, outermost first:
 *
 *     if (read_column(f, "actions") < 0) return bex_fail_in("data '%s'", path);
 *     -> "data 'x.hdf5': 'actions' has 7 columns, the policy expects 8"
 *
 * The text is always one line: control characters in it become '?'.
 * Memory: whatever bex.h reaches returns its lack. Where only the lab comes, a BEX_CHECK that says "out of
 * memory" will do. */
#ifndef BEX_BASE_ERROR_H
#define BEX_BASE_ERROR_H

#include <stdbool.h>

#if defined(__GNUC__)
#define BEX_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define BEX_PRINTF(fmt, args)
#endif

/* Set this thread's message; returns -1, so that `return bex_fail(...)` reads well. */
int bex_fail(const char *fmt, ...) BEX_PRINTF(1, 2);

/* Prepend "context: " to this thread's message; returns -1. */
int bex_fail_in(const char *fmt, ...) BEX_PRINTF(1, 2);

/* Append " (hint)" to this thread's message; returns -1. */
int bex_fail_hint(const char *fmt, ...) BEX_PRINTF(1, 2);

/* The failure this thread's message tells of is the caller's: a wrong size, a bad option, a call out of
 * order, not the world's. `bex_fail("..."); return bex_misused();`. Context and hints keep it, the next
 * bex_fail ends it. Returns -1. */
int bex_misused(void);
bool bex_error_is_misuse(void);

/* This thread's message, "" when none; valid until this thread's next failure. */
const char *bex_error(void);
void bex_error_clear(void);

/* A failure kept: across calls that may fail themselves, or from the thread that met it to another. */
enum { BEX_ERROR_SIZE = 1024 };
typedef struct bex_failure {
    char message[BEX_ERROR_SIZE];
    bool misuse;
} bex_failure;

void bex_failure_take(bex_failure *out);             // what bex_error() says in this thread now
int bex_failure_restore(const bex_failure *failure); // it says that again; returns -1

#define BEX_CHECK(cond, ...)                                                                       \
    do {                                                                                           \
        if (__builtin_expect(!(cond), 0)) bex_bug(__FILE__, __LINE__, #cond, __VA_ARGS__);         \
    } while (0)

_Noreturn void bex_bug(const char *file, int line, const char *cond, const char *fmt, ...)
    BEX_PRINTF(4, 5);

#endif
