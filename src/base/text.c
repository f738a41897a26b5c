/* base/text.c - a stream over memory that grows. Not open_memstream: glibc's sets no error where memory runs
 * out, and the text is cut in silence. */
#define _GNU_SOURCE // fopencookie
#include "base/text.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static ssize_t take(void *cookie, const char *bytes, size_t n) {
    bex_text *t = cookie;
    if (n >= t->room - t->size) {
        size_t room = 2 * t->room + n;
        char *more = realloc(t->bytes, room);
        if (!more) return 0; // an error of the stream
        t->bytes = more, t->room = room;
    }
    memcpy(t->bytes + t->size, bytes, n);
    t->size += n;
    t->bytes[t->size] = 0;
    return (ssize_t)n;
}

int bex_text_begin(bex_text *t) {
    *t = (bex_text){.bytes = calloc(1, 1), .room = 1};
    if (t->bytes) t->out = fopencookie(t, "w", (cookie_io_functions_t){.write = take});
    if (t->out) return 0;
    free(t->bytes);
    return bex_fail("out of memory for a text");
}

char *bex_text_end(bex_text *t) {
    int failed = fflush(t->out) != 0 || ferror(t->out);
    fclose(t->out);
    t->out = NULL;
    if (!failed) return t->bytes;
    free(t->bytes);
    *t = (bex_text){0};
    bex_fail("out of memory for a text");
    return NULL;
}
