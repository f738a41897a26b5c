#include "base/path.h"

#include <stdarg.h>
#include <stdio.h>

// after `used` bytes that are there already; these stay in the message, which names the path
static int print_at(char out[BEX_PATH_SIZE], int used, const char *fmt, va_list args) {
    int n =
        used < BEX_PATH_SIZE ? vsnprintf(out + used, (size_t)(BEX_PATH_SIZE - used), fmt, args) : 0;
    if (n >= 0 && used + n < BEX_PATH_SIZE) return 0;
    bex_fail("path too long: '%.60s...' (%d bytes are possible)", out, BEX_PATH_SIZE - 1);
    out[0] = 0;
    return -1;
}

int bex_path_join(char out[BEX_PATH_SIZE], const char *folder, const char *fmt, ...) {
    va_list args;
    int used = snprintf(out, BEX_PATH_SIZE, "%s/", folder);
    va_start(args, fmt);
    int code = print_at(out, used, fmt, args);
    va_end(args);
    return code;
}

int bex_path_print(char out[BEX_PATH_SIZE], const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    int code = print_at(out, 0, fmt, args);
    va_end(args);
    return code;
}
