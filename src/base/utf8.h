/* base/utf8.h - is this UTF-8? Asked of text that must survive JSON. */
#ifndef BEX_BASE_UTF8_H
#define BEX_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Shortest forms only, no surrogates, nothing past U+10FFFF (RFC 3629). */
bool bex_utf8_valid(const char *text);

/* Bytes of the character that `size` bytes of text begin with; 0 if it is malformed, cut off or a NUL. */
int bex_utf8_sequence(const char *text, size_t size);

/* Valid, not empty, and free of the control characters U+0000..U+001F and U+007F: a name. */
bool bex_utf8_is_name(const char *text);

#endif
