/* base/log.c - the log sink: the one mutable global of the library besides the error message. */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

static bex_log_sink *current_sink;
static void *current_payload;
static bex_log_level current_least;
static atomic_flag busy = ATOMIC_FLAG_INIT;

static void lock(void) {
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) {
    }
}

static void unlock(void) {
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

void bex_log_set(bex_log_sink *sink, void *payload, bex_log_level least) {
    lock();
    current_sink = sink;
    current_payload = payload;
    current_least = least;
    unlock();
}

void bex_log(bex_log_level level, const char *fmt, ...) {
    lock();
    if (current_sink && level >= current_least) {
        char line[1024];
        va_list args;
        va_start(args, fmt);
        vsnprintf(line, sizeof line, fmt, args);
        va_end(args);
        current_sink(level, line, current_payload);
    }
    unlock();
}

void bex_log_to_stderr(bex_log_level level, const char *line, void *payload) {
    (void)payload;
    static const char *const tag[] = {"debug: ", "", "warning: ", "error: "};
    fprintf(stderr, "bex: %s%s\n", tag[level], line);
}
