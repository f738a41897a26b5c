/* What a session tells of the future it follows, deadlines, states between plans, and threads that meet in
 * one
 * session. */
#include "api/sessions.h"

#include "test.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static char chooser[600], router[600];

static void make_choosers(void) {
    static const char *const choice[] = {"model.waypoints=true", "deploy.candidates=8",
                                         "coverage.future=8", NULL};
    static const char *const route[] = {
        "model.waypoints=true",         "model.reach=2",        "diffusion.predicts=chunk",
        "diffusion.show_waypoints=0.5", "deploy.candidates=40", "deploy.commit=8",
        "deploy.action_steps=1",        "coverage.future=8",    NULL};
    snprintf(chooser, sizeof chooser, "%s", scratch_path("follow-choice.safetensors"));
    snprintf(router, sizeof router, "%s", scratch_path("follow-route.safetensors"));
    tiny_policy_save(choice, 0, 1, chooser);
    tiny_policy_save(route, 0, 1, router);
}

static bex_coverage_report report_of(bex_session *s) {
    bex_coverage_report r = {.size = sizeof r};
    ok(bex_session_coverage(s, &r));
    return r;
}

static void act(bex_session *s, int e, int t, float *action) {
    float state[TINY_O];
    tiny_state(state, e, t);
    ok(bex_session_act(s, state, TINY_O, action, TINY_A));
}

static void what_is_followed_is_told(void **state) {
    (void)state;
    bex_policy *p = open_policy(chooser);
    bex_session *s = open_session(p, 1);
    float action[TINY_A];
    bex_coverage_report r = report_of(s);
    assert_true(isnan(r.asked) && isnan(r.reached) && r.candidates == 0);
    ok(bex_session_begin(s));
    for (int t = 0; t < TINY_K + 2; t++) {
        act(s, 0, t, action);
        r = report_of(s);
        assert_int_equal(r.steps, t % TINY_K + 1);
        assert_int_equal(r.candidates, 8);
        assert_int_equal(r.proposed, 8);
        assert_int_equal(r.possible, 8); // no coverage.support: nothing is impossible
        assert_int_equal(r.waypoints, TINY_K);
        assert_int_equal(r.columns, 2);
        assert_true(isfinite(r.asked) && isfinite(r.expected) && isfinite(r.reached));
        assert_true(fabs(r.asked_quantile - 0.95) < 1e-9);
        assert_true(r.expected_quantile >= 0 && r.expected_quantile <= 1);
        assert_true(r.column[0] == 0 && r.column[1] == 1);
        for (int i = 0; i < 2 * TINY_K; i++) assert_true(isfinite((double)r.waypoint[i]));
    }
    // nobody moves: what was seen covers less than what was planned to be seen
    double last = r.reached;
    for (int t = 0; t < 20; t++) act(s, 0, 0, action);
    assert_true(report_of(s).reached != last);
    ok(bex_session_end(s));
    ok(bex_session_begin(s));
    assert_int_equal(report_of(s).candidates, 0);
    bex_coverage_report small = {.size = 0};
    refused(bex_session_coverage(s, &small), BEX_MISUSED, "size");
    refused(bex_session_coverage(NULL, &small), BEX_MISUSED, "NULL");
    bex_session_close(s);
    bex_policy_close(p);
}

// a deadline nothing can keep: one candidate a plan, and the search goes on in those that follow
static void a_search_is_spread(void **state) {
    (void)state;
    bex_policy *p = open_policy(router);
    bex_session *s;
    bex_session_options o = BEX_SESSION_OPTIONS_INIT;
    o.deadline = 1e-9;
    ok(bex_session_open(&s, p, &o));
    float action[TINY_A];
    ok(bex_session_begin(s));
    act(s, 0, 0, action);
    bex_coverage_report r = report_of(s);
    assert_int_equal(r.candidates, 40);
    assert_int_equal(r.proposed, 1);
    bex_latency l = {.size = sizeof l};
    ok(bex_session_latency(s, &l));
    assert_int_equal(l.missed, 1);
    bex_session_close(s);
    // time enough for some
    o.deadline = 100;
    ok(bex_session_open(&s, p, &o));
    ok(bex_session_begin(s));
    act(s, 0, 0, action);
    r = report_of(s);
    assert_int_equal(r.proposed, 40);
    // the same as without one: nothing was cut
    float same[TINY_A];
    bex_session *free_of = open_session(p, 0);
    ok(bex_session_begin(free_of));
    act(free_of, 0, 0, same);
    for (int i = 0; i < TINY_A; i++) assert_true(fabs((double)(same[i] - action[i])) < 1e-5);
    bex_session_close(free_of);
    bex_session_close(s);
    bex_policy_close(p);
}

