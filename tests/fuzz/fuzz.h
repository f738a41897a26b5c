/* tests/fuzz/fuzz.h - what the libFuzzer targets share. */
#ifndef BEX_TESTS_FUZZ_H
#define BEX_TESTS_FUZZ_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

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

// for readers that take a path: one file in memory, which holds the newest input
static inline const char *fuzz_path(const uint8_t *bytes, size_t size) {
    static int fd = -1;
    static char path[64];
    if (fd < 0) fd = memfd_create("fuzz", 0);
    demand(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, bytes, size, 0) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}

#endif
