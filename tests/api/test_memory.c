/* Memory may run out at any allocation of any call of bex.h: each fails once, and each fails with all
 * after it. A call that fails says so, leaves nothing behind and can be tried again; what succeeds is
 * what it would have been.
 *
 *   test_api_memory          every allocation once; with all after it, one in seven
 *   test_api_memory all      both, every allocation: what `make torture` runs */
#include <bex/bex.h>

#include "policy/tiny_policy.h"

#include "base/file.h"
#include "malloc_count.h"

enum { STEPS = 6, EPISODES = 2, STEP = 7 };

static char model[600], history[600], rule[700];
static unsigned char *bytes;
static size_t size;
static bool exhaustive;

// what a whole life gave
typedef struct life {
    float actions[(EPISODES + 1) * STEPS * TINY_A + TINY_K * TINY_A];
    long long remembered;
    bool whole;     // it went on to its end
    int failures;   // calls that failed
    bool try_again; // go on with the same call after a failure
} life;

// one call: `code` negative is a failure that must be told, and tried again where that is meant to work
static bool went_well(life *l, const char *what, int code) {
    if (code == BEX_OK) return true;
    const char *why = bex_error_message();
    l->failures++;
    if (code == BEX_FAILED && strstr(why, "memory")) return false;
    malloc_fail(0, false);
    fail_msg("%s: code %d, message '%s'", what, code, why);
    return false; // not reached
}