static void states_between_plans_are_seen(void **state) {
    (void)state;
    bex_policy *p = open_policy(chooser);
    bex_session *s = open_session(p, 0), *blind = open_session(p, 0), *acting = open_session(p, 0);
    float x[TINY_O], chunk[TINY_K * TINY_A], action[TINY_A];
    tiny_state(x, 0, 0);
    refused(bex_session_observe(s, x, TINY_O), BEX_MISUSED, "no episode has begun");
    ok(bex_session_begin(s)), ok(bex_session_begin(blind)), ok(bex_session_begin(acting));
    for (int t = 0; t < 3 * TINY_K; t++) {
        tiny_state(x, 0, t);
        if (t % TINY_K) {
            ok(bex_session_observe(s, x, TINY_O));
        } else {
            ok(bex_session_plan(s, x, TINY_O, chunk, TINY_K * TINY_A));
            ok(bex_session_plan(blind, x, TINY_O, chunk, TINY_K * TINY_A));
        }
        ok(bex_session_act(acting, x, TINY_O, action, TINY_A));
        // a chunk played by the caller is what act plays
        for (int i = 0; i < TINY_A; i++) assert_true(chunk[t % TINY_K * TINY_A + i] == action[i]);
    }
    assert_int_equal(report_of(s).steps, report_of(acting).steps);
    ok(bex_session_end(s)), ok(bex_session_end(blind)), ok(bex_session_end(acting));
    assert_int_equal(bex_session_history_states(s), 3 * TINY_K);
    assert_int_equal(bex_session_history_states(blind), 3);
    refused(bex_session_observe(s, x, TINY_O - 1), BEX_MISUSED, "the state has 3 values");
    refused(bex_session_observe(s, NULL, TINY_O), BEX_MISUSED, "NULL");
    bex_session_close(s), bex_session_close(blind), bex_session_close(acting);
    bex_policy_close(p);
}

static void readings_far_off_are_refused_as_the_contract_says(void **state) {
    (void)state;
    bex_policy *p = open_policy(chooser);
    bex_session *s = open_session(p, 0);
    bex_contract c = {.size = sizeof c};
    ok(bex_policy_contract(p, &c));
    assert_true(c.farthest == 1000);
    assert_null(c.state_names);
    assert_int_equal(c.coverage_count, 2);
    float x[TINY_O], action[TINY_A];
    ok(bex_session_begin(s));
    for (int i = 0; i < TINY_O; i++) x[i] = c.state_mean[i];
    x[1] += 1100 * c.state_std[1];
    refused(bex_session_act(s, x, TINY_O, action, TINY_A), BEX_MISUSED,
            "deploy.farthest allows more");
    ok(bex_session_set(s, "farthest", "2000"));
    ok(bex_session_act(s, x, TINY_O, action, TINY_A));
    refused(bex_session_set(s, "farthest", "2e6"), BEX_MISUSED, "not a number in [1, 1000000]");
    bex_session_close(s);
    bex_policy_close(p);
}

