/* The library is silent without a sink; a sink gets whole lines, one at a time, from any thread. */
#include "base/log.h"

#include "bex/bex.h"
#include "test.h"

#include <pthread.h>

typedef struct {
    char text[4096];
    int lines, last_level, inside, overlapped;
} record;

static void keep(bex_log_level level, const char *line, void *payload) {
    record *r = payload;
    r->overlapped |= r->inside++;
    r->lines++;
    r->last_level = (int)level;
    snprintf(r->text, sizeof r->text, "%s", line);
    r->inside--;
}

static void a_sink_gets_lines_from_its_level_up(void **state) {
    (void)state;
    record r = {0};
    bex_log_set(keep, &r, BEX_LOG_WARN);
    bex_log(BEX_LOG_INFO, "not %s", "this");
    assert_int_equal(r.lines, 0);
    bex_log(BEX_LOG_ERROR, "step %d: loss is not finite", 12);
    assert_int_equal(r.lines, 1);
    assert_int_equal(r.last_level, BEX_LOG_ERROR);
    assert_string_equal(r.text, "step 12: loss is not finite");
    bex_log_set(NULL, NULL, BEX_LOG_DEBUG);
    bex_log(BEX_LOG_ERROR, "into the void");
    assert_int_equal(r.lines, 1);
}

static void long_lines_are_cut(void **state) {
    (void)state;
    record r = {0};
    bex_log_set(keep, &r, BEX_LOG_DEBUG);
    char text[3000];
    memset(text, 'y', sizeof text - 1);
    text[sizeof text - 1] = 0;
    bex_log(BEX_LOG_DEBUG, "%s", text);
    assert_in_range(strlen(r.text), 500, 2999);
    bex_log_set(NULL, NULL, BEX_LOG_DEBUG);
}

static void *chatter(void *unused) {
    for (int i = 0; i < 2000; i++) bex_log(BEX_LOG_INFO, "line %d", i);
    return unused;
}

static void one_call_at_a_time(void **state) {
    (void)state;
    record r = {0};
    bex_log_set(keep, &r, BEX_LOG_DEBUG);
    pthread_t t[3];
    for (int i = 0; i < 3; i++) assert_int_equal(pthread_create(&t[i], NULL, chatter, NULL), 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    assert_int_equal(r.lines, 6000);
    assert_false(r.overlapped);
    bex_log_set(NULL, NULL, BEX_LOG_DEBUG);
}

static void keep_public(int level, const char *line, void *payload) {
    keep((bex_log_level)level, line, payload);
}

static void the_public_sink_comes_and_goes(void **state) {
    (void)state;
    record r = {0};
    bex_log_to(keep_public, &r);
    bex_log(BEX_LOG_WARN, "hello");
    assert_string_equal(r.text, "hello");
    assert_int_equal(r.last_level, 2);
    bex_log_to(NULL, NULL);
    bex_log(BEX_LOG_WARN, "gone");
    assert_int_equal(r.lines, 1);
}

static void stderr_lines_carry_their_level(void **state) {
    (void)state;
    char path[600], text[256] = "";
    snprintf(path, sizeof path, "%s", scratch_path("log"));
    fflush(stderr);
    int saved = dup(2);
    assert_non_null(freopen(path, "w", stderr));
    bex_log_to_stderr(BEX_LOG_INFO, "plain", NULL);
    bex_log_to_stderr(BEX_LOG_WARN, "careful", NULL);
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    unlink(path);
    text[n] = 0;
    assert_string_equal(text, "bex: plain\nbex: warning: careful\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sink_gets_lines_from_its_level_up),
        cmocka_unit_test(long_lines_are_cut),
        cmocka_unit_test(one_call_at_a_time),
        cmocka_unit_test(the_public_sink_comes_and_goes),
        cmocka_unit_test(stderr_lines_carry_their_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
