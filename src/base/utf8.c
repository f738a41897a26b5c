/* base/utf8.c - the well-formed byte sequences of RFC 3629, section 4. */
#include "base/utf8.h"

#include <string.h>

int bex_utf8_sequence(const char *text, size_t size) {
    const unsigned char *s = (const unsigned char *)text;
    if (size == 0) return 0;
    if (s[0] < 0x80) return s[0] != 0;
    int length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if ((size_t)length > size) return 0;
    unsigned char least = 0x80, most = 0xbf; // range of the second byte
    if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
    if (s[0] == 0xe0) least = 0xa0;
    if (s[0] == 0xed) most = 0x9f;
    if (s[0] == 0xf0) least = 0x90;
    if (s[0] == 0xf4) most = 0x8f;
    if (s[1] < least || s[1] > most) return 0;
    for (int i = 2; i < length; i++)
        if (s[i] < 0x80 || s[i] > 0xbf) return 0;
    return length;
}

bool bex_utf8_valid(const char *text) {
    for (size_t left = strlen(text); left > 0;) {
        int n = bex_utf8_sequence(text, left);
        if (n == 0) return false;
        text += n, left -= (size_t)n;
    }
    return true;
}

bool bex_utf8_is_name(const char *text) {
    for (const char *s = text; *s; s++)
        if ((unsigned char)*s < 0x20 || *s == 0x7f) return false;
    return *text && bex_utf8_valid(text);
}
