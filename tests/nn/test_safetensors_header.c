/* The header's JSON: every escape and number, what is not JSON with its place, and text written and
 * read back. The rules of the format, and what breaks them, are test_safetensors.c's. */
#include "nn/safetensors_header.h"

#include "base/error.h"

#include "malloc_count.h"
#include "test.h"

static int read_text(bex_st_header *h, const char *text) {
    size_t size = strlen(text);
    char *exact = malloc(size ? size : 1); // so that AddressSanitizer sees the end
    memcpy(exact, text, size);
    int code = bex_st_header_read(h, exact, size);
    free(exact);
    return code;
}

static void escapes_become_characters(void **state) {
    (void)state;
    static const struct {
        const char *escaped, *plain;
    } cases[] = {
        {"", ""},
        {"plain", "plain"},
        {"\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t"},
        {"\\u0041\\u00e9\\u00E9", "A\xc3\xa9\xc3\xa9"},
        {"\\u07ff\\u0800\\uffff", "\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"},
        {"\\ud83d\\ude00\\udbff\\udfff", "\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf"},
        {"gr\xc3\xb6\xc3\x9f\x65\x7f", "gr\xc3\xb6\xc3\x9f\x65\x7f"},
        {"\\u0001", "\x01"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        bex_st_header h;
        snprintf(text, sizeof text, "{\"__metadata__\" : {\"%s\":\"%s\"}}", cases[i].escaped,
                 cases[i].escaped);
        if (read_text(&h, text) < 0) fail_msg("%s: %s", text, bex_error());
        assert_int_equal(h.pair_count, 1);
        assert_string_equal(h.pairs[0].key, cases[i].plain);
        assert_string_equal(h.pairs[0].value, cases[i].plain);
        bex_st_header_free(&h);
    }
}

static void spaces_and_order_do_not_matter(void **state) {
    (void)state;
    bex_st_header h;
    const char *text = "{\r\n\t\"b\" : { \"data_offsets\" : [ 4 , 9223372036854775807 ] ,\n"
                       " \"shape\" : [ ] , \"dtype\" : \"F16\" } , \"__metadata__\" : { } ,"
                       "\"a\":{\"dtype\":\"U8\",\"shape\":[0,12],\"data_offsets\":[0,0]} } \n";
    if (read_text(&h, text) < 0) fail_msg("%s", bex_error());
    assert_true(h.count == 2 && h.pair_count == 0);
    assert_string_equal(h.entries[0].tensor.name, "b");
    assert_true(h.entries[0].tensor.dtype == BEX_ST_F16 && h.entries[0].tensor.rank == 0);
    assert_true(h.entries[0].begin == 4 && h.entries[0].end == INT64_MAX);
    assert_string_equal(h.entries[1].tensor.name, "a");
    assert_true(h.entries[1].tensor.rank == 2 && h.entries[1].tensor.dim[1] == 12);
    bex_st_header_free(&h);
    bex_st_header_free(&h); // zeroed
}

static void what_is_not_json_is_told_with_its_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *part;
    } bad[] = {
        {"{", "line 1 column 2: it ends where a string is expected"},
        {"{\"a\"", "column 5: it ends where ':' is expected"},
        {"{\"a\":", "column 6: it ends where a value is expected"},
        {"{\"a\":1", "it ends where ',' or '}' is expected"},
        {"{\"a\":[1", "it ends where ',' or ']' is expected"},
        {"{\"a\":[1,]}", "column 9: no value"},
        {"{\"a\":1,}", "column 8: a string is expected"},
        {"{\n \"a\" 1}", "line 2 column 6: ':' is expected"},
        {"{a:1}", "a string is expected"},
        {"{\"a\":01}", "no number"},
        {"{\"a\":-}", "no number"},
        {"{\"a\":1.}", "no number"},
        {"{\"a\":1e}", "no number"},
        {"{\"a\":.5}", "no value"},
        {"{\"a\":+1}", "no value"},
        {"{\"a\":tru}", "no value"},
        {"{\"a\":NaN}", "no value"},
        {"{\"a\":'b'}", "no value"},
        {"{\"a\":\"\n\"}", "control character 0x0a"},
        {"{\"a\":\"b", "it ends in a string"},
        {"{\"a\":\"\\", "no such escape"},
        {"{\"a\":\"\\x\"}", "no such escape"},
        {"{\"a\":\"\\u12g4\"}", "no such escape"},
        {"{\"a\":\"\\u12", "no such escape"},
        {"{\"a\":\"\\ude00\"}", "half of a surrogate pair"},
        {"{\"a\":\"\\ud83dx\"}", "half of a surrogate pair"},
        {"{\"a\":\"\\ud83d\\u0041\"}", "half of a surrogate pair"},
        {"{\"a\":\"\\u0000\"}", "a NUL"},
        {"{\"a\":\"\xc3\"}", "unable to decode byte 0xc3"},
        {"{\"a\":\"\xed\xa0\x80\"}", "unable to decode byte 0xed"},
        {"{} {}", "something behind the end"},
        {"{\"a\":99999999999999999999}", "too big integer"},
        {"{\"__metadata__\":{},\"__metadata__\":{}}", "duplicate key '__metadata__'"},
        {"{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}",
         "tensor 'a': duplicate key 'dtype'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bex_st_header h;
        if (read_text(&h, bad[i].text) == 0) fail_msg("read: %s", bad[i].text);
        assert_message(bad[i].part);
        assert_null(h.entries);
    }
    // what is good JSON and no header is a matter of the entry, not of the text
    static const char *const json[] = {"{\"a\":-0.5e+10}", "{\"a\":true}", "{\"a\":[{},[],null]}",
                                       "{\"a\":\"b\"}"};
    for (size_t i = 0; i < 4; i++) {
        bex_st_header h;
        assert_true(read_text(&h, json[i]) < 0);
        assert_message("tensor 'a': its entry is not an object");
    }
}

