/* What a robot senses, as a struct: without pictures the same as a state, with pictures refused. */
#include <bex/bex.h>

#include "policy/tiny_policy.h"

#include <stddef.h>

enum { STEPS = 9 };

static char be[600];

static void ok(int code) {
    if (code != BEX_OK) fail_msg("code %d: %s", code, bex_error_message());
}

static void refused(int code, int expected, const char *part) {
    if (code != expected || !strstr(bex_error_message(), part))
        fail_msg("code %d, message '%s', not %d and '%s'", code, bex_error_message(), expected,
                 part);
}

static bex_policy *open_policy(void) {
    bex_policy *p;
    ok(bex_policy_open(&p, be));
    return p;
}

static bex_session *open_session(const bex_policy *p, uint64_t seed) {
    bex_session *s;
    bex_session_options o = BEX_SESSION_OPTIONS_INIT;
    o.seed = seed;
    ok(bex_session_open(&s, p, &o));
    return s;
}

// act_on without pictures is act; what a policy without cameras cannot see is refused and changes nothing
static void sensors_without_pictures_are_a_state(void **state) {
    (void)state;
    bex_policy *p = open_policy();
    bex_session *s = open_session(p, 3), *t = open_session(p, 3);
    float x[TINY_O], u[TINY_A], v[TINY_A];
    unsigned char pixel[3] = {0};
    bex_sensors in = {.size = sizeof in, .state = x, .n_state = TINY_O}, bad;
    ok(bex_session_begin(s)), ok(bex_session_begin(t));
    for (int step = 0; step < STEPS; step++) {
        tiny_state(x, 0, step);
        bad = in, bad.image[2] = pixel;
        refused(bex_session_act_on(t, &bad, v, TINY_A), BEX_MISUSED, "a picture of camera 2");
        bad = in, bad.cameras = 1, bad.image[0] = pixel, bad.height = bad.width = 1;
        refused(bex_session_act_on(t, &bad, v, TINY_A), BEX_MISUSED,
                "the sensors have 1 cameras, the policy expects none");
        ok(bex_session_act(s, x, TINY_O, u, TINY_A));
        if (step % 2) in.size = offsetof(bex_sensors, cameras); // an older header
        ok(bex_session_act_on(t, &in, v, TINY_A));
        in.size = sizeof in;
        assert_memory_equal(u, v, sizeof u);
    }
    refused(bex_session_act_on(NULL, &in, v, TINY_A), BEX_MISUSED, "NULL");
    refused(bex_session_act_on(t, NULL, v, TINY_A), BEX_MISUSED, "NULL");
    bad = in, bad.size = 0;
    refused(bex_session_act_on(t, &bad, v, TINY_A), BEX_MISUSED, "size is not set");
    bad = in, bad.state = NULL;
    refused(bex_session_act_on(t, &bad, v, TINY_A), BEX_MISUSED, "NULL");
    bad = in, bad.n_state = 3;
    refused(bex_session_act_on(t, &bad, v, TINY_A), BEX_MISUSED, "the state has 3 values");
    bex_session_close(s);
    bex_session_close(t);
    bex_policy_close(p);
}

int main(void) {
    snprintf(be, sizeof be, "%s", scratch_path("sensors.safetensors"));
    tiny_policy_save(NULL, 0, 1, be);
    const struct CMUnitTest tests[] = {cmocka_unit_test(sensors_without_pictures_are_a_state)};
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(be);
    return code;
}
