/* The public interface, through bex.h alone: contract, sessions, memory, latency, threads, and every
 * mistake a caller can make. tiny_policy.h only writes the model files. */
#include <bex/bex.h>

#include "nn/safetensors.h"
#include "policy/tiny_policy.h"

#include "malloc_count.h"

#include <math.h>
#include <pthread.h>

enum { STEPS = 9 };

static char be[600], bc[600], memory[600];

static void ok(int code) {
    if (code != BEX_OK) fail_msg("code %d: %s", code, bex_error_message());
}

static void refused(int code, int expected, const char *part) {
    if (code != expected || !strstr(bex_error_message(), part))
        fail_msg("code %d, message '%s', not %d and '%s'", code, bex_error_message(), expected,
                 part);
}

static bex_policy *open_policy(const char *path) {
    bex_policy *p;
    ok(bex_policy_open(&p, path));
    return p;
}

static bex_session *open_session(const bex_policy *p, uint64_t seed) {
    bex_session *s;
    bex_session_options o = BEX_SESSION_OPTIONS_INIT;
    o.seed = seed;
    ok(bex_session_open(&s, p, &o));
    return s;
}

// quiet enough for a thread: a negative code instead of a failed assertion
static int play(bex_session *s, int e, float *actions) {
    if (bex_session_begin(s) < 0) return -1;
    for (int t = 0; t < STEPS; t++) {
        float state[TINY_O];
        tiny_state(state, e, t);
        if (bex_session_act(s, state, TINY_O, actions + t * TINY_A, TINY_A) < 0) return -1;
    }
    return bex_session_end(s);
}

static void contract_tells_all(void **state) {
    (void)state;
    bex_policy *p = open_policy(be);
    bex_contract c = {.size = sizeof c};
    ok(bex_policy_contract(p, &c));
    assert_int_equal(c.state, TINY_O);
    assert_int_equal(c.action, TINY_A);
    assert_int_equal(c.chunk, TINY_K);
    assert_int_equal(c.history, TINY_H);
    assert_true(!c.cameras && !c.image_height && !c.image_width);
    assert_int_equal(c.tasks, 3);
    assert_int_equal(c.scenes, 0);
    assert_true(c.has_coverage && c.parameters > 1000);
    assert_string_equal(c.agent, "be");
    assert_string_equal(c.exp, "q:0.95");
    assert_string_equal(c.history_rule, "uniform");
    assert_int_equal(c.act, TINY_K);
    assert_int_equal(c.denoising_steps, 4);
    assert_true(c.guidance == 1 && c.noise == 0 && c.temperature == 1);
    for (int i = 0; i < TINY_O; i++) assert_true(isfinite(c.state_mean[i]) && c.state_std[i] > 0);
    for (int i = 0; i < TINY_A; i++) assert_true(c.action_low[i] < c.action_high[i]);
    bex_policy_close(p);
    p = open_policy(bc);
    ok(bex_policy_contract(p, &c));
    assert_string_equal(c.agent, "bc");
    assert_int_equal(c.history, 0);
    assert_false(c.has_coverage);
    bex_policy_close(p);
}

// a caller compiled against an older header knows fewer members
static void older_callers_work(void **state) {
    (void)state;
    bex_policy *p = open_policy(be);
    bex_contract c;
    memset(&c, 0x5a, sizeof c);
    c.size = offsetof(bex_contract, state_mean);
    ok(bex_policy_contract(p, &c));
    assert_int_equal(c.chunk, TINY_K);
    assert_int_equal(c.size, offsetof(bex_contract, state_mean));
    unsigned char untouched[sizeof c.state_mean];
    memset(untouched, 0x5a, sizeof untouched);
    assert_memory_equal(&c.state_mean, untouched, sizeof untouched);
    // a session without the members after exp
    struct {
        size_t size;
        const char *exp;
        unsigned char rest[sizeof(bex_session_options)];
    } old = {.size = offsetof(bex_session_options, history), .exp = "q:0.5"};
    memset(old.rest, 0x5a, sizeof old.rest);
    bex_session_options now = BEX_SESSION_OPTIONS_INIT;
    now.exp = "q:0.5";
    bex_session *a, *b;
    float x[STEPS * TINY_A], y[STEPS * TINY_A];
    ok(bex_session_open(&a, p, (const bex_session_options *)(const void *)&old));
    ok(bex_session_open(&b, p, &now));
    ok(play(a, 0, x));
    ok(play(b, 0, y));
    assert_memory_equal(x, y, sizeof x);
    bex_latency l;
    memset(&l, 0x5a, sizeof l);
    l.size = offsetof(bex_latency, p50);
    ok(bex_session_latency(a, &l));
    assert_int_equal(l.calls, STEPS);
    assert_memory_equal(&l.p50, untouched, sizeof l.p50);
    bex_session_close(a), bex_session_close(b);
    // a newer caller knows more; a forgotten size is a mistake
    struct {
        bex_contract known;
        double more;
    } newer = {.known.size = sizeof newer, .more = 7};
    ok(bex_policy_contract(p, &newer.known));
    assert_true(newer.more == 7);
    c.size = 0;
    refused(bex_policy_contract(p, &c), BEX_MISUSED, "size");
    now.size = 0;
    refused(bex_session_open(&a, p, &now), BEX_MISUSED, "size");
    now.size = (size_t)-1;
    refused(bex_session_open(&a, p, &now), BEX_MISUSED, "size");
    assert_null(a);
    bex_policy_close(p);
}

