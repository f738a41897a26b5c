/* serve/http.h - the little of HTTP/1.1 that a page needs: a request's head to what it wants, and the head
 * of an answer.
 *
 * GET and HEAD of a name in a table; every answer closes the connection. There are no folders, no escapes
 * and no other methods: a name is one of the table or it is not. No memory, no sockets: text in, text out. */
#ifndef BEX_SERVE_HTTP_H
#define BEX_SERVE_HTTP_H

#include <stdbool.h>
#include <stddef.h>

enum { BEX_HTTP_REQUEST_MOST = 8192, BEX_HTTP_HEAD_MOST = 1024 };

/* What may be asked for; all borrowed. */
typedef struct bex_served {
    const char *name; // "/": as in the request, without what follows a '?'
    const char *type; // "text/html; charset=utf-8"
    const void *bytes;
    size_t size;
} bex_served;

typedef struct bex_http_answer {
    int status;             // 200, 400, 403, 404, 405
    const bex_served *file; // of 200; else NULL: the status alone
    bool body;              // false: HEAD
} bex_http_answer;

/* Whether the head of a request, up to its empty line, is all in text (n). */
bool bex_http_complete(const char *text, size_t n);

/* The answer to a complete request. `local`: its Host must be this machine's loopback, else 403: a page
 * elsewhere whose name was turned to 127.0.0.1 may not read what is served here. */
bex_http_answer bex_http_answer_to(const char *text, size_t n, const bex_served *files, int count,
                                   bool local);

/* The head of an answer, and for one without a file its short body, into out; returns its length. */
size_t bex_http_head(char out[BEX_HTTP_HEAD_MOST], const bex_http_answer *answer);

#endif
