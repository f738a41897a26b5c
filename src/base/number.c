/* base/number.c - strtod and printf in the C locale, for this thread and this call only. */
#include "base/number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct plain_locale {
    locale_t plain, before; // 0 where the C library could not give one: its own locale then holds
} plain_locale;

static plain_locale enter(void) {
    plain_locale l = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
    if (l.plain) l.before = uselocale(l.plain);
    return l;
}

static void leave(plain_locale l) {
    if (!l.plain) return;
    uselocale(l.before);
    freelocale(l.plain);
}

int bex_number_take(double *value, const char **text) {
    // strtod alone would also take spaces, inf, nan and hexadecimal
    const char *digits = *text + (**text == '+' || **text == '-');
    if (!*digits || !strchr("0123456789.", *digits) ||
        (digits[0] == '0' && (digits[1] | 32) == 'x'))
        return -1;
    plain_locale l = enter();
    char *end;
    errno = 0;
    double x = strtod(*text, &end);
    // ERANGE is also raised for denormals, which are numbers; 0 for a digit that was not is none
    int vanished = errno == ERANGE && x == 0;
    leave(l);
    if (end == *text || !isfinite(x) || vanished) return -1;
    *value = x, *text = end;
    return 0;
}

int bex_number_parse(double *value, const char *text) {
    double x;
    if (bex_number_take(&x, &text) < 0 || *text) return -1;
    *value = x;
    return 0;
}

int bex_integer_parse(long long *value, const char *text) {
    if (!*text || text[strspn(text, "0123456789+-")]) return -1;
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (end == text || *end || errno == ERANGE) return -1;
    *value = n;
    return 0;
}

const char *bex_number_round(char out[BEX_NUMBER_SIZE], double value, int digits) {
    plain_locale l = enter();
    snprintf(out, BEX_NUMBER_SIZE, "%.*g", digits, value);
    leave(l);
    return out;
}

const char *bex_number_format(char out[BEX_NUMBER_SIZE], double value) {
    for (int digits = 15; digits <= 17; digits++) {
        double back;
        bex_number_round(out, value, digits);
        if (bex_number_parse(&back, out) == 0 && back == value) break;
    }
    return out;
}