static void defaults_are_a_session(void **state) {
    (void)state;
    bex_policy *p = open_policy(be);
    bex_session *a, *b = open_session(p, 0);
    float x[STEPS * TINY_A], y[STEPS * TINY_A];
    ok(bex_session_open(&a, p, NULL));
    ok(play(a, 0, x));
    ok(play(b, 0, y));
    assert_memory_equal(x, y, sizeof x);
    ok(bex_session_set_exp(a, "z:-2"));
    ok(bex_session_set_task(a, 2, 0));
    ok(bex_session_set_seed(a, 3));
    ok(play(a, 0, x));
    ok(play(b, 0, y));
    assert_true(memcmp(x, y, sizeof x) != 0);
    float chunk[TINY_K * TINY_A], s[TINY_O];
    tiny_state(s, 0, 0);
    bex_session_close(a);
    a = open_session(p, 0);
    bex_session_close(b);
    b = open_session(p, 0);
    ok(bex_session_begin(a));
    ok(bex_session_plan(a, s, TINY_O, chunk, TINY_K * TINY_A));
    ok(play(b, 0, y));
    assert_memory_equal(chunk, y, sizeof chunk);
    bex_session_close(a), bex_session_close(b);
    bex_policy_close(p);
}

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
    refused(bex_session_latency(s, NULL), BEX_MISUSED, "NULL");
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

static void mistakes_leave_no_trace(void **state) {
    (void)state;
    bex_policy *p = open_policy(be);
    bex_session *s = open_session(p, 0), *fresh = open_session(p, 0);
    float x[TINY_O] = {0, NAN}, a[TINY_A], y[STEPS * TINY_A], z[STEPS * TINY_A];
    ok(bex_session_begin(s));
    refused(bex_session_act(s, x, TINY_O, a, TINY_A), BEX_MISUSED, "observation 1");
    for (int t = 0; t < STEPS; t++) {
        tiny_state(x, 0, t);
        ok(bex_session_act(s, x, TINY_O, y + t * TINY_A, TINY_A));
    }
    ok(play(fresh, 0, z));
    assert_memory_equal(y, z, sizeof y);
    bex_session_close(s), bex_session_close(fresh);
    bex_policy_close(p);
}

static void clones_have_no_history(void **state) {
    (void)state;
    bex_policy *p = open_policy(bc);
    bex_session *s = open_session(p, 0);
    float y[STEPS * TINY_A];
    refused(bex_session_save_history(s, memory), BEX_MISUSED, "no history");
    refused(bex_session_clear_history(s), BEX_MISUSED, "no history");
    assert_int_equal(bex_session_history_states(s), 0);
    ok(play(s, 0, y));
    bex_session_close(s);
    bex_policy_close(p);
}

static void memory_survives_a_restart(void **state) {
    (void)state;
    bex_policy *p = open_policy(be);
    bex_session *s = open_session(p, 1);
    float x[STEPS * TINY_A], y[STEPS * TINY_A], z[STEPS * TINY_A];
    for (int e = 0; e < 3; e++) ok(play(s, e, x));
    assert_int_equal(bex_session_history_states(s), 3 * STEPS);
    ok(bex_session_save_history(s, memory));
    ok(bex_session_set_seed(s, 9)); // episodes count from 0 again, as after a restart
    ok(play(s, 3, x));
    bex_session_close(s);
    bex_policy_close(p);
    // another day
    p = open_policy(be);
    s = open_session(p, 9);
    ok(bex_session_load_history(s, memory));
    assert_int_equal(bex_session_history_states(s), 3 * STEPS);
    ok(play(s, 3, y));
    assert_memory_equal(x, y, sizeof x);
    assert_int_equal(bex_session_history_states(s), 4 * STEPS);
    ok(bex_session_clear_history(s));
    assert_int_equal(bex_session_history_states(s), 0);
    bex_session_close(s);
    // the same memory as a rule, to which nothing is added
    char rule[700];
    snprintf(rule, sizeof rule, "file:%s", memory);
    bex_session_options o = BEX_SESSION_OPTIONS_INIT;
    o.seed = 9, o.history = rule;
    ok(bex_session_open(&s, p, &o));
    ok(play(s, 3, z));
    assert_memory_equal(x, z, sizeof x);
    assert_int_equal(bex_session_history_states(s), 3 * STEPS);
    bex_session_close(s);
    bex_policy_close(p);
}

