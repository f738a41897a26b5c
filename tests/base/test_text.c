/* Texts of every length come whole; one that memory runs out for is refused, not cut. */
#include "base/text.h"

#include "base/error.h"

#include "test.h"

#include <sys/resource.h>

static void every_length(void **state) {
    (void)state;
    for (int n = 0; n <= 100000; n = n ? 10 * n : 1) {
        bex_text t;
        assert_int_equal(bex_text_begin(&t), 0);
        for (int i = 0; i < n; i++) fputc('a' + i % 26, t.out);
        char *text = bex_text_end(&t);
        assert_non_null(text);
        assert_int_equal(strlen(text), n);
        assert_int_equal(t.size, n);
        for (int i = 0; i < n; i++) assert_int_equal(text[i], 'a' + i % 26);
        free(text);
    }
}

// an address space that ends soon; ASan needs more of it than there is
static void no_memory_is_an_error(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    skip();
#endif
    static char block[1 << 20];
    struct rlimit before, tight;
    memset(block, 'x', sizeof block);
    bex_text t;
    assert_int_equal(bex_text_begin(&t), 0);
    getrlimit(RLIMIT_AS, &before);
    tight = before, tight.rlim_cur = 600 << 20;
    setrlimit(RLIMIT_AS, &tight);
    char *volatile beyond = malloc(2 * (size_t)tight.rlim_cur);
    if (beyond) { // qemu-user takes the limit and does not hold to it
        setrlimit(RLIMIT_AS, &before);
        free(beyond);
        free(bex_text_end(&t));
        skip();
    }
    for (int i = 0; i < 2000 && !ferror(t.out); i++) fwrite(block, 1, sizeof block, t.out);
    char *text = bex_text_end(&t);
    setrlimit(RLIMIT_AS, &before);
    assert_null(text);
    assert_message("out of memory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
