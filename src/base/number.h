/* base/number.h - numbers as text, the same in every locale and strict about the whole word.
 *
 * A host program may have set a locale with a decimal comma; strtod and printf would follow it. Here the
 * point is always a point. Nothing else in src/ reads a real number from text: tools/layers. */
#ifndef BEX_BASE_NUMBER_H
#define BEX_BASE_NUMBER_H

enum { BEX_NUMBER_SIZE = 32 };

/* The whole text is one finite decimal number (no spaces, no hexadecimal, no inf or nan), or a
 * decimal integer. 0, or negative without a message: the caller knows what the text was for. */
int bex_number_parse(double *value, const char *text);
int bex_integer_parse(long long *value, const char *text);

/* The number that *text begins with, as above; *text moves behind it. */
int bex_number_take(double *value, const char **text);

/* The shortest decimal of at most 17 digits that reads back as the same bits; returns out. */
const char *bex_number_format(char out[BEX_NUMBER_SIZE], double value);

/* As "%.<digits>g" in the C locale; returns out. */
const char *bex_number_round(char out[BEX_NUMBER_SIZE], double value, int digits);

#endif
