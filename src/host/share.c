/* host/share.c - beside the program that runs, else in the tree it was built from. */
#include "host/share.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// the folder above the program's: "" where that is not known
static void prefix_of(char prefix[BEX_PATH_SIZE]) {
    ssize_t n = readlink("/proc/self/exe", prefix, BEX_PATH_SIZE - 1);
    prefix[n > 0 ? n : 0] = 0;
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(prefix, '/');
        *(slash ? slash : prefix) = 0;
    }
}

int bex_share_find(char path[BEX_PATH_SIZE], const char *name) {
    char prefix[BEX_PATH_SIZE];
    prefix_of(prefix);
    if (bex_path_join(path, prefix, "share/bex/%s", name) == 0 && access(path, R_OK) == 0) return 0;
    if (bex_path_join(path, BEX_SOURCE_DIR, "%s", name) == 0 && access(path, R_OK) == 0) return 0;
    return bex_fail("%s is neither in %s/share/bex nor in %s", name, prefix, BEX_SOURCE_DIR);
}
