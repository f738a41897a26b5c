/* A host program with a decimal comma: what it opens and what its robot does are the same. */
#include <bex/bex.h>

#include "policy/tiny_policy.h"

#include "decimal_comma.h"

enum { STEPS = 9 };

static char be[600];

static void ok(int code) {
    if (code != BEX_OK) fail_msg("code %d: %s", code, bex_error_message());
}

// an episode of the policy asked for exp "q:0.95"
static void play(float actions[STEPS][TINY_A]) {
    bex_policy *p;
    bex_session *s;
    bex_session_options o = BEX_SESSION_OPTIONS_INIT;
    o.seed = 1, o.exp = "q:0.95";
    ok(bex_policy_open(&p, be));
    ok(bex_session_open(&s, p, &o));
    ok(bex_session_begin(s));
    for (int t = 0; t < STEPS; t++) {
        float state[TINY_O];
        tiny_state(state, 0, t);
        ok(bex_session_act(s, state, TINY_O, actions[t], TINY_A));
    }
    ok(bex_session_end(s));
    bex_session_close(s);
    bex_policy_close(p);
}

static void a_decimal_comma_changes_nothing(void **state) {
    (void)state;
    float plain[STEPS][TINY_A], german[STEPS][TINY_A];
    play(plain);
    if (!decimal_comma_begin()) {
        decimal_comma_end();
        skip();
    }
    play(german);
    decimal_comma_end();
    assert_memory_equal(plain, german, sizeof plain);
}

static void a_policy_written_there_reads_here(void **state) {
    (void)state;
    char path[600];
    float plain[STEPS][TINY_A], written[STEPS][TINY_A];
    play(plain);
    snprintf(path, sizeof path, "%s", scratch_path("german.safetensors"));
    if (!decimal_comma_begin()) {
        decimal_comma_end();
        skip();
    }
    tiny_policy_save(NULL, 0, 3, path);
    decimal_comma_end();
    char before[600];
    memcpy(before, be, sizeof be);
    memcpy(be, path, sizeof be);
    play(written);
    memcpy(be, before, sizeof be);
    assert_memory_equal(plain, written, sizeof plain);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decimal_comma_changes_nothing),
        cmocka_unit_test(a_policy_written_there_reads_here),
    };
    snprintf(be, sizeof be, "%s", scratch_path("be.safetensors"));
    tiny_policy_save(NULL, 0, 3, be);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(be);
    return failed;
}
