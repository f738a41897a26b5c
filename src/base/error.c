/* base/error.c - thread-local message of world failures, and the abort of bugs. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_SIZE = BEX_ERROR_SIZE };

static _Thread_local char message[MESSAGE_SIZE];
static _Thread_local bool misused;

// one line whatever came from a file: names and values are quoted as they are
static void flatten(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f) *text = '?';
}

int bex_fail(const char *fmt, ...) {
    // through a copy: an argument may be bex_error() itself
    char text[MESSAGE_SIZE];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    flatten(text);
    memcpy(message, text, sizeof message);
    misused = false;
    return -1;
}

int bex_fail_in(const char *fmt, ...) {
    char context[MESSAGE_SIZE], text[MESSAGE_SIZE];
    va_list args;
    va_start(args, fmt);
    vsnprintf(context, sizeof context, fmt, args);
    va_end(args);
    flatten(context);
    int used = snprintf(text, sizeof text, "%s: ", context);
    if (used > 0 && used < MESSAGE_SIZE)
        snprintf(text + used, sizeof text - (size_t)used, "%s", message);
    memcpy(message, text, sizeof message);
    return -1;
}

int bex_fail_hint(const char *fmt, ...) {
    char hint[MESSAGE_SIZE];
    va_list args;
    va_start(args, fmt);
    vsnprintf(hint, sizeof hint, fmt, args);
    va_end(args);
    flatten(hint);
    size_t used = strlen(message);
    snprintf(message + used, sizeof message - used, " (%s)", hint);
    return -1;
}

int bex_misused(void) {
    misused = true;
    return -1;
}

bool bex_error_is_misuse(void) {
    return misused;
}

const char *bex_error(void) {
    return message;
}

void bex_error_clear(void) {
    message[0] = 0;
    misused = false;
}

void bex_failure_take(bex_failure *out) {
    memcpy(out->message, message, sizeof message);
    out->misuse = misused;
}

int bex_failure_restore(const bex_failure *failure) {
    memcpy(message, failure->message, sizeof message);
    misused = failure->misuse;
    return -1;
}

void bex_bug(const char *file, int line, const char *cond, const char *fmt, ...) {
    char text[MESSAGE_SIZE];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fprintf(stderr, "bex: bug at %s:%d: %s: %s\n", file, line, cond, text);
    abort();
}
