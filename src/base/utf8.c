/* base/utf8.c - the well-formed byte sequences of RFC 3629, section 4. */
#include "base/utf8.h"

// bytes of the sequence at s, 0 if malformed; a NUL is malformed here and ends every scan
static int sequence(const unsigned char *s) {
    if (s[0] < 0x80) return s[0] != 0;
    int length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
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
    const unsigned char *s = (const unsigned char *)text;
    while (*s) {
        int n = sequence(s);
        if (n == 0) return false;
        s += n;
    }
    return true;
}

bool bex_utf8_is_name(const char *text) {
    for (const char *s = text; *s; s++)
        if ((unsigned char)*s < 0x20 || *s == 0x7f) return false;
    return *text && bex_utf8_valid(text);
}
