/* A plan's settings: changed while acting, and what action noise touches. */
#include "policy/planner.h"

#include "kernel/random.h"
#include "policy/tiny_control.h"
#include "policy/tiny_policy.h"

#include <math.h>

enum { CHUNK = TINY_K * TINY_A };

static bex_control *make(const bex_policy *p, tiny_settings o) {
    bex_control *c = tiny_control(p, o);
    if (!c) fail_msg("%s", bex_error());
    return c;
}

static void ok(int code) {
    if (code < 0) fail_msg("%s", bex_error());
}

// candidates set while acting: from then on as a stream that was opened with them
static void candidates_can_be_set(void **state) {
    (void)state;
    static const char *const waypoints[] = {"model.waypoints=true", "coverage.future=20", NULL};
    bex_policy *p = tiny_policy(waypoints, 0, 3);
    tiny_settings o = TINY_SETTINGS;
    o.candidates = 6, o.commit = 4, o.act = 2;
    bex_control *a = make(p, o), *b = make(p, TINY_SETTINGS);
    for (int e = 0; e < 3; e++) {
        ok(bex_control_begin(a)), ok(bex_control_begin(b));
        for (int t = 0; t < 12; t++) {
            float s[TINY_O], x[TINY_A], y[TINY_A];
            tiny_state(s, e, t);
            if (e == 1 && t == 0) {
                ok(bex_control_set(b, "act", "2"));
                ok(bex_control_set(b, "commit", "4"));
                ok(bex_control_set(b, "candidates", "6"));
            }
            ok(bex_control_act(a, &(bex_observation){.state = s}, x));
            ok(bex_control_act(b, &(bex_observation){.state = s}, y));
            if (e > 0) assert_memory_equal(x, y, sizeof x);
        }
        ok(bex_control_end(a)), ok(bex_control_end(b));
    }
    bex_control_free(a), bex_control_free(b);
    bex_policy_free(p);
}

// noise goes to actions alone: a policy with waypoints draws as many numbers as one without
static void action_noise_spares_waypoints(void **state) {
    (void)state;
    static const char *const waypoints[] = {"model.waypoints=true", "coverage.future=20", NULL};
    bex_policy *p = tiny_policy(waypoints, 0, 3);
    tiny_settings o = TINY_SETTINGS;
    o.noise = 0.05;
    bex_control *quiet = make(p, TINY_SETTINGS), *noisy = make(p, o);
    float s[TINY_O], x[CHUNK], y[CHUNK];
    tiny_state(s, 0, 0);
    ok(bex_control_begin(quiet)), ok(bex_control_begin(noisy));
    ok(bex_control_plan(quiet, &(bex_observation){.state = s}, x)),
        ok(bex_control_plan(noisy, &(bex_observation){.state = s}, y));
    bex_rng rng = bex_rng_split(bex_rng_seed(0), "control", 0);
    rng = bex_rng_split(bex_rng_split(rng, "episode", 0), "plan", 0);
    float noise[TINY_K * (TINY_A + 2)];
    bex_random_normal(noise, TINY_K * (TINY_A + 2), &rng); // what the plan itself drew
    for (int i = 0; i < CHUNK; i++) {
        int a = i % TINY_A;
        float half = (p->normaliser.high[a] - p->normaliser.low[a]) / 2;
        float low = p->normaliser.low[a] + half;
        float want = (x[i] - low) / half + R(0.05 * bex_rng_normal(&rng));
        want = want < -1 ? -1 : want > 1 ? 1 : want;
        assert_true(fabsf((y[i] - low) / half - want) < 1e-5f);
    }
    bex_control_free(quiet), bex_control_free(noisy);
    bex_policy_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_can_be_set),
        cmocka_unit_test(action_noise_spares_waypoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
