/* Memory for large arrays: there, aligned, writable from end to end; NULL, not a small block, when too
 * much. */
#include "base/pages.h"

#include "test.h"

#include <stdint.h>

static void any_size_is_aligned_and_whole(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 63, 64, 65, 100000, (4u << 20) - 1, 4u << 20, 9000001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *p = bex_pages_alloc(sizes[i]);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 64, 0);
        memset(p, 0xa5, sizes[i]);
        if (sizes[i]) assert_true(p[0] == 0xa5 && p[sizes[i] - 1] == 0xa5);
        free(p);
    }
}

static void sizes_that_would_wrap_are_refused(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    skip(); // it stops the program instead
#endif
    volatile size_t bytes = SIZE_MAX; // volatile: gcc would warn that it is too much
    for (int i = 0; i < 3; i++, bytes -= 1u << 20) assert_null(bex_pages_alloc(bytes));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_size_is_aligned_and_whole),
        cmocka_unit_test(sizes_that_would_wrap_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
