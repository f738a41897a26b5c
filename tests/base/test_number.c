/* Numbers as text: strict, shortest, and deaf to the locale. */
#include "base/number.h"

#include "base/rng.h"

#include "decimal_comma.h"

#include <math.h>

static void shortest_form_reads_back(void **state) {
    (void)state;
    bex_rng g = bex_rng_seed(1);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = bex_rng_u64(&g);
        double x, back;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) continue;
        char text[BEX_NUMBER_SIZE];
        assert_int_equal(bex_number_parse(&back, bex_number_format(text, x)), 0);
        assert_memory_equal(&x, &back, sizeof x);
    }
    char text[BEX_NUMBER_SIZE];
    assert_string_equal(bex_number_format(text, 0.1), "0.1");
    assert_string_equal(bex_number_format(text, 3e-4), "0.0003");
    assert_string_equal(bex_number_format(text, 1e9), "1000000000");
    assert_string_equal(bex_number_format(text, -0.0), "-0");
    assert_string_equal(bex_number_format(text, 0.1 + 0.2), "0.30000000000000004");
    assert_string_equal(bex_number_round(text, 1.0 / 3, 9), "0.333333333");
}

static void whole_words_only(void **state) {
    (void)state;
    static const char *const bad[] = {"",    " 1",  "1 ", "1x",  "0x10",
                                      "inf", "nan", "1e", "--1", "1.2.3"};
    double x = 7;
    long long n = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(bex_number_parse(&x, bad[i]), -1);
        assert_int_equal(bex_integer_parse(&n, bad[i]), -1);
    }
    assert_int_equal(bex_integer_parse(&n, "9223372036854775808"), -1);
    assert_int_equal(bex_integer_parse(&n, "1.0"), -1);
    assert_true(x == 7 && n == 7);
    assert_int_equal(bex_integer_parse(&n, "-9223372036854775807"), 0);
    assert_true(n == -9223372036854775807LL);
}

static void a_number_at_the_front(void **state) {
    (void)state;
    static const char *const none[] = {"",     "x1", " 1", "inf", "nan",
                                       "0x10", "+",  ".",  "e5",  "-0X1"};
    double x = 7;
    const char *text;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        text = none[i];
        assert_int_equal(bex_number_take(&x, &text), -1);
        assert_ptr_equal(text, none[i]);
    }
    assert_true(x == 7);
    text = "0.05+4,1";
    assert_int_equal(bex_number_take(&x, &text), 0);
    assert_true(x == 0.05);
    assert_string_equal(text, "+4,1");
    text = "312.5pt";
    assert_int_equal(bex_number_take(&x, &text), 0);
    assert_true(x == 312.5);
    assert_string_equal(text, "pt");
}

static void a_decimal_comma_changes_nothing(void **state) {
    (void)state;
    bool found = decimal_comma_begin();
    double x;
    char text[BEX_NUMBER_SIZE];
    assert_string_equal(bex_number_format(text, 0.5), "0.5");
    assert_int_equal(bex_number_parse(&x, "0.5"), 0);
    assert_true(x == 0.5);
    decimal_comma_end();
    if (!found) skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortest_form_reads_back),
        cmocka_unit_test(whole_words_only),
        cmocka_unit_test(a_number_at_the_front),
        cmocka_unit_test(a_decimal_comma_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