static void latency_is_counted(void **state) {
    (void)state;
    bex_policy *p = open_policy(be);
    bex_session *s;
    bex_session_options o = BEX_SESSION_OPTIONS_INIT;
    bex_latency l = {.size = sizeof l};
    float x[STEPS * TINY_A], chunk[TINY_K * TINY_A], at[TINY_O];
    o.deadline = 1e-12; // nobody is that fast
    ok(bex_session_open(&s, p, &o));
    ok(bex_session_latency(s, &l));
    assert_true(l.calls == 0 && l.plans == 0 && l.missed == 0 && l.p50 == 0 && l.max == 0);
    for (int e = 0; e < 2; e++) ok(play(s, e, x));
    ok(bex_session_latency(s, &l));
    assert_int_equal(l.calls, 2 * STEPS);
    assert_int_equal(l.plans, 2 * ((STEPS + TINY_K - 1) / TINY_K));
    assert_int_equal(l.missed, 2 * STEPS);
    assert_true(l.p50 > 0 && l.p50 <= l.p99 && l.p99 <= l.max * (1 + 1e-6) && l.max < 600);
    tiny_state(at, 0, 0);
    ok(bex_session_begin(s));
    ok(bex_session_plan(s, at, TINY_O, chunk, TINY_K * TINY_A));
    ok(bex_session_latency(s, &l));
    assert_int_equal(l.calls, 2 * STEPS + 1);
    assert_int_equal(l.missed, 2 * STEPS + 1);
    // a call that failed was none
    at[0] = NAN;
    assert_true(bex_session_act(s, at, TINY_O, x, TINY_A) < 0);
    ok(bex_session_latency(s, &l));
    assert_int_equal(l.calls, 2 * STEPS + 1);
    bex_session_close(s);
    o.deadline = 3600;
    ok(bex_session_open(&s, p, &o));
    ok(play(s, 0, x));
    ok(bex_session_latency(s, &l));
    assert_int_equal(l.missed, 0);
    l.size = 0;
    refused(bex_session_latency(s, &l), BEX_MISUSED, "size");
    bex_session_close(s);
    bex_policy_close(p);
}

static void acting_allocates_nothing(void **state) {
    (void)state;
    if (!malloc_counted()) skip();
    bex_policy *p = open_policy(be);
    bex_session *s = open_session(p, 0);
    float x[STEPS * TINY_A], at[TINY_O], chunk[TINY_K * TINY_A];
    ok(play(s, 0, x));
    long before = malloc_calls();
    ok(bex_session_begin(s));
    for (int t = 0; t < 100; t++) {
        tiny_state(at, 1, t);
        ok(bex_session_act(s, at, TINY_O, x, TINY_A));
    }
    ok(bex_session_plan(s, at, TINY_O, chunk, TINY_K * TINY_A));
    assert_int_equal(malloc_calls(), before);
    bex_session_close(s);
    bex_policy_close(p);
}

// ---- threads ----

enum { THREADS = 3, EPISODES = 4 };

typedef struct stream {
    const bex_policy *policy;
    uint64_t seed;
    int code;
    float x[EPISODES][STEPS * TINY_A];
} stream;

static void *run_stream(void *payload) {
    stream *w = payload;
    bex_session *s;
    bex_session_options o = BEX_SESSION_OPTIONS_INIT;
    o.seed = w->seed, o.guidance = 2;
    w->code = bex_session_open(&s, w->policy, &o);
    for (int e = 0; e < EPISODES && w->code == BEX_OK; e++) w->code = play(s, e, w->x[e]);
    // a message of this thread's own
    if (bex_session_act(s, NULL, 0, NULL, 0) != BEX_MISUSED) w->code = -9;
    bex_session_close(s);
    return NULL;
}

