/* tests/run/run_files.h - what a run directory holds. */
#ifndef BEX_TESTS_RUN_RUN_FILES_H
#define BEX_TESTS_RUN_RUN_FILES_H

#include "base/error.h"
#include "base/file.h"

#include "test.h"

// valid until the next call
static inline char *text_of(const char *run, const char *name) {
    static char copy[1 << 17];
    char path[1400], *text;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", run, name);
    if (bex_file_read(&text, &size, path, sizeof copy - 1) < 0) fail_msg("%s", bex_error());
    memcpy(copy, text, size + 1);
    free(text);
    return copy;
}

static inline bool exists(const char *run, const char *name) {
    char path[1400];
    snprintf(path, sizeof path, "%s/%s", run, name);
    return access(path, F_OK) == 0;
}

#endif
