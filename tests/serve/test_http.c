/* Requests to answers: what is in the table, and nothing else. */
#include "serve/http.h"

#include "test.h"

static const bex_served files[] = {{"/", "text/html", "page", 4},
                                   {"/policy.safetensors", "application/octet-stream", "x", 1}};

static bex_http_answer ask(const char *text) {
    return bex_http_answer_to(text, strlen(text), files, 2, true);
}

static void serves_what_is_in_the_table(void **state) {
    (void)state;
    bex_http_answer a = ask("GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n");
    assert_int_equal(a.status, 200);
    assert_ptr_equal(a.file, &files[0]);
    assert_true(a.body);
    a = ask("HEAD /policy.safetensors?x=1 HTTP/1.0\nhost:  LOCALHOST \n\n");
    assert_int_equal(a.status, 200);
    assert_ptr_equal(a.file, &files[1]);
    assert_false(a.body);
}

static void refuses_the_rest(void **state) {
    static const struct {
        const char *text;
        int status;
    } cases[] = {
        {"GET /../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", 404},
        {"GET /%2e%2e/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 404},
        {"GET //etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", 404},
        {"GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 404},
        {"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", 405},
        {"get / HTTP/1.1\r\nHost: localhost\r\n\r\n", 405},
        {"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403},
        {"GET / HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n", 403},
        {"GET / HTTP/1.1\r\nX-Host: localhost\r\n\r\n", 403},
        {"GET / HTTP/1.1\r\n\r\n", 403},
        {"GET /\r\n\r\n", 400},
        {"GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", 400},
        {"\r\n\r\n", 400},
        {"", 400},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bex_http_answer a = ask(cases[i].text);
        if (a.status != cases[i].status)
            fail_msg("'%s': %d, expected %d", cases[i].text, a.status, cases[i].status);
        assert_true(a.status == 200 || !a.file);
    }
    const char nul[] = "GET /\0 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    assert_int_equal(bex_http_answer_to(nul, sizeof nul - 1, files, 2, true).status, 400);
}

static void others_may_name_it_as_they_like(void **state) {
    (void)state;
    const char *text = "GET / HTTP/1.1\r\nHost: robot.lab\r\n\r\n";
    assert_int_equal(bex_http_answer_to(text, strlen(text), files, 2, false).status, 200);
}

static void knows_a_whole_head(void **state) {
    (void)state;
    const char *text = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    for (size_t n = 0; n < strlen(text); n++) assert_false(bex_http_complete(text, n));
    assert_true(bex_http_complete(text, strlen(text)));
    assert_true(bex_http_complete("a\n\n", 3));
}

static void writes_heads(void **state) {
    char out[BEX_HTTP_HEAD_MOST];
    (void)state;
    bex_http_answer a = {200, &files[0], true};
    size_t n = bex_http_head(out, &a);
    assert_true(n < sizeof out && !memcmp(out + n - 4, "\r\n\r\n", 4));
    assert_non_null(strstr(out, "Content-Length: 4\r\n"));
    a = (bex_http_answer){405, NULL, true};
    n = bex_http_head(out, &a);
    assert_true(n < sizeof out);
    assert_non_null(strstr(out, "Content-Length: 19\r\n"));
    assert_non_null(strstr(out, "Allow: GET, HEAD\r\n"));
    assert_string_equal(strstr(out, "\r\n\r\n") + 4, "Method Not Allowed\n");
}

// whatever comes: an answer of the known kinds, and nothing read beyond the end
static void survives_anything(void **state) {
    static const char words[][12] = {
        "GET ", "/", " HTTP/1.1", "\r\n", "\n", "Host: ", "localhost", ":", " ", "\t", "?", "x"};
    unsigned seed = 1;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        char text[128];
        size_t n = 0;
        for (int k = 0; k < 10; k++) {
            seed = seed * 1664525u + 1013904223u;
            const char *word = words[(seed >> 16) % 12];
            memcpy(text + n, word, strlen(word));
            n += strlen(word);
        }
        char *copy = malloc(n); // its end is the heap's
        memcpy(copy, text, n);
        bex_http_answer a = bex_http_answer_to(copy, n, files, 2, round % 2);
        assert_true(a.status == 200 ? a.file != NULL : a.status >= 400 && a.status <= 405);
        bex_http_complete(copy, n);
        free(copy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(serves_what_is_in_the_table),
        cmocka_unit_test(refuses_the_rest),
        cmocka_unit_test(others_may_name_it_as_they_like),
        cmocka_unit_test(knows_a_whole_head),
        cmocka_unit_test(writes_heads),
        cmocka_unit_test(survives_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
