/* Numbers survive a round trip, keys keep their order, and each malformed input names its place. */
#include "base/error.h"
#include "base/file.h"
#include "host/json.h"

#include "test.h"

#include <float.h>

static json_t *parse(const char *text) {
    return bex_json_parse(text, strlen(text), "text");
}

static void a_saved_value_loads_equal(void **state) {
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s", scratch_path("value.json"));
    json_t *v = json_object();
    static const double numbers[] = {0.1, 1.0 / 3.0, DBL_MAX, DBL_MIN, -1e-300, 3.0};
    json_t *list = json_array();
    for (int i = 0; i < 6; i++) json_array_append_new(list, json_real(numbers[i]));
    json_object_set_new(v, "z", list);
    json_object_set_new(v, "a", json_integer(9007199254740993));
    json_object_set_new(v, "m", json_string("line\nbreak \"quoted\""));
    assert_int_equal(bex_json_save(v, path), 0);
    json_t *back = bex_json_load(path);
    assert_non_null(back);
    assert_true(json_equal(v, back));
    // insertion order, indented, newline at the end
    char *text;
    size_t size;
    assert_int_equal(bex_file_read(&text, &size, path, 10000), 0);
    assert_true(strstr(text, "\"z\"") < strstr(text, "\"a\""));
    assert_true(strstr(text, "\"a\"") < strstr(text, "\"m\""));
    assert_int_equal(strncmp(text, "{\n  \"z\"", 7), 0);
    assert_int_equal(text[size - 1], '\n');
    free(text);
    json_decref(v);
    json_decref(back);
    unlink(path);
}

static void malformed_text_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",          "{",        "{\"a\": }", "[1, 2",       "{\"a\": 1, \"a\": 2}",
        "nul",       "1 2",      "[1e999]",   "\"\\ud800\"", "[1,]",
        "{\"a\" 1}", "\"\xff\"", "[NaN]",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *v = parse(bad[i]);
        if (v) fail_msg("'%s' was accepted", bad[i]);
        assert_message("text: JSON line 1 column");
    }
    assert_null(parse("{\n\"a\": 1,\n\"a\": 2}"));
    assert_message("line 3");
    // nesting deep enough to break a careless parser
    static char deep[100000];
    memset(deep, '[', sizeof deep - 1);
    assert_null(parse(deep));
}

static void a_missing_file_is_named(void **state) {
    (void)state;
    assert_null(bex_json_load("/no/such.json"));
    assert_message("/no/such.json");
    json_t *v = json_array();
    assert_true(bex_json_save(v, "/no/such/folder/x.json") < 0);
    assert_message("/no/such/folder/x.json");
    json_decref(v);
}

static void members_are_typed(void **state) {
    (void)state;
    json_t *o = parse("{\"n\": 3, \"x\": 2.5, \"s\": \"hi\", \"l\": [1], \"null\": null}");
    long long n;
    double x;
    const char *s;
    const json_t *l;
    assert_true(bex_json_get_integer(o, "n", &n) == 0 && n == 3);
    assert_true(bex_json_get_number(o, "x", &x) == 0 && x == 2.5);
    assert_true(bex_json_get_number(o, "n", &x) == 0 && x == 3);
    assert_true(bex_json_get_string(o, "s", &s) == 0 && !strcmp(s, "hi"));
    assert_true(bex_json_get_array(o, "l", &l) == 0 && json_array_size(l) == 1);
    assert_true(bex_json_get_integer(o, "x", &n) < 0);
    assert_message("key 'x' is not an integer");
    assert_true(bex_json_get_number(o, "s", &x) < 0);
    assert_message("key 's' is not a number");
    assert_true(bex_json_get_string(o, "null", &s) < 0);
    assert_message("key 'null' is not a string");
    assert_true(bex_json_get_array(o, "n", &l) < 0);
    assert_message("key 'n' is not an array");
    assert_true(bex_json_get_integer(o, "gone", &n) < 0);
    assert_message("key 'gone' is missing");
    assert_true(bex_json_get_integer(NULL, "n", &n) < 0);
    json_decref(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_saved_value_loads_equal),
        cmocka_unit_test(malformed_text_is_refused),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(members_are_typed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
