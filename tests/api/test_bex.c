/* The public interface, through bex.h alone: contract, sessions, memory, latency, threads, and every
 * mistake a caller can make. tiny_policy.h only writes the model files. */
#include <bex/bex.h>

#include "api/sessions.h"
#include "base/file.h"
#include "nn/safetensors.h"

#include "malloc_count.h"

#include <math.h>
#include <pthread.h>

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

/* A sensor that reads nothing says FLT_MAX, or 1e30: refused, and all that follows is as if it had not
 * been. */
static void policies_open_from_memory(void **state) {
    (void)state;
    char *bytes;
    size_t size;
    ok(bex_file_read(&bytes, &size, be, 1 << 24));
    bex_policy *p = open_policy(be), *q;
    ok(bex_policy_open_memory(&q, bytes, size));
    memset(bytes, 0x5a, size); // not kept
    bex_session *a = open_session(p, 7), *b = open_session(q, 7);
    float x[STEPS * TINY_A], y[STEPS * TINY_A];
    for (int e = 0; e < 2; e++) {
        ok(play(a, e, x));
        ok(play(b, e, y));
        assert_memory_equal(x, y, sizeof x);
    }
    bex_session_close(a), bex_session_close(b);
    bex_policy_close(p), bex_policy_close(q);
    refused(bex_policy_open_memory(&q, bytes, size), BEX_FAILED, "policy in memory: header of");
    assert_null(q);
    refused(bex_policy_open_memory(&q, bytes, 0), BEX_FAILED, "policy in memory: truncated");
    refused(bex_policy_open_memory(&q, NULL, 0), BEX_MISUSED, "NULL");
    refused(bex_policy_open_memory(NULL, bytes, size), BEX_MISUSED, "NULL");
    free(bytes);
    // its messages name it as those of a file name the file
    ok(bex_file_read(&bytes, &size, memory, 1 << 24));
    refused(bex_policy_open_memory(&q, bytes, size), BEX_FAILED,
            "policy in memory: not a bex policy");
    free(bytes);
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
    bex_session *s = open_session(p, 9);
    float x[STEPS * TINY_A], y[STEPS * TINY_A], z[STEPS * TINY_A];
    for (int e = 0; e < 3; e++) ok(play(s, e, x));
    assert_int_equal(bex_session_history_states(s), 3 * STEPS);
    ok(bex_session_save_history(s, memory));
    ok(play(s, 3, x));
    bex_session_close(s);
    bex_policy_close(p);
    // another day
    p = open_policy(be);
    s = open_session(p, 9);
    ok(bex_session_load_history(s, memory));
    assert_int_equal(bex_session_history_states(s), 3 * STEPS);
    ok(play(s, 3, y)); // goes on as it would have: the random stream too
    assert_memory_equal(x, y, sizeof x);
    assert_int_equal(bex_session_history_states(s), 4 * STEPS);
    ok(bex_session_load_history(s, memory));
    ok(bex_session_set_seed(s, 9)); // episodes count from 0 again
    ok(play(s, 3, x));
    assert_memory_not_equal(x, y, sizeof x);
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
    make_files();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contract_tells_all),
        cmocka_unit_test(older_callers_work),
        cmocka_unit_test(defaults_are_a_session),
        cmocka_unit_test(mistakes_leave_no_trace),
        cmocka_unit_test(clones_have_no_history),
        cmocka_unit_test(memory_survives_a_restart),
        cmocka_unit_test(latency_is_counted),
        cmocka_unit_test(acting_allocates_nothing),
        cmocka_unit_test(threads_share_a_policy),
        cmocka_unit_test(version_is_three_numbers),
        cmocka_unit_test(a_learner_without_a_policy_is_refused),
        cmocka_unit_test(contracts_tell_the_kind),
        cmocka_unit_test(policies_open_from_memory),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    remove_files();
    return code;
}
