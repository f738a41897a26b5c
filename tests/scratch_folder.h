/* tests/scratch_folder.h - an empty directory of this test's own. */
#ifndef BEX_TESTS_SCRATCH_FOLDER_H
#define BEX_TESTS_SCRATCH_FOLDER_H

#include "host/folder.h"

#include "test.h"

// valid until the next call; what an earlier test left there is gone
static inline const char *scratch_folder(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s", scratch_path(name));
    bex_folder_remove(path);
    assert_int_equal(bex_folder_make(path), 0);
    return path;
}

#endif