static void quantiles_are_latencies_there_were(void **state) {
    (void)state;
    bex_policy *p = open_policy(chooser);
    bex_session *s = open_session(p, 0);
    float action[TINY_A];
    ok(bex_session_begin(s));
    for (int t = 0; t < 8 * TINY_K; t++) {
        act(s, 0, t, action);
        bex_latency l = {.size = sizeof l};
        ok(bex_session_latency(s, &l));
        assert_int_equal(l.plans, t / TINY_K + 1);
        assert_true(l.p50 > 0 && l.p50 <= l.p99 && l.p99 <= l.max);
        // of fewer than a hundred the 99th percentile is the slowest; of one all are
        assert_true(l.p99 == l.max);
        if (l.plans == 1) assert_true(l.p50 == l.max);
    }
    bex_session_close(s);
    bex_policy_close(p);
}

// ---- threads ----

typedef struct {
    bex_session *s;
    atomic_int *go;
    int done, refused, other;
} visitor;

static void *visit(void *payload) {
    visitor *v = payload;
    float x[TINY_O], action[TINY_A];
    tiny_state(x, 0, 1);
    atomic_fetch_add(v->go, 1);
    while (atomic_load(v->go) < 2) {
    }
    for (int i = 0; i < 400; i++) {
        int code = bex_session_act(v->s, x, TINY_O, action, TINY_A);
        if (code == BEX_OK)
            v->done++;
        else if (code == BEX_MISUSED && strstr(bex_error_message(), "another thread"))
            v->refused++;
        else
            v->other++;
    }
    return NULL;
}

static void two_threads_in_a_session_are_told(void **state) {
    (void)state;
    bex_policy *p = open_policy(chooser);
    bex_session *s = open_session(p, 0);
    atomic_int go = 0;
    visitor v[2] = {{.s = s, .go = &go}, {.s = s, .go = &go}};
    pthread_t thread[2];
    ok(bex_session_begin(s));
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&thread[i], NULL, visit, &v[i]), 0);
    for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
    bex_latency l = {.size = sizeof l};
    ok(bex_session_latency(s, &l));
    assert_int_equal(v[0].other + v[1].other, 0);
    assert_int_equal(l.calls, v[0].done + v[1].done);
    assert_int_equal(v[0].done + v[1].done + v[0].refused + v[1].refused, 800);
    bex_session_close(s);
    bex_policy_close(p);
}

static void columns_keep_their_names(void **state) {
    (void)state;
    char path[600];
    bex_column_names names = {0};
    snprintf(path, sizeof path, "%s", scratch_path("follow-names.safetensors"));
    bex_policy *tiny = tiny_policy(NULL, 0, 1);
    assert_int_equal(bex_columns_add_key(&names, "eef_pos", 3), 0);
    assert_int_equal(bex_columns_add_key(&names, "grip", 1), 0);
    assert_int_equal(bex_policy_name_columns(tiny, &names), 0);
    assert_int_equal(bex_policy_save(tiny, path), 0);
    bex_policy_free(tiny);
    bex_columns_fini(&names);
    bex_policy *p = open_policy(path);
    bex_session *s = open_session(p, 0);
    bex_contract c = {.size = sizeof c};
    ok(bex_policy_contract(p, &c));
    assert_string_equal(c.state_names[2], "eef_pos[2]");
    assert_string_equal(c.state_names[3], "grip");
    float x[TINY_O] = {0, 0, NAN, 0}, action[TINY_A];
    ok(bex_session_begin(s));
    refused(bex_session_act(s, x, TINY_O, action, TINY_A), BEX_MISUSED,
            "observation 2 (eef_pos[2]) of 4");
    refused(bex_session_act(s, x, 3, action, TINY_A), BEX_MISUSED, "expects 4: eef_pos[0:3], grip");
    bex_session_close(s);
    bex_policy_close(p);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_followed_is_told),
        cmocka_unit_test(a_search_is_spread),
        cmocka_unit_test(states_between_plans_are_seen),
        cmocka_unit_test(readings_far_off_are_refused_as_the_contract_says),
        cmocka_unit_test(quantiles_are_latencies_there_were),
        cmocka_unit_test(two_threads_in_a_session_are_told),
        cmocka_unit_test(columns_keep_their_names),
    };
    make_choosers();
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(chooser), unlink(router);
    return code;
}
