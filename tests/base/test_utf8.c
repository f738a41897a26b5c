/* Well-formed and ill-formed sequences at every boundary of the table of RFC 3629. */
#include "base/utf8.h"

#include "test.h"

static void boundaries(void **state) {
    (void)state;
    static const char *const good[] = {"",
                                       "a\x7f",
                                       "\xc2\x80",
                                       "\xdf\xbf",
                                       "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",
                                       "\xee\x80\x80",
                                       "\xef\xbf\xbf",
                                       "\xf0\x90\x80\x80",
                                       "\xf4\x8f\xbf\xbf"};
    static const char *const bad[] = {"\x80",         "\xbf",
                                      "\xc0\x80",     "\xc1\xbf",
                                      "\xc2",         "\xc2g",
                                      "\xe0\x9f\xbf", "\xed\xa0\x80",
                                      "\xe1\x80",     "\xf0\x8f\xbf\xbf",
                                      "\xf1\x80\x80", "\xf4\x90\x80\x80",
                                      "\xf5\x80",     "\xff"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_true(bex_utf8_valid(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(bex_utf8_valid(bad[i]));
    assert_true(bex_utf8_is_name("pol\xc3\xadtica"));
    assert_false(bex_utf8_is_name(""));
    assert_false(bex_utf8_is_name("a\n"));
    assert_false(bex_utf8_is_name("a\x7f"));
    assert_false(bex_utf8_is_name("a\xff"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(boundaries)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
