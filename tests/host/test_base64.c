/* The vectors of RFC 4648, and every byte value. */
#include "host/base64.h"

#include "test.h"

static char *encoded(const void *bytes, size_t n) {
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    bex_base64_write(f, bytes, n);
    fclose(f);
    return text;
}

static void published_vectors(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = encoded(cases[i][0], strlen(cases[i][0]));
        assert_string_equal(text, cases[i][1]);
        free(text);
    }
    char *text = encoded("\xfb\xff\xfe", 3);
    assert_string_equal(text, "+//+");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(published_vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
