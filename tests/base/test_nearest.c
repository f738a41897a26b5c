#include "base/nearest.h"

#include "test.h"

static void distances(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        int distance;
    } cases[] = {
        {"", "", 0},        {"abc", "", 3},           {"abc", "abc", 0},
        {"abc", "abd", 1},  {"doctor", "docter", 1},  {"train", "trian", 1}, // swap of neighbours
        {"lr", "learn", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(bex_edit_distance(cases[i].a, cases[i].b), cases[i].distance);
        assert_int_equal(bex_edit_distance(cases[i].b, cases[i].a), cases[i].distance);
    }
    // longer than the row: cut, not overrun
    char a[500], b[500];
    memset(a, 'a', sizeof a), memset(b, 'b', sizeof b);
    a[499] = b[499] = 0;
    assert_int_equal(bex_edit_distance(a, a), 0);
    assert_int_equal(bex_edit_distance(a, b), 63);
}

static void the_nearest_plausible_name(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int other;
    } table[] = {{"bench", 1}, {"doctor", 2}, {"explore", 3}, {"report", 4}, {NULL, 5}};
    enum { N = sizeof table / sizeof *table };
    static const struct {
        const char *word, *nearest; // NULL: none is meant
    } cases[] = {
        {"bnech", "bench"},   {"doktor", "doctor"}, {"explor", "explore"},
        {"reprot", "report"}, {"bench", "bench"},   {"frobnicate", NULL},
        {"", NULL},           {"x", NULL},          {"xyzzy", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = bex_nearest(cases[i].word, table, N, sizeof *table);
        if (!cases[i].nearest)
            assert_null(got);
        else
            assert_string_equal(got, cases[i].nearest);
    }
    assert_null(bex_nearest("bench", table, 0, sizeof *table));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances),
        cmocka_unit_test(the_nearest_plausible_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
