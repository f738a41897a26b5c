/* A plan's settings: changed while acting, and what action noise touches. */
#include "policy/planner.h"

#include "kernel/random.h"
#include "policy/tiny_control.h"
#include "policy/tiny_policy.h"

#include <math.h>
#include <unistd.h>

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

static const char *const follower[] = {
    "model.waypoints=true",     "model.reach=1",           "coverage.future=20",
    "diffusion.predicts=chunk", "coverage.normalise=rank", "follower.width=8",
    "follower.heads=2",         "follower.blocks=1",       NULL};

// plays an episode of 12 steps, asking for another coverage from `change` on; actions (12,TINY_A)
static void play(bex_control *c, int change, float *actions) {
    ok(bex_control_begin(c));
    for (int t = 0; t < 12; t++) {
        float s[TINY_O];
        tiny_state(s, 0, t);
        if (t == change) ok(bex_control_set(c, "exp", "q:0"));
        ok(bex_control_act(c, &(bex_observation){.state = s}, actions + t * TINY_A));
    }
    ok(bex_control_end(c));
}

// how many of the first steps two players act alike
static int alike(const bex_policy *p, tiny_settings o, int change) {
    float a[12 * TINY_A], b[12 * TINY_A];
    bex_control *as_asked = make(p, o), *changed = make(p, o);
    ok(bex_control_set(as_asked, "exp", "q:1")), ok(bex_control_set(changed, "exp", "q:1"));
    play(as_asked, 99, a), play(changed, change, b);
    bex_control_free(as_asked), bex_control_free(changed);
    int t = 0;
    while (t < 12 && !memcmp(a + t * TINY_A, b + t * TINY_A, TINY_A * sizeof *a)) t++;
    return t;
}

// where to go is decided anew only when the commitment ends, with one candidate too: the follower does
// not see the
// coverage
static void a_follower_keeps_the_route(void **state) {
    (void)state;
    bex_policy *p = tiny_policy(follower, 0, 3);
    for (int candidates = 1; candidates <= 4; candidates += 3) {
        tiny_settings o = TINY_SETTINGS;
        o.candidates = candidates, o.act = 2;
        assert_in_range(alike(p, o, 2), 2,
                        3); // every plan proposes; a first action may be at its limit
        o.commit = 8;
        assert_in_range(alike(p, o, 2), 8, 9);
        assert_int_equal(alike(p, o, 99), 12);
    }
    bex_policy_free(p);
}

static void a_follower_is_saved_and_loaded(void **state) {
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "follower-%d.safetensors", (int)getpid());
    bex_policy *p = tiny_policy(follower, 0, 3);
    tiny_policy_save(follower, 0, 3, path);
    bex_policy *q = bex_policy_load(path);
    if (!q) fail_msg("%s", bex_error());
    assert_non_null(bex_param_find(q->params, "follower.token.state.weight"));
    assert_null(bex_param_find(q->params, "follower.token.history.weight"));
    assert_int_equal(q->dit.o.columns, 2);
    assert_int_equal(q->follower.o.columns, TINY_A + 2);
    float x[12 * TINY_A], y[12 * TINY_A];
    bex_control *a = make(p, TINY_SETTINGS), *b = make(q, TINY_SETTINGS);
    play(a, 99, x), play(b, 99, y);
    assert_memory_equal(x, y, sizeof x);
    assert_int_equal(bex_control_set(a, "exp", "raw:0.1"), 0);
    float s[TINY_O];
    tiny_state(s, 1, 0);
    ok(bex_control_begin(a));
    assert_int_equal(bex_control_act(a, &(bex_observation){.state = s}, x), -1);
    assert_message("exp raw:0.1: this policy ranks futures");
    bex_control_free(a), bex_control_free(b);
    bex_policy_free(p), bex_policy_free(q);
    remove(path);
}

/* ---- a search under a deadline, by a clock that counts how often it is read ---- */

static double wound;

static double wind(void) {
    return wound++;
}

static const char *const router[] = {
    "model.waypoints=true",         "model.reach=2",        "diffusion.predicts=chunk",
    "diffusion.show_waypoints=0.5", "deploy.candidates=40", "deploy.commit=30",
    "deploy.action_steps=1",        "coverage.future=20",   NULL};

enum { SEARCH_STEPS = 28, SEARCH_DEADLINE = 8 };

// an episode's search: how often a better future took the place of the one followed
static int search(bex_control *c, int e) {
    int replaced = 0, made = 0;
    int64_t followed = -1;
    double distance = INFINITY;
    ok(bex_control_begin(c));
    for (int t = 0; t < SEARCH_STEPS; t++) {
        float s[TINY_O], a[TINY_A];
        tiny_state(s, e, t);
        double before = wound;
        ok(bex_control_act(c, &(bex_observation){.state = s}, a));
        // three quarters of the deadline are planned with; a portion, three readings, that began then ends
        assert_true(wound - before <= 0.75 * SEARCH_DEADLINE + 3);
        const bex_plan_report *r = bex_control_report(c);
        assert_int_equal(r->wanted, 40);
        if (made < 40)
            assert_true(r->made > made); // every plan goes on
        else
            assert_int_equal(r->made, 40); // and none once all were made
        assert_in_range(r->made, 1, t == 0 ? 39 : 40);
        // the best so far: a future takes the place of another only if it is nearer to what is asked for
        double now = fabs(r->expected - r->asked);
        assert_true(now <= distance);
        assert_int_equal(now < distance, r->step != followed);
        if (r->step != followed) assert_int_equal(r->step, t);
        replaced += t > 0 && r->step != followed;
        made = r->made, followed = r->step, distance = now;
    }
    assert_int_equal(made, 40);
    ok(bex_control_end(c));
    return replaced;
}

static void a_search_goes_on_over_plans(void **state) {
    (void)state;
    bex_policy *p = tiny_policy(router, 0, 3);
    bex_control *c = make(p, TINY_SETTINGS);
    int replaced = 0;
    bex_control_set_deadline(c, SEARCH_DEADLINE);
    bex_control_set_clock(c, wind);
    for (int e = 0; e < 8; e++) replaced += search(c, e);
    assert_true(replaced > 0);
    // another planner, for other settings, goes by the same clock
    ok(bex_control_set(c, "candidates", "20"));
    ok(bex_control_set(c, "candidates", "40"));
    search(c, 8);
    bex_control_free(c);
    bex_policy_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_follower_keeps_the_route),
        cmocka_unit_test(a_follower_is_saved_and_loaded),
        cmocka_unit_test(a_search_goes_on_over_plans),
        cmocka_unit_test(candidates_can_be_set),
        cmocka_unit_test(action_noise_spares_waypoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