#define TRY(call)                                                                                  \
    (went_well(l, #call, call) || (l->try_again && went_well(l, #call " again", call)))
#define ONCE(call) went_well(l, #call, call)

static bool play(life *l, bex_session *s, int e) {
    float state[TINY_O];
    if (!TRY(bex_session_begin(s))) return false;
    for (int t = 0; t < STEPS; t++) {
        tiny_state(state, e, t);
        float *action = l->actions + (e * STEPS + t) * TINY_A;
        if (!TRY(bex_session_act(s, state, TINY_O, action, TINY_A))) return false;
    }
    return ONCE(bex_session_end(s)); // an episode that could not be kept is gone
}

static bool first_day(life *l, const bex_policy *p, bool remembers) {
    bex_session *s = NULL;
    bex_session_options o = BEX_SESSION_OPTIONS_INIT;
    o.exp = "q:0.9", o.seed = 3, o.guidance = 2;
    bool good = TRY(bex_session_open(&s, p, &o));
    for (int e = 0; good && e < EPISODES; e++) good = play(l, s, e);
    if (good && remembers) good = TRY(bex_session_save_history(s, history));
    bex_session_close(s);
    return good;
}

static bool second_day(life *l, const bex_policy *p, bool remembers) {
    bex_session *s = NULL;
    bex_session_options o = BEX_SESSION_OPTIONS_INIT;
    bex_latency latency = {.size = sizeof latency};
    float state[TINY_O], *chunk = l->actions + (EPISODES + 1) * STEPS * TINY_A;
    o.history = remembers ? rule : NULL;
    bool good = TRY(bex_session_open(&s, p, &o));
    bex_session_close(s);
    s = NULL, o.history = NULL;
    good = good && TRY(bex_session_open(&s, p, &o));
    if (good && remembers) good = TRY(bex_session_load_history(s, history));
    good = good && play(l, s, EPISODES);
    if (good) l->remembered = bex_session_history_states(s);
    if (good && remembers) good = TRY(bex_session_clear_history(s));
    good = good && TRY(bex_session_set_exp(s, "z:1")) && TRY(bex_session_set_seed(s, 5));
    good = good && TRY(bex_session_begin(s));
    tiny_state(state, 0, 0);
    good = good && TRY(bex_session_plan(s, state, TINY_O, chunk, TINY_K * TINY_A));
    good = good && TRY(bex_session_latency(s, &latency));
    bex_session_close(s);
    return good;
}

static void live(life *l) {
    bex_policy *p = NULL, *q = NULL;
    bex_contract c = {.size = sizeof c};
    memset(l->actions, 0, sizeof l->actions);
    unlink(history);
    bool good = TRY(bex_policy_open(&p, model)) && TRY(bex_policy_open_memory(&q, bytes, size));
    good = good && TRY(bex_policy_contract(p, &c)) && first_day(l, p, c.history > 0);
    bex_policy_close(p); // the other one goes on
    good = good && second_day(l, q, c.history > 0);
    bex_policy_close(q);
    l->whole = good;
}

// one allocation of a life fails, or all from one on; whether it came to that
static bool lives_without(long nth, bool beyond, const life *reference) {
    life l = {.try_again = !beyond};
    long before = malloc_live();
    malloc_fail(nth, beyond);
    live(&l);
    bool failed = malloc_fail(0, false) > 0;
    if (malloc_live() != before)
        fail_msg("allocation %ld%s: %ld are left", nth, beyond ? " and beyond" : "",
                 malloc_live() - before);
    if (!failed && l.failures) fail_msg("allocation %ld was there and a call failed", nth);
    if (l.whole && (memcmp(l.actions, reference->actions, sizeof l.actions) != 0 ||
                    l.remembered != reference->remembered))
        fail_msg("allocation %ld failed and other actions came of it", nth);
    return failed;
}

static void lives(const char *const *settings, int tasks) {
    if (!malloc_counted()) skip();
    tiny_policy_save(settings, tasks, 5, model);
    char *text;
    if (bex_file_read(&text, &size, model, 1 << 24) < 0) fail_msg("%s", bex_error());
    bytes = (unsigned char *)text;
    life reference = {.whole = false};
    live(&reference); // what the C library keeps for itself is allocated here
    assert_true(reference.whole && reference.failures == 0);
    long n = 1;
    for (; lives_without(n, false, &reference); n++) {
    }
    for (long i = 1; i < n; i += exhaustive ? 1 : STEP) {
        bool failed = lives_without(i, true, &reference);
        assert_true(failed);
    }
    assert_true(n > 100); // the counting counts
    print_message("%ld allocations\n", n - 1);
    free(bytes);
    unlink(model), unlink(history);
}

static void a_be_policy(void **state) {
    (void)state;
    static const char *const settings[] = {"model.task=true", "model.mode=prefix", NULL};
    lives(settings, 3);
}

static void a_be_policy_that_chooses(void **state) {
    (void)state;
    static const char *const settings[] = {"model.mode=full", "model.waypoints=true",
                                           "deploy.candidates=3", NULL};
    lives(settings, 0);
}

static void a_policy_led_by_waypoints(void **state) {
    (void)state;
    static const char *const settings[] = {"model.waypoints=true",     "model.reach=0.5",
                                           "diffusion.predicts=chunk", "diffusion.lead=0.5",
                                           "deploy.candidates=3",      NULL};
    lives(settings, 0);
}

static void a_clone(void **state) {
    (void)state;
    static const char *const settings[] = {"model.agent=bc", NULL};
    lives(settings, 0);
}

int main(int argc, char **argv) {
    exhaustive = argc > 1 && !strcmp(argv[1], "all");
    snprintf(model, sizeof model, "%s", scratch_path("memory-model.safetensors"));
    // hundreds of histories are saved, each of them synced: where that costs nothing, if there is such
    // a place
    snprintf(history, sizeof history, "/dev/shm/bex-memory-history-%d.safetensors", (int)getpid());
    if (access("/dev/shm", W_OK) < 0)
        snprintf(history, sizeof history, "%s", scratch_path("memory-history.safetensors"));
    snprintf(rule, sizeof rule, "file:%s", history);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_be_policy),
        cmocka_unit_test(a_be_policy_that_chooses),
        cmocka_unit_test(a_policy_led_by_waypoints),
        cmocka_unit_test(a_clone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
