/* tests/api/sessions.h - model files of tiny policies and sessions of them, through bex.h alone. */
#ifndef BEX_TESTS_API_SESSIONS_H
#define BEX_TESTS_API_SESSIONS_H

#include <bex/bex.h>

#include "policy/tiny_policy.h"

enum { STEPS = 9 };

static char be[600], bc[600], memory[600];

static inline void ok(int code) {
    if (code != BEX_OK) fail_msg("code %d: %s", code, bex_error_message());
}

static inline void refused(int code, int expected, const char *part) {
    if (code != expected || !strstr(bex_error_message(), part))
        fail_msg("code %d, message '%s', not %d and '%s'", code, bex_error_message(), expected,
                 part);
}

static inline bex_policy *open_policy(const char *path) {
    bex_policy *p;
    ok(bex_policy_open(&p, path));
    return p;
}

static inline bex_session *open_session(const bex_policy *p, uint64_t seed) {
    bex_session *s;
    bex_session_options o = BEX_SESSION_OPTIONS_INIT;
    o.seed = seed;
    ok(bex_session_open(&s, p, &o));
    return s;
}

// quiet enough for a thread: a negative code instead of a failed assertion
static inline int play(bex_session *s, int e, float *actions) {
    if (bex_session_begin(s) < 0) return -1;
    for (int t = 0; t < STEPS; t++) {
        float state[TINY_O];
        tiny_state(state, e, t);
        if (bex_session_act(s, state, TINY_O, actions + t * TINY_A, TINY_A) < 0) return -1;
    }
    return bex_session_end(s);
}

static inline void make_files(void) {
    static const char *const task[] = {"model.task=true", NULL};
    static const char *const clone[] = {"model.agent=bc", NULL};
    snprintf(be, sizeof be, "%s", scratch_path("api-be.safetensors"));
    snprintf(bc, sizeof bc, "%s", scratch_path("api-bc.safetensors"));
    snprintf(memory, sizeof memory, "%s", scratch_path("api-history.safetensors"));
    tiny_policy_save(task, 3, 1, be);
    tiny_policy_save(clone, 0, 2, bc);
}

static inline void remove_files(void) {
    unlink(be), unlink(bc), unlink(memory);
}

#endif
