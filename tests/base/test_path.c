/* Paths: joined whole, or refused and empty. */
#include "base/path.h"

#include "test.h"

#include <stdbool.h>

static void joined(void **state) {
    (void)state;
    char out[BEX_PATH_SIZE];
    assert_int_equal(bex_path_join(out, "runs/x", "%06d.%s", 12, "hdf5"), 0);
    assert_string_equal(out, "runs/x/000012.hdf5");
    assert_int_equal(bex_path_print(out, "%s", "runs"), 0);
    assert_string_equal(out, "runs");
}

// the longest that fits, and one byte more: in the folder, in the name, in both
static void too_long_is_refused(void **state) {
    (void)state;
    char out[BEX_PATH_SIZE], folder[2 * BEX_PATH_SIZE];
    for (int length = BEX_PATH_SIZE - 4; length < BEX_PATH_SIZE + 4; length++) {
        memset(folder, 'f', (size_t)length);
        folder[length] = 0;
        bool fits = length + 2 < BEX_PATH_SIZE;
        assert_int_equal(bex_path_join(out, folder, "%s", "n"), fits ? 0 : -1);
        assert_int_equal((int)strlen(out), fits ? length + 2 : 0);
        if (!fits) assert_message("path too long: 'ffff");
        assert_int_equal(bex_path_join(out, "n", "%s", folder), fits ? 0 : -1);
        assert_int_equal(bex_path_print(out, "%s", folder), length < BEX_PATH_SIZE ? 0 : -1);
    }
    memset(folder, 'f', sizeof folder - 1);
    folder[sizeof folder - 1] = 0;
    assert_int_equal(bex_path_join(out, folder, "%s", folder), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joined),
        cmocka_unit_test(too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
