/* What a caller can get wrong, by settings, sizes, order, readings: each is refused and leaves no trace. */
#include "api/sessions.h"

#include "base/file.h"
#include "nn/safetensors.h"

#include <math.h>

static void opening_goes_wrong(void **state) {
    (void)state;
    bex_policy *p;
    bex_session *s;
    refused(bex_policy_open(NULL, be), BEX_MISUSED, "NULL");
    refused(bex_policy_open(&p, NULL), BEX_MISUSED, "NULL");
    refused(bex_policy_open(&p, "no/such/file"), BEX_FAILED, "no/such/file");
    assert_null(p);
    FILE *f = fopen(memory, "wb");
    fputs("nonsense", f);
    fclose(f);
    refused(bex_policy_open(&p, memory), BEX_FAILED, memory);
    // a history is no policy
    p = open_policy(be);
    s = open_session(p, 0);
    ok(bex_session_save_history(s, memory));
    bex_session_close(s);
    bex_policy *q;
    refused(bex_policy_open(&q, memory), BEX_FAILED, "not a bex policy");
    assert_null(q);
    refused(bex_policy_contract(NULL, &(bex_contract){.size = sizeof(bex_contract)}), BEX_MISUSED,
            "NULL");
    refused(bex_policy_contract(p, NULL), BEX_MISUSED, "NULL");
    refused(bex_session_open(NULL, p, NULL), BEX_MISUSED, "NULL");
    refused(bex_session_open(&s, NULL, NULL), BEX_MISUSED, "NULL");
    assert_null(s);
    bex_session_options o = BEX_SESSION_OPTIONS_INIT;
#define WITH(member, value, code, part)                                                            \
    o = (bex_session_options)BEX_SESSION_OPTIONS_INIT, o.member = value,                           \
    refused(bex_session_open(&s, p, &o), code, part)
    WITH(exp, "", BEX_MISUSED, "exp ''");
    WITH(exp, "q:1.5", BEX_MISUSED, "quantile");
    WITH(history, "all", BEX_MISUSED, "no history rule 'all'");
    WITH(history, "file:nothing", BEX_FAILED, "nothing");
    WITH(guidance, (double)NAN, BEX_MISUSED, "not finite");
    WITH(noise, (double)INFINITY, BEX_MISUSED, "not finite");
    WITH(deadline, (double)NAN, BEX_MISUSED, "not finite");
    WITH(temperature, (double)NAN, BEX_MISUSED, "not finite");
    WITH(guidance, 1000, BEX_MISUSED, "guidance");
    WITH(temperature, 11, BEX_MISUSED, "deploy.temperature = '11'");
    WITH(act, 5, BEX_MISUSED, "deploy.action_steps = 5: a chunk has 4 actions");
    WITH(denoising_steps, -4, BEX_MISUSED, "denoising");
    WITH(task, 3, BEX_MISUSED, "task 3");
#undef WITH
    assert_null(s);
    bex_policy_close(p);
    bex_policy_close(NULL);
    bex_session_close(NULL);
}

static void calling_goes_wrong(void **state) {
    (void)state;
    bex_policy *p = open_policy(be);
    bex_session *s = open_session(p, 0);
    float x[TINY_O] = {0}, a[TINY_K * TINY_A];
    refused(bex_session_act(s, x, TINY_O, a, TINY_A), BEX_MISUSED, "no episode has begun");
    refused(bex_session_plan(s, x, TINY_O, a, TINY_K * TINY_A), BEX_MISUSED, "no episode");
    refused(bex_session_end(s), BEX_MISUSED, "no episode has begun");
    ok(bex_session_begin(s));
    refused(bex_session_act(s, x, 3, a, TINY_A), BEX_MISUSED,
            "the state has 3 values, the policy expects 4");
    refused(bex_session_act(s, x, TINY_O, a, 1), BEX_MISUSED, "room for 1 action values");
    refused(bex_session_plan(s, x, TINY_O, a, TINY_A), BEX_MISUSED, "the policy gives 8");
    refused(bex_session_act(NULL, x, TINY_O, a, TINY_A), BEX_MISUSED, "NULL");
    refused(bex_session_act(s, NULL, TINY_O, a, TINY_A), BEX_MISUSED, "NULL");
    refused(bex_session_act(s, x, TINY_O, NULL, TINY_A), BEX_MISUSED, "NULL");
    refused(bex_session_plan(s, x, TINY_O, NULL, 8), BEX_MISUSED, "NULL");
    x[1] = NAN;
    refused(bex_session_act(s, x, TINY_O, a, TINY_A), BEX_MISUSED, "observation 1 of 4");
    x[1] = -INFINITY;
    refused(bex_session_plan(s, x, TINY_O, a, 8), BEX_MISUSED, "observation 1 of 4");
    bex_session_close(s);
    bex_policy_close(p);
}

