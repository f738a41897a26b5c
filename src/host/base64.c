/* host/base64.c - three bytes to four characters. */
#include "host/base64.h"

void bex_base64_write(FILE *out, const void *bytes, size_t size) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; i += 3) {
        size_t n = size - i < 3 ? size - i : 3;
        unsigned word = (unsigned)b[i] << 16;
        if (n > 1) word |= (unsigned)b[i + 1] << 8;
        if (n > 2) word |= b[i + 2];
        for (size_t k = 0; k < 4; k++)
            fputc(k <= n ? letters[word >> (18 - 6 * k) & 63] : '=', out);
    }
}
