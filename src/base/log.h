/* base/log.h - four levels, one replaceable sink. Silent until a sink is set: a library does not
 * print. The program sets bex_log_to_stderr. */
#ifndef BEX_BASE_LOG_H
#define BEX_BASE_LOG_H

#include "base/error.h"

typedef enum { BEX_LOG_DEBUG, BEX_LOG_INFO, BEX_LOG_WARN, BEX_LOG_ERROR } bex_log_level;

/* Receives one line without newline. May be called from any thread, one call at a time; must not
 * log itself. */
typedef void bex_log_sink(bex_log_level level, const char *line, void *payload);

/* sink NULL: silence. Lines below `least` are dropped before formatting. */
void bex_log_set(bex_log_sink *sink, void *payload, bex_log_level least);
void bex_log_to_stderr(bex_log_level level, const char *line, void *payload);

void bex_log(bex_log_level level, const char *fmt, ...) BEX_PRINTF(2, 3);

#endif
