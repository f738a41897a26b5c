/* api/bex.c - version, errors and log of bex.h. */
#include "bex/bex.h"

#include "base/error.h"
#include "base/log.h"

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
    user_sink = sink;
    bex_log_set(sink ? forward_line : 0, payload, BEX_LOG_DEBUG);
}