static void threads_share_a_policy(void **state) {
    (void)state;
    static stream alone[THREADS], together[THREADS];
    pthread_t thread[THREADS];
    bex_policy *p = open_policy(be);
    for (int i = 0; i < THREADS; i++) {
        alone[i] = together[i] = (stream){.policy = p, .seed = (uint64_t)i};
        run_stream(&alone[i]);
        ok(alone[i].code);
    }
    assert_int_equal(bex_policy_open(NULL, NULL), BEX_MISUSED); // a message here
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_stream, &together[i]), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    assert_non_null(strstr(bex_error_message(), "out is NULL")); // is still here
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(together[i].code, BEX_OK);
        assert_memory_equal(alone[i].x, together[i].x, sizeof alone[i].x);
    }
    assert_true(memcmp(alone[0].x, alone[1].x, sizeof alone[0].x) != 0);
    bex_policy_close(p);
}

// the metadata of a model file rewritten: [model] says who learned it, as files of before did
static void rewrite_agent(const char *from, const char *to, const char *agent) {
    bex_st_file *f = bex_st_load(from);
    bex_st_writer *w = bex_st_writer_new();
    static const char *const keys[] = {"format", "observation", "action", "tasks", "scenes"};
    char config[64];
    assert_non_null(f);
    snprintf(config, sizeof config, "[model]\nagent = %s\n", agent);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        bex_st_add_metadata(w, keys[i], bex_st_metadata(f, keys[i]));
    bex_st_add_metadata(w, "config", config);
    for (int i = 0; i < bex_st_count(f); i++) {
        const bex_st_tensor *t = bex_st_at(f, i);
        bex_st_add(w, t->name, t->dtype, t->rank, t->dim, t->data);
    }
    assert_int_equal(bex_st_save(w, to), 0);
    bex_st_writer_free(w);
    bex_st_free(f);
}

// it was opened, and its contract's agent was a wild pointer
static void a_learner_without_a_policy_is_refused(void **state) {
    (void)state;
    char path[600];
    bex_policy *p = (bex_policy *)(uintptr_t)1;
    snprintf(path, sizeof path, "%s", scratch_path("api-sac.safetensors"));
    rewrite_agent(bc, path, "sac");
    refused(bex_policy_open(&p, path), BEX_FAILED,
            "agent 'sac' has learned no policy of this kind");
    assert_null(p);
    unlink(path);
}

static void contracts_tell_the_kind(void **state) {
    (void)state;
    static const char *const history[] = {"model.coverage=false", NULL};
    char path[600];
    snprintf(path, sizeof path, "%s", scratch_path("api-history-only.safetensors"));
    tiny_policy_save(history, 0, 2, path);
    const char *const files[][2] = {{be, "be"}, {bc, "bc"}, {path, "bc-history"}};
    for (int i = 0; i < 3; i++) {
        bex_policy *p = open_policy(files[i][0]);
        bex_contract c = {.size = sizeof c};
        ok(bex_policy_contract(p, &c));
        assert_string_equal(c.agent, files[i][1]);
        bex_policy_close(p);
    }
    unlink(path);
}

static void version_is_three_numbers(void **state) {
    (void)state;
    int a, b, c;
    char end;
    assert_int_equal(sscanf(bex_version(), "%d.%d.%d%c", &a, &b, &c, &end), 3);
}

int main(void) {
    static const char *const task[] = {"model.task=true", NULL};
    static const char *const clone[] = {"model.agent=bc", NULL};
    snprintf(be, sizeof be, "%s", scratch_path("api-be.safetensors"));
    snprintf(bc, sizeof bc, "%s", scratch_path("api-bc.safetensors"));
    snprintf(memory, sizeof memory, "%s", scratch_path("api-history.safetensors"));
    tiny_policy_save(task, 3, 1, be);
    tiny_policy_save(clone, 0, 2, bc);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contract_tells_all),
        cmocka_unit_test(older_callers_work),
        cmocka_unit_test(defaults_are_a_session),
        cmocka_unit_test(opening_goes_wrong),
        cmocka_unit_test(calling_goes_wrong),
        cmocka_unit_test(settings_by_name),
        cmocka_unit_test(settings_go_wrong),
        cmocka_unit_test(mistakes_leave_no_trace),
        cmocka_unit_test(clones_have_no_history),
        cmocka_unit_test(memory_survives_a_restart),
        cmocka_unit_test(latency_is_counted),
        cmocka_unit_test(acting_allocates_nothing),
        cmocka_unit_test(threads_share_a_policy),
        cmocka_unit_test(version_is_three_numbers),
        cmocka_unit_test(a_learner_without_a_policy_is_refused),
        cmocka_unit_test(contracts_tell_the_kind),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(be), unlink(bc), unlink(memory);
    return code;
}
