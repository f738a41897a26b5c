/* base/text.h - a text of any length, printed piece by piece into memory.
 *
 *     bex_text t;
 *     if (bex_text_begin(&t) < 0) ...
 *     fprintf(t.out, ...);                 errors wait until the end
 *     char *text = bex_text_end(&t);       malloced, the caller frees; NULL with a message: no memory
 *
 * The struct may not move between begin and end. */
#ifndef BEX_BASE_TEXT_H
#define BEX_BASE_TEXT_H

#include <stddef.h>
#include <stdio.h>

typedef struct bex_text {
    FILE *out; // NULL after end
    char *bytes;
    size_t size, room; // size: without the NUL; right after end
} bex_text;

/* 0, or negative with a message. */
int bex_text_begin(bex_text *text);
char *bex_text_end(bex_text *text);

#endif
