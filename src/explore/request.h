/* explore/request.h - what an exploration under way was asked for, so that `bex explore --resume DIR` asks
 * for the same: its arguments, and every setting and file they led to, to be found unchanged.
 *
 *     {"command", "started", "arguments": [...],
 *      "settings": {"env", ..., "agent": {...}, "model", "files": {path: "123 bytes, 1f2e..."}}} */
#ifndef BEX_EXPLORE_REQUEST_H
#define BEX_EXPLORE_REQUEST_H

#include "explore/source.h"
#include "host/json.h"

/* What an exploration's bits depend on. model: source->file; history: source->history. NULL with a message: a
 * file that cannot be read. */
json_t *bex_explore_settings(const bex_explore_request *q, const bex_world *world,
                             const json_t *agent, const char *model, const char *history);

/* settings: stolen. NULL with a message. */
json_t *bex_explore_request_new(const char *command, const char *started, int argc, char **argv,
                                json_t *settings);

/* argv of a request: "explore", its arguments. Strings are the request's own, the array the caller's to free.
 * NULL with a message. */
char **bex_explore_request_arguments(const json_t *request, int *argc);

/* Negative with a message naming the first that differs from what it was. */
int bex_explore_request_check(const json_t *request, const json_t *settings);

#endif
