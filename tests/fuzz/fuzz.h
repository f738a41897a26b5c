/* tests/fuzz/fuzz.h - what the libFuzzer targets share. */
#ifndef BEX_TESTS_FUZZ_H
#define BEX_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

// a broken promise is a finding
static inline void demand(int holds) {
    if (!holds) abort();
}

static inline int is_one_line(const char *message) {
    for (const char *c = message; *c; c++)
        if ((unsigned char)*c < 0x20) return 0;
    return *message != 0;
}

#endif