// a setting by its name is what the struct's member is
static void settings_by_name(void **state) {
    (void)state;
    bex_policy *p = open_policy(be);
    bex_session_options o = BEX_SESSION_OPTIONS_INIT;
    o.exp = "z:-2", o.guidance = 2, o.act = 3, o.denoising_steps = 2, o.temperature = 0.5;
    o.history = "first", o.seed = 4;
    bex_session *a, *b = open_session(p, 4);
    ok(bex_session_open(&a, p, &o));
    const char *const settings[][2] = {{"exp", "z:-2"},        {"guidance", "2"},
                                       {"act", "3"},           {"denoising_steps", "2"},
                                       {"temperature", "0.5"}, {"history", "first"}};
    char text[160];
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        ok(bex_session_set(b, settings[i][0], settings[i][1]));
        ok(bex_session_get(b, settings[i][0], text, sizeof text));
        assert_string_equal(text, settings[i][1]);
        ok(bex_session_get(a, settings[i][0], text, sizeof text));
        assert_string_equal(text, settings[i][1]);
    }
    for (int e = 0; e < 3; e++) {
        ok(bex_session_begin(a)), ok(bex_session_begin(b));
        for (int t = 0; t < 9; t++) {
            float x[TINY_O], u[TINY_A], v[TINY_A];
            tiny_state(x, e, t);
            // one more in the middle of an episode: steps, which needs another planner
            if (e == 1 && t == 4)
                ok(bex_session_set(a, "denoising_steps", "3")),
                    ok(bex_session_set(b, "denoising_steps", "3"));
            ok(bex_session_act(a, x, TINY_O, u, TINY_A));
            ok(bex_session_act(b, x, TINY_O, v, TINY_A));
            assert_memory_equal(u, v, sizeof u);
        }
        ok(bex_session_end(a)), ok(bex_session_end(b));
    }
    refused(bex_session_get(a, "exp", text, 4), BEX_MISUSED, "room for 4");
    refused(bex_session_get(a, "expp", text, sizeof text), BEX_MISUSED, "did you mean deploy.exp?");
    refused(bex_session_set(a, "candidatse", "8"), BEX_MISUSED, "did you mean deploy.candidates?");
    refused(bex_session_set(a, "guidance", "high"), BEX_MISUSED, "not a number in [0, 100]");
    refused(bex_session_set(a, "candidates", "8"), BEX_MISUSED, "needs a be policy with");
    refused(bex_session_set(a, "act", "5"), BEX_MISUSED, "a chunk has 4 actions");
    refused(bex_session_set(a, "history", "file:nothing"), BEX_FAILED, "nothing");
    refused(bex_session_set(a, "exp", NULL), BEX_MISUSED, "NULL");
    refused(bex_session_get(NULL, "exp", text, 4), BEX_MISUSED, "NULL");
    ok(bex_session_get(a, "guidance", text, sizeof text)); // nothing was changed
    assert_string_equal(text, "2");
    ok(bex_session_begin(a));
    refused(bex_session_set(a, "history", "uniform"), BEX_MISUSED, "episode is running");
    bex_session_close(a), bex_session_close(b);
    bex_policy_close(p);
}

static void settings_go_wrong(void **state) {
    (void)state;
    bex_policy *p = open_policy(be);
    bex_session *s = open_session(p, 0);
    ok(bex_session_begin(s));
    refused(bex_session_set_seed(s, 1), BEX_MISUSED, "an episode is running");
    refused(bex_session_set_exp(s, "fast"), BEX_MISUSED, "exp 'fast'");
    refused(bex_session_set_exp(s, NULL), BEX_MISUSED, "NULL");
    refused(bex_session_set_task(s, -1, 0), BEX_MISUSED, "task -1");
    refused(bex_session_save_history(s, NULL), BEX_MISUSED, "NULL");
    refused(bex_session_load_history(s, NULL), BEX_MISUSED, "NULL");
    refused(bex_session_load_history(s, be), BEX_FAILED, "history.states");
    refused(bex_session_load_history(s, "no/such"), BEX_FAILED, "no/such");
    refused(bex_session_save_history(s, "no/such/folder/x"), BEX_FAILED, "no/such/folder");
    refused(bex_session_latency(s, NULL), BEX_MISUSED, "out->size is not set");
    int (*const only_session[])(bex_session *) = {bex_session_begin, bex_session_end,
                                                  bex_session_clear_history};
    for (int i = 0; i < 3; i++) refused(only_session[i](NULL), BEX_MISUSED, "NULL");
    refused(bex_session_set_task(NULL, 0, 0), BEX_MISUSED, "NULL");
    refused(bex_session_set_seed(NULL, 0), BEX_MISUSED, "NULL");
    refused(bex_session_set_exp(NULL, "q:1"), BEX_MISUSED, "NULL");
    refused(bex_session_save_history(NULL, memory), BEX_MISUSED, "NULL");
    refused(bex_session_load_history(NULL, memory), BEX_MISUSED, "NULL");
    assert_int_equal(bex_session_history_states(NULL), 0);
    bex_session_close(s);
    bex_policy_close(p);
}

