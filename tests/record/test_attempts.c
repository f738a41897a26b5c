/* Success against attempts: shares, errors by hand, what joins, JSON there and back. */
#include "record/attempts.h"

#include "base/error.h"

#include "test.h"

#include <math.h>

// two tasks of scene A, three trials; one of scene B, two trials
static bex_attempts sample(bool shared) {
    static const int a1[] = {1, 0, 3}, a2[] = {2, 0, 0}, b[] = {4, 1};
    bex_attempts a = {.shared = shared, .attempts = 4};
    assert_int_equal(bex_attempts_add(&a, "A", "one", a1, 3, 1), 0);
    assert_int_equal(bex_attempts_add(&a, "A", "two", a2, 3, 1), 0);
    assert_int_equal(bex_attempts_add(&a, "B", "one", b, 2, 1), 0);
    return a;
}

static void assert_near(double x, double y) {
    if (!(fabs(x - y) < 1e-12)) fail_msg("%.15g, not %.15g", x, y);
}

static void shares_and_errors(void **state) {
    (void)state;
    bex_attempts a = sample(true);
    assert_near(bex_attempts_share(&a.task[0], 1), 1. / 3);
    assert_near(bex_attempts_share(&a.task[0], 4), 2. / 3);
    assert_near(bex_attempts_share(&a.task[0], 0), 0);
    assert_near(bex_attempts_success(&a, 2).mean, (1. / 3 + 1. / 3 + 1. / 2) / 3);
    // after 2: trials of A have done 2, 0, 0 tasks: mean 2/3, variance 4/3; of B 0, 1: variance 1/2
    assert_near(bex_attempts_success(&a, 2).error, sqrt(4. / 3 / 3 + 1. / 2 / 2) / 3);
    assert_near(bex_attempts_distinct(&a, 2), (1. / 3 + 1. / 2) / 2);
    assert_near(bex_attempts_needed(&a), ((1 + 5 + 3) / 3. + (2 + 5 + 5) / 3. + (4 + 1) / 2.) / 3);
    bex_interval w = bex_attempts_interval(&a.task[0], 4), same = bex_interval_wilson(2, 3, 0.95);
    assert_near(w.low, same.low), assert_near(w.high, same.high);
    // runs of their own: each task varies by itself
    bex_attempts given = sample(false);
    assert_near(bex_attempts_success(&given, 2).error,
                sqrt(1. / 3 / 3 + 1. / 3 / 3 + 1. / 2 / 2) / 3);
    bex_attempts_fini(&given);
    bex_attempts_fini(&a);
}

static void seeds_join(void **state) {
    (void)state;
    bex_attempts a = sample(true), b = sample(true), all = {0}, other = sample(false);
    assert_int_equal(bex_attempts_join(&all, &a), 0);
    assert_int_equal(bex_attempts_join(&all, &b), 0);
    assert_int_equal(all.tasks, 3);
    assert_int_equal(all.task[1].trials, 6);
    assert_near(bex_attempts_success(&all, 3).mean, bex_attempts_success(&a, 3).mean);
    assert_true(bex_attempts_join(&all, &other) < 0);
    assert_message("of a scene and of a task");
    static const int late[] = {5};
    assert_true(bex_attempts_add(&a, "A", "one", late, 1, 1) < 0);
    assert_message("attempt 5 of 4");
    bex_attempts_fini(&a), bex_attempts_fini(&b), bex_attempts_fini(&all),
        bex_attempts_fini(&other);
}

static void one_trial_has_no_error(void **state) {
    (void)state;
    static const int first[] = {2};
    bex_attempts a = {.attempts = 3};
    assert_true(isnan(bex_attempts_success(&a, 1).mean));
    assert_int_equal(bex_attempts_add(&a, "A", "one", first, 1, 1), 0);
    assert_near(bex_attempts_success(&a, 2).mean, 1);
    assert_true(isnan(bex_attempts_success(&a, 2).error));
    bex_attempts_fini(&a);
}

static void there_and_back(void **state) {
    (void)state;
    bex_attempts a = sample(true), b;
    json_t *j = json_object();
    assert_int_equal(bex_attempts_write(&a, j), 0);
    assert_int_equal(bex_attempts_read(&b, j), 0);
    assert_int_equal(b.attempts, 4);
    assert_true(b.shared);
    assert_int_equal(b.tasks, 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(b.task[i].scene, a.task[i].scene);
        assert_string_equal(b.task[i].task, a.task[i].task);
        assert_int_equal(b.task[i].trials, a.task[i].trials);
        assert_memory_equal(b.task[i].first, a.task[i].first,
                            sizeof(int) * (size_t)a.task[i].trials);
    }
    bex_attempts_fini(&b);
    json_decref(j);
    bex_attempts_fini(&a);
}

static void what_is_wrong(void **state) {
    (void)state;
    static const struct {
        const char *text, *part;
    } bad[] = {
        {"{}", "'attempts'"},
        {"{\"attempts\": 0, \"tasks\": []}", "'attempts'"},
        {"{\"attempts\": 3}", "tasks"},
        {"{\"attempts\": 3, \"tasks\": [{}]}", "scene"},
        {"{\"attempts\": 3, \"tasks\": [{\"scene\": \"A\", \"task\": \"t\"}]}", "first"},
        {"{\"attempts\": 3, \"tasks\": [{\"scene\": \"A\", \"task\": \"t\", \"first\": [4]}]}",
         "attempt 4 of 3"},
        {"{\"attempts\": 3, \"tasks\": [{\"scene\": \"A\", \"task\": \"t\", \"first\": [\"x\"]}]}",
         "no numbers"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bex_attempts a;
        json_t *j = bex_json_parse(bad[i].text, strlen(bad[i].text), "text");
        assert_non_null(j);
        assert_true(bex_attempts_read(&a, j) < 0);
        assert_message(bad[i].part);
        bex_attempts_fini(&a);
        json_decref(j);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_and_errors), cmocka_unit_test(seeds_join),
        cmocka_unit_test(one_trial_has_no_error), cmocka_unit_test(there_and_back),
        cmocka_unit_test(what_is_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
