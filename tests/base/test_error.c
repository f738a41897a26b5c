/* Messages gather context outermost first, stay one line and inside their buffer, and belong to
 * their thread; a failed check says where and what before it aborts. */
#include "base/error.h"

#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

static void context_goes_before_and_hints_behind(void **state) {
    (void)state;
    assert_int_equal(bex_fail("'actions' has %d columns", 7), -1);
    assert_int_equal(bex_fail_in("data '%s'", "x.hdf5"), -1);
    assert_int_equal(bex_fail_in("train"), -1);
    assert_int_equal(bex_fail_hint("expected %d", 8), -1);
    assert_string_equal(bex_error(), "train: data 'x.hdf5': 'actions' has 7 columns (expected 8)");
    bex_error_clear();
    assert_string_equal(bex_error(), "");
}

static void a_message_can_quote_itself(void **state) {
    (void)state;
    bex_fail("inner");
    bex_fail("outer of [%s]", bex_error());
    assert_string_equal(bex_error(), "outer of [inner]");
    bex_fail_in("%s", bex_error());
    assert_string_equal(bex_error(), "outer of [inner]: outer of [inner]");
}

static void always_one_line(void **state) {
    (void)state;
    bex_fail("bad name 'a\nb\x1b[31m'");
    bex_fail_in("file\r'x'\t");
    bex_fail_hint("see\n\nthis");
    for (const char *c = bex_error(); *c; c++) assert_true((unsigned char)*c >= 0x20 && *c != 0x7f);
    assert_message("bad name 'a?b?[31m'");
}

static void long_text_is_cut_not_overrun(void **state) {
    (void)state;
    char text[4000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    bex_fail("%s", text);
    size_t most = strlen(bex_error());
    assert_in_range(most, 500, 1023);
    bex_fail_hint("%s", text);
    bex_fail_in("%s", text);
    bex_fail_hint("more");
    assert_in_range(strlen(bex_error()), 500, 1023);
}

static void *fail_elsewhere(void *before) {
    strcpy(before, bex_error());
    bex_fail("theirs");
    return NULL;
}

static void each_thread_has_its_own(void **state) {
    (void)state;
    bex_fail("mine");
    char before[1024] = "untouched";
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, before), 0);
    pthread_join(thread, NULL);
    assert_string_equal(before, "");
    assert_string_equal(bex_error(), "mine");
}

static void a_failed_check_explains_and_aborts(void **state) {
    (void)state;
    int pipe_ends[2], status, rows = 3;
    assert_int_equal(pipe(pipe_ends), 0);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(pipe_ends[1], 2);
        BEX_CHECK(rows == 4, "rows %d, expected %d", rows, 4);
        _exit(0);
    }
    close(pipe_ends[1]);
    char text[512];
    size_t n = 0;
    for (ssize_t got; (got = read(pipe_ends[0], text + n, sizeof text - 1 - n)) > 0;)
        n += (size_t)got;
    text[n] = 0;
    close(pipe_ends[0]);
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(text, "test_error.c:"));
    assert_non_null(strstr(text, "rows == 4: rows 3, expected 4"));
}

static void a_passed_check_evaluates_once(void **state) {
    (void)state;
    int evaluated = 0;
    BEX_CHECK(++evaluated, "unreachable");
    assert_int_equal(evaluated, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(context_goes_before_and_hints_behind),
        cmocka_unit_test(a_message_can_quote_itself),
        cmocka_unit_test(always_one_line),
        cmocka_unit_test(long_text_is_cut_not_overrun),
        cmocka_unit_test(each_thread_has_its_own),
        cmocka_unit_test(a_failed_check_explains_and_aborts),
        cmocka_unit_test(a_passed_check_evaluates_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