static void wild_readings_leave_no_trace(void **state) {
    (void)state;
    static const float wild[] = {3.4e38F, -3.4e38F, 1e30F, 1e25F, 1e9F};
    enum { WILD = sizeof wild / sizeof *wild };
    bex_policy *p = open_policy(be);
    bex_session *s = open_session(p, 0), *fresh = open_session(p, 0);
    float x[TINY_O], a[TINY_K * TINY_A], y[STEPS * TINY_A], z[STEPS * TINY_A];
    for (int e = 0; e < 4; e++) {
        ok(bex_session_begin(s));
        for (int t = 0; t < STEPS; t++) {
            for (int i = 0; i < WILD; i++) {
                tiny_state(x, e, t);
                x[i % TINY_O] = wild[i];
                refused(bex_session_act(s, x, TINY_O, a, TINY_A), BEX_MISUSED, "no reading?");
                refused(bex_session_plan(s, x, TINY_O, a, TINY_K * TINY_A), BEX_MISUSED,
                        "standard deviations from the demonstrations");
            }
            tiny_state(x, e, t);
            ok(bex_session_act(s, x, TINY_O, y + t * TINY_A, TINY_A));
        }
        ok(bex_session_end(s));
        ok(play(fresh, e, z));
        assert_memory_equal(y, z, sizeof y);
    }
    assert_int_equal(bex_session_history_states(s), bex_session_history_states(fresh));
    bex_session_close(s), bex_session_close(fresh);
    bex_policy_close(p);
}

// whose fault: a network that gives no number is not its caller's
static void a_spoilt_network_is_the_worlds_fault(void **state) {
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s", scratch_path("api-spoilt.safetensors"));
    bex_policy *made = tiny_policy(NULL, 0, 4);
    const bex_param *w = bex_param_find(made->params, "token.state.weight");
    for (size_t i = 0; i < w->count; i++) bex_param_edit(w)[i] = i % 2 ? 3e38F : -3e38F;
    ok(bex_policy_save(made, path));
    bex_policy_free(made);
    bex_policy *p = open_policy(path);
    bex_session *s = open_session(p, 0); // at the mean all is well
    float x[TINY_O] = {5, -5, 5, -5}, a[TINY_K * TINY_A];
    ok(bex_session_begin(s));
    refused(bex_session_act(s, x, TINY_O, a, TINY_A), BEX_FAILED, "not finite");
    refused(bex_session_plan(s, x, TINY_O, a, TINY_K * TINY_A), BEX_FAILED, "not finite");
    bex_session_close(s);
    bex_policy_close(p);
    unlink(path);
}

// an action is never NaN with status 0: a range whose width is infinite is no range
static void ranges_that_overflow_are_refused(void **state) {
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s", scratch_path("api-range.safetensors"));
    bex_policy *made = tiny_policy(NULL, 0, 4), *p;
    made->normaliser.low[1] = -3e38F, made->normaliser.high[1] = 3e38F;
    ok(bex_policy_save(made, path));
    bex_policy_free(made);
    refused(bex_policy_open(&p, path), BEX_FAILED, "action dim 1: the range -3e+38 to 3e+38");
    unlink(path);
}

int main(void) {
    make_files();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening_goes_wrong),
        cmocka_unit_test(calling_goes_wrong),
        cmocka_unit_test(settings_by_name),
        cmocka_unit_test(settings_go_wrong),
        cmocka_unit_test(wild_readings_leave_no_trace),
        cmocka_unit_test(a_spoilt_network_is_the_worlds_fault),
        cmocka_unit_test(ranges_that_overflow_are_refused),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    remove_files();
    return code;
}
