/* tests/test.h - cmocka and what every test file wants. A test program is
 *
 *     static void adds_up(void **state) { ... }
 *     int main(void) { const struct CMUnitTest tests[] = {cmocka_unit_test(adds_up)};
 *                      return cmocka_run_group_tests(tests, NULL, NULL); }
 *
 * BEX_SOURCE_DIR is the root of the sources; shared_data("d4rl/x.hdf5") names a real file or is NULL
 * where the data is absent: then call skip_all("why") from main, which prints SKIP and exits 77. */
#ifndef BEX_TESTS_TEST_H
#define BEX_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static inline int skip_all(const char *why) {
    printf("SKIP: %s\n", why);
    return 77;
}

static inline const char *shared_data(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/../shared/data/%s", BEX_SOURCE_DIR, name);
    return access(path, R_OK) == 0 ? path : NULL;
}

// a directory of this test's own under the build tree, emptied by nobody: name files uniquely
static inline const char *scratch_path(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/scratch-%d-%s", BEX_BINARY_DIR, (int)getpid(), name);
    return path;
}

#define assert_message(part)                                                                       \
    do {                                                                                           \
        if (!strstr(bex_error(), part)) fail_msg("message '%s' lacks '%s'", bex_error(), part);    \
    } while (0)

#endif
