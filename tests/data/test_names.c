/* The string table: order, numbers in names, lists by commas. */
#include "data/names.h"

#include "base/error.h"
#include "test.h"

static void adds_once_pushes_always(void **state) {
    (void)state;
    bex_names l = {0};
    assert_int_equal(bex_names_add(&l, "a"), 0);
    assert_int_equal(bex_names_add(&l, "b"), 1);
    assert_int_equal(bex_names_add(&l, "a"), 0);
    assert_int_equal(bex_names_push(&l, "a"), 2);
    assert_int_equal(bex_names_find(&l, "b"), 1);
    assert_int_equal(bex_names_find(&l, "c"), -1);
    for (int i = 0; i < 1000; i++) assert_int_equal(bex_names_push(&l, "x"), 3 + i);
    bex_names_fini(&l);
    assert_int_equal(l.count, 0);
}

static void sorts_numbers_as_numbers(void **state) {
    (void)state;
    static const char *const sorted[] = {"b",
                                         "demo",
                                         "demo_0",
                                         "demo_1",
                                         "demo_2",
                                         "demo_09",
                                         "demo_10",
                                         "demo_10a",
                                         "demo_11",
                                         "demo_100",
                                         "episode_99999999999999999999"};
    enum { N = sizeof sorted / sizeof *sorted };
    bex_names l = {0};
    for (int i = 0; i < N; i++) bex_names_push(&l, sorted[(i * 7 + 3) % N]);
    bex_names_sort_natural(&l);
    for (int i = 0; i < N; i++) assert_string_equal(l.text[i], sorted[i]);
    bex_names_fini(&l);
}

static void parses_lists(void **state) {
    (void)state;
    bex_names l = {0};
    assert_int_equal(bex_names_parse(&l, "a, b c ,d"), 0);
    assert_int_equal(l.count, 3);
    assert_string_equal(l.text[1], "b c");
    assert_int_equal(bex_names_parse(&l, "a,,b"), -1);
    assert_message("empty name");
    assert_int_equal(bex_names_parse(&l, " "), -1);
    bex_names_fini(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(adds_once_pushes_always),
                                       cmocka_unit_test(sorts_numbers_as_numbers),
                                       cmocka_unit_test(parses_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
