/* api/bex.c - the public functions: validate, call, translate errors. */
#include "bex/bex.h"

#include "base/error.h"
#include "base/log.h"

#include <stddef.h>

static void (*user_sink)(int, const char *, void *);

static void forward_line(bex_log_level level, const char *line, void *payload) {
    user_sink((int)level, line, payload);
}

const char *bex_version(void) {
    return BEX_VERSION;
}

const char *bex_error_message(void) {
    return bex_error();
}

void bex_log_to(void (*sink)(int level, const char *line, void *payload), void *payload) {
    bex_log_set(NULL, NULL, BEX_LOG_DEBUG); // waits for a line under way: it reads user_sink
    user_sink = sink;
    if (sink) bex_log_set(forward_line, payload, BEX_LOG_DEBUG);
}
