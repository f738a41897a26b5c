/* tests/decimal_comma.h - a locale that writes 0,5, made where none is installed. */
#ifndef BEX_TESTS_DECIMAL_COMMA_H
#define BEX_TESTS_DECIMAL_COMMA_H

#include "test.h"

#include <locale.h>

// this process in German, compiled by localedef into a scratch directory; false: it cannot be made here
static inline bool decimal_comma_begin(void) {
    char folder[600], command[1400];
    snprintf(folder, sizeof folder, "%s", scratch_path("locale"));
    snprintf(command, sizeof command,
             "mkdir -p '%s' && localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1",
             folder, folder);
    if (system(command) != 0 || setenv("LOCPATH", folder, 1) < 0) return false;
    return setlocale(LC_ALL, "de_DE.UTF-8") && !strcmp(localeconv()->decimal_point, ",");
}

static inline void decimal_comma_end(void) {
    char command[700];
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
    snprintf(command, sizeof command, "rm -rf '%s'", scratch_path("locale"));
    if (system(command) != 0) fail_msg("'%s' failed", command);
}

#endif