static void a_written_header_reads_the_same(void **state) {
    (void)state;
    bex_st_entry entries[2] = {
        {.tensor = {.name = "a \"quoted\"\\ \xe9\x87\x8d",
                    .dtype = BEX_ST_BF16,
                    .rank = 2,
                    .dim = {3, 0}}},
        {.tensor = {.name = "b", .dtype = BEX_ST_U64, .rank = 0}, .begin = 0, .end = 8},
    };
    bex_st_pair pairs[2] = {{"", "\x01\x1f\b\f\n\r\t/\x7f"}, {"k", ""}};
    char *text = bex_st_header_write(entries, 2, pairs, 2);
    assert_string_equal(
        text, "{\"__metadata__\":{\"\":\"\\u0001\\u001F\\b\\f\\n\\r\\t/\x7f\",\"k\":\"\"},"
              "\"a \\\"quoted\\\"\\\\ \xe9\x87\x8d\":{\"dtype\":\"BF16\",\"shape\":[3,0],"
              "\"data_offsets\":[0,0]},"
              "\"b\":{\"dtype\":\"U64\",\"shape\":[],\"data_offsets\":[0,8]}}");
    bex_st_header h;
    if (read_text(&h, text) < 0) fail_msg("%s", bex_error());
    for (int i = 0; i < 2; i++) {
        assert_string_equal(h.entries[i].tensor.name, entries[i].tensor.name);
        assert_string_equal(h.pairs[i].key, pairs[i].key);
        assert_string_equal(h.pairs[i].value, pairs[i].value);
    }
    char *again = bex_st_header_write(h.entries, h.count, h.pairs, h.pair_count);
    assert_string_equal(text, again);
    bex_st_header_free(&h);
    free(text), free(again);
}

// many tensors: duplicates are looked for without comparing each with each
static void a_long_header_is_read(void **state) {
    (void)state;
    enum { MANY = 20000 };
    bex_st_entry *entries = calloc(MANY, sizeof *entries);
    char(*names)[16] = calloc(MANY, sizeof *names);
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "tensor.%d", i);
        entries[i].tensor.name = names[i];
    }
    char *text = bex_st_header_write(entries, MANY, NULL, 0);
    bex_st_header h;
    assert_int_equal(bex_st_header_read(&h, text, strlen(text)), 0);
    assert_int_equal(h.count, MANY);
    bex_st_header_free(&h);
    free(text);
    strcpy(names[MANY - 1], names[7]);
    text = bex_st_header_write(entries, MANY, NULL, 0);
    assert_int_equal(bex_st_header_read(&h, text, strlen(text)), -1);
    assert_message("duplicate key 'tensor.7'");
    free(text), free(names), free(entries);
}

static void no_memory_is_told(void **state) {
    (void)state;
    if (!malloc_counted()) skip();
    const char *text = "{\"__metadata__\":{\"k\":\"v\"},\"a\":{\"dtype\":\"U8\",\"shape\":[1],"
                       "\"data_offsets\":[0,1]}}";
    bex_st_header h;
    long live = malloc_live();
    for (long n = 1;; n++) {
        malloc_fail(n, false);
        int code = bex_st_header_read(&h, text, strlen(text));
        if (malloc_fail(0, false) == 0) break;
        assert_int_equal(code, -1);
        assert_message("out of memory");
        assert_true(malloc_live() == live);
    }
    malloc_fail(1, false);
    char *written = bex_st_header_write(h.entries, h.count, h.pairs, h.pair_count);
    malloc_fail(0, false);
    assert_null(written);
    assert_message("out of memory");
    bex_st_header_free(&h);
    assert_true(malloc_live() == live);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes_become_characters),
        cmocka_unit_test(spaces_and_order_do_not_matter),
        cmocka_unit_test(what_is_not_json_is_told_with_its_place),
        cmocka_unit_test(a_written_header_reads_the_same),
        cmocka_unit_test(a_long_header_is_read),
        cmocka_unit_test(no_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
