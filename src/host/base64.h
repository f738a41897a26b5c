/* host/base64.h - bytes as text (RFC 4648), for data: addresses in a page. */
#ifndef BEX_HOST_BASE64_H
#define BEX_HOST_BASE64_H

#include <stddef.h>
#include <stdio.h>

/* With padding, no line breaks. Errors show in the stream. */
void bex_base64_write(FILE *out, const void *bytes, size_t size);

#endif
