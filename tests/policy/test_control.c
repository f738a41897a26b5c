/* One control stream: what its actions depend on, what they do not, and what it refuses. */
#include "nn/ops.h"
#include "policy/control.h"

#include "policy/sampler.h"
#include "policy/tiny_control.h"
#include "policy/tiny_policy.h"

#include "malloc_count.h"

#include <math.h>

enum { STEPS = 10, CHUNK = TINY_K * TINY_A };

static bex_control *make(const bex_policy *p, tiny_settings o) {
    bex_control *c = tiny_control(p, o);
    if (!c) fail_msg("%s", bex_error());
    return c;
}

static void ok(int code) {
    if (code < 0) fail_msg("%s", bex_error());
}

static bool same(const float *a, const float *b, int n) {
    return !memcmp(a, b, (size_t)n * sizeof *a);
}

// STEPS actions of episode e, begun and ended
static void episode(bex_control *c, int e, float *actions) {
    ok(bex_control_begin(c));
    for (int t = 0; t < STEPS; t++) {
        float s[TINY_O];
        tiny_state(s, e, t);
        ok(bex_control_act(c, &(bex_observation){.state = s}, actions + t * TINY_A));
    }
    ok(bex_control_end(c));
}

static void first_chunk(bex_control *c, float *chunk) {
    float s[TINY_O];
    tiny_state(s, 0, 0);
    ok(bex_control_begin(c));
    ok(bex_control_plan(c, &(bex_observation){.state = s}, chunk));
}

static void first_chunk_with(const bex_policy *p, tiny_settings o, float *chunk) {
    bex_control *c = make(p, o);
    first_chunk(c, chunk);
    bex_control_free(c);
}

static void seeds_decide(void **state) {
    (void)state;
    static const char *const kinds[][3] = {{NULL},
                                           {"model.mode=full", NULL},
                                           {"model.agent=bc", NULL},
                                           {"model.agent=bc-history", NULL},
                                           {"deploy.noise=0.1", NULL}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        bex_policy *p = tiny_policy(kinds[k], 0, 1);
        tiny_settings o = TINY_SETTINGS;
        float x[2][STEPS * TINY_A], y[2][STEPS * TINY_A], z[STEPS * TINY_A];
        o.seed = 5;
        bex_control *a = make(p, o), *b = make(p, o);
        o.seed = 6;
        bex_control *other = make(p, o);
        for (int e = 0; e < 2; e++) episode(a, e, x[e]);
        for (int e = 0; e < 2; e++) episode(b, e, y[e]);
        episode(other, 0, z);
        assert_memory_equal(x, y, sizeof x);
        assert_false(same(x[0], z, STEPS * TINY_A));
        // set_seed counts from 0 again; without history the second episode is then the first
        ok(bex_control_set_seed(other, 5));
        if (bex_control_memory(other)) bex_memory_clear(bex_control_memory(other));
        episode(other, 0, z);
        assert_memory_equal(x[0], z, sizeof z);
        bex_control_free(a), bex_control_free(b), bex_control_free(other);
        bex_policy_free(p);
    }
}

static void actions_are_within_the_demonstrations(void **state) {
    (void)state;
    bex_policy *p = tiny_policy(NULL, 0, 1);
    tiny_settings o = TINY_SETTINGS;
    float x[STEPS * TINY_A];
    o.noise = 5;
    bex_control *c = make(p, o);
    episode(c, 0, x);
    for (int i = 0; i < STEPS * TINY_A; i++) {
        assert_true(x[i] >= p->normaliser.low[i % TINY_A]);
        assert_true(x[i] <= p->normaliser.high[i % TINY_A]);
    }
    bex_control_free(c);
    bex_policy_free(p);
}

// what a control stream must give: everything encoded at once, no cache, straight from the model's functions
static void reference(const bex_policy *p, const float *s, const float *history, const float *noise,
                      double target, double guidance, float *chunk) {
    bex_arena *arena = bex_arena_new();
    bex_tape tape;
    float state[TINY_O], seen[TINY_H * TINY_O], x[CHUNK], coverage = (float)target, time = 0;
    const unsigned char hide = 1;
    bex_tensor *pooled[BEX_ENCODER_BLOCKS], *null[BEX_ENCODER_BLOCKS];
    bex_tape_init(&tape, arena);
    bex_normalise_states(&p->normaliser, state, s, 1);
    bex_normalise_states(&p->normaliser, seen, history, TINY_H);
    bex_dit_input in = {
        .B = 1, .G = 1, .state = state, .coverage = &coverage, .history = seen, .timestep = &time};
    bex_dit_encode(&tape, &p->dit, &in, pooled);
    in.hidden = &hide;
    bex_dit_encode(&tape, &p->dit, &in, null);
    memcpy(x, noise, sizeof x);
    bex_sampler sampler = {&p->schedule, (int)p->config.deploy.denoising_steps, guidance, NULL, 0};
    bex_sample(&tape, &p->dit, &sampler, x, 1, pooled, null);
    bex_denormalise_actions(&p->normaliser, chunk, x, TINY_K);
    bex_arena_free(arena);
}

static void caches_change_nothing(void **state) {
    (void)state;
    static const char *const modes[][3] = {{"model.timestep=true", NULL},
                                           {"model.mode=full", "model.pool=query", NULL},
                                           {"model.mode=full", NULL}};
    for (size_t m = 0; m < 3; m++) {
        bex_policy *p = tiny_policy(modes[m], 0, 2);
        for (int w = 0; w < 3; w++) {
            static const double guidance[] = {0, 1, 2.5};
            tiny_settings o = TINY_SETTINGS;
            float s[TINY_O], history[TINY_H * TINY_O], noise[CHUNK], got[CHUNK], want[CHUNK];
            bex_rng g = bex_rng_seed(3);
            o.guidance = guidance[w], o.exp = "z:1.5";
            bex_control *c = make(p, o);
            for (int round = 0; round < 4; round++) { // the cached history, then another
                tiny_state(s, 3, round);
                for (int i = 0; i < CHUNK; i++) noise[i] = (float)bex_rng_normal(&g);
                for (int i = 0; i < TINY_H; i++) tiny_state(history + i * TINY_O, round / 2, 2 * i);
                ok(bex_control_plan_from(c, &(bex_observation){.state = s}, history, noise, got));
                reference(p, s, history, noise, 1.5, o.guidance, want);
                for (int i = 0; i < CHUNK; i++)
                    assert_true(fabs((double)(got[i] - want[i])) < 1e-5);
            }
            bex_control_free(c);
        }
        bex_policy_free(p);
    }
}

static void conditions_are_used(void **state) {
    (void)state;
    static const char *const modes[][2] = {{"model.mode=prefix", NULL}, {"model.mode=full", NULL}};
    for (int m = 0; m < 2; m++) {
        bex_policy *p = tiny_policy(modes[m], 0, 3);
        tiny_settings o = TINY_SETTINGS;
        float base[CHUNK], x[CHUNK];
        first_chunk_with(p, o, base);
        o.exp = "q:0.95"; // the default, given
        first_chunk_with(p, o, x);
        assert_true(same(base, x, CHUNK));
        o.exp = "q:0.05";
        first_chunk_with(p, o, x);
        assert_false(same(base, x, CHUNK));
        o.exp = NULL, o.guidance = 1;
        first_chunk_with(p, o, x);
        assert_true(same(base, x, CHUNK));
        o.guidance = 2;
        first_chunk_with(p, o, x);
        assert_false(same(base, x, CHUNK));
        o.guidance = NAN, o.ddim = 8;
        first_chunk_with(p, o, x);
        assert_false(same(base, x, CHUNK));
        o.ddim = 0, o.noise = 0.05;
        first_chunk_with(p, o, x);
        assert_false(same(base, x, CHUNK));
        bex_policy_free(p);
    }
}

// a temperature is noise of another size, for the actions and not for the waypoints
static void temperature_scales_the_noise_of_actions(void **state) {
    (void)state;
    static const char *const kinds[][3] = {
        {"model.agent=bc", NULL}, {"model.waypoints=true", "model.reach=1", NULL}, {NULL}};
    for (int kind = 0; kind < 3; kind++) {
        bex_policy *p = tiny_policy(kinds[kind], 0, 5);
        int A = p->dit.o.columns, size = TINY_K * A;
        tiny_settings o = TINY_SETTINGS;
        float s[TINY_O], history[TINY_H * TINY_O], noise[2 * CHUNK], got[CHUNK], want[CHUNK];
        bex_rng g = bex_rng_seed(6);
        assert_true(size <= 2 * CHUNK);
        tiny_state(s, 3, 0);
        for (int i = 0; i < TINY_H; i++) tiny_state(history + i * TINY_O, 1, i);
        for (int i = 0; i < size; i++) noise[i] = (float)bex_rng_normal(&g);
        const float *past = p->dit.o.N ? history : NULL;
        o.temperature = 0.25;
        bex_control *cool = make(p, o), *own = make(p, TINY_SETTINGS);
        ok(bex_control_plan_from(cool, &(bex_observation){.state = s}, past, noise, got));
        ok(bex_control_plan_from(own, &(bex_observation){.state = s}, past, noise, want));
        assert_false(same(got, want, CHUNK));
        for (int i = 0; i < size; i++)
            if (i % A < TINY_A) noise[i] *= 0.25F;
        ok(bex_control_plan_from(own, &(bex_observation){.state = s}, past, noise, want));
        assert_true(same(got, want, CHUNK));
        bex_control_free(own);
        p->config.deploy.temperature = 0.25; // the policy's own holds where nothing is asked
        own = make(p, TINY_SETTINGS);
        for (int i = 0; i < size; i++)
            if (i % A < TINY_A) noise[i] *= 4;
        ok(bex_control_plan_from(own, &(bex_observation){.state = s}, past, noise, want));
        assert_true(same(got, want, CHUNK));
        bex_control_free(own);
        bex_control_free(cool);
        bex_policy_free(p);
    }
}

// guidance 0 is the policy with its coverage hidden: exp says nothing
static void without_guidance_exp_is_silent(void **state) {
    (void)state;
    bex_policy *p = tiny_policy(NULL, 0, 3);
    tiny_settings o = TINY_SETTINGS;
    float x[CHUNK], y[CHUNK];
    o.guidance = 0, o.exp = "q:0.1";
    first_chunk_with(p, o, x);
    o.exp = "q:0.9";
    first_chunk_with(p, o, y);
    for (int i = 0; i < CHUNK; i++) assert_true(fabs((double)(x[i] - y[i])) < 1e-5);
    bex_policy_free(p);
}

static void tasks_and_times_are_used(void **state) {
    (void)state;
    static const char *const settings[] = {"model.task=true", "model.timestep=true", NULL};
    bex_policy *p = tiny_policy(settings, 3, 4);
    tiny_settings o = TINY_SETTINGS;
    float x[CHUNK], y[CHUNK], s[TINY_O];
    first_chunk_with(p, o, x);
    o.task = 2;
    bex_control *c = make(p, o);
    first_chunk(c, y);
    assert_false(same(x, y, CHUNK));
    ok(bex_control_set_task(c, 0, 0));
    ok(bex_control_set_seed(c, 0) == 0 ? -1 : 0); // an episode runs
    ok(bex_control_end(c));
    ok(bex_control_set_seed(c, 0));
    bex_memory_clear(bex_control_memory(c));
    first_chunk(c, y);
    assert_true(same(x, y, CHUNK));
    // the same state and noise, later
    float noise[CHUNK] = {0}, late[CHUNK];
    tiny_state(s, 0, 0);
    ok(bex_control_set_step(c, 0));
    ok(bex_control_plan_from(c, &(bex_observation){.state = s}, NULL, noise, y));
    ok(bex_control_set_step(c, 200));
    ok(bex_control_plan_from(c, &(bex_observation){.state = s}, NULL, noise, late));
    assert_false(same(y, late, CHUNK));
    assert_true(bex_control_set_step(c, -1) < 0);
    assert_true(bex_control_set_task(c, 3, 0) < 0);
    assert_message("task 3, the policy knows 0 to 2");
    assert_true(bex_control_set_task(c, -1, 0) < 0);
    assert_true(bex_control_set_task(c, 0, 1) < 0);
    assert_message("scene 1, the policy has no such input");
    bex_control_free(c);
    bex_policy_free(p);
}

static void history_grows_and_matters(void **state) {
    (void)state;
    bex_policy *p = tiny_policy(NULL, 0, 5);
    tiny_settings o = TINY_SETTINGS;
    float x[STEPS * TINY_A], y[STEPS * TINY_A], s[TINY_O], noise[CHUNK] = {0}, a[CHUNK], b[CHUNK];
    bex_control *c = make(p, o);
    o.history = "first";
    bex_control *first = make(p, o);
    tiny_state(s, 1, 0);
    episode(c, 0, x);
    episode(first, 0, y);
    assert_memory_equal(x, y, sizeof x); // no memory yet: both see their first state
    assert_int_equal(bex_memory_states(bex_control_memory(c)), STEPS);
    assert_int_equal(bex_memory_episodes(bex_control_memory(c)), 1);
    episode(c, 1, x);
    episode(first, 1, y);
    assert_false(same(x, y, STEPS * TINY_A));
    // a dropped episode is not remembered, and the next one is not its repetition
    ok(bex_control_begin(c));
    ok(bex_control_plan(c, &(bex_observation){.state = s}, a));
    ok(bex_control_begin(c));
    ok(bex_control_plan(c, &(bex_observation){.state = s}, b));
    assert_false(same(a, b, CHUNK));
    ok(bex_control_end(c));
    assert_int_equal(bex_memory_episodes(bex_control_memory(c)), 3);
    assert_int_equal(bex_memory_states(bex_control_memory(c)), 2 * STEPS + 1);
    // without history there is none to see
    ok(bex_control_plan_from(first, &(bex_observation){.state = s}, NULL, noise, a));
    bex_control_free(c), bex_control_free(first);
    c = make(p, TINY_SETTINGS);
    assert_true(bex_control_plan_from(c, &(bex_observation){.state = s}, NULL, noise, a) < 0);
    assert_message("no history");
    bex_control_free(c);
    bex_policy_free(p);
}

// a stream made anew that is told what it saw goes on as the old one
static void a_recalled_stream_goes_on(void **state) {
    (void)state;
    static const char *const kinds[][3] = {
        {NULL}, {"model.agent=bc", NULL}, {"deploy.candidates=3", "model.waypoints=true", NULL}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        bex_policy *p = tiny_policy(kinds[k], 0, 5);
        bex_control *old = make(p, TINY_SETTINGS), *new = make(p, TINY_SETTINGS);
        float x[STEPS * TINY_A], y[STEPS * TINY_A], seen[STEPS * TINY_O];
        for (int e = 0; e < 2; e++) {
            episode(old, e, x);
            for (int t = 0; t < STEPS; t++) tiny_state(seen + t * TINY_O, e, t);
            ok(bex_control_recall(new, seen, STEPS, TINY_O));
        }
        for (int e = 2; e < 4; e++) {
            episode(old, e, x), episode(new, e, y);
            assert_memory_equal(x, y, sizeof x);
        }
        ok(bex_control_begin(new));
        assert_true(bex_control_recall(new, seen, STEPS, TINY_O) < 0);
        assert_message("an episode is running");
        bex_control_free(old), bex_control_free(new);
        bex_policy_free(p);
    }
}

// no policy has cameras: a picture is the caller's mistake, and the stream goes on as if it had not come
static void pictures_are_refused(void **state) {
    (void)state;
    bex_policy *p = tiny_policy(NULL, 0, 5);
    bex_control *c = make(p, TINY_SETTINGS), *other = make(p, TINY_SETTINGS);
    float s[TINY_O], a[TINY_K * TINY_A], b[TINY_K * TINY_A];
    tiny_state(s, 0, 0);
    bex_observation seen = {.state = s, .image = {(const unsigned char *)"rgb"}};
    ok(bex_control_begin(c)), ok(bex_control_begin(other));
    for (int call = 0; call < 3; call++) {
        int code = call == 0   ? bex_control_act(c, &seen, a)
                   : call == 1 ? bex_control_plan(c, &seen, a)
                               : bex_control_plan_from(c, &seen, NULL, NULL, a);
        assert_true(code < 0 && bex_error_is_misuse());
        assert_message("a picture of camera 0, where there are 0 cameras");
    }
    seen = bex_observation_of(s);
    ok(bex_control_plan(c, &seen, a)), ok(bex_control_plan(other, &seen, b));
    assert_true(same(a, b, TINY_K * TINY_A));
    bex_control_free(c), bex_control_free(other);
    bex_policy_free(p);
}

static void long_episodes_are_thinned(void **state) {
    (void)state;
    bex_policy *p = tiny_policy(NULL, 0, 5);
    enum {
        MOST = 4096,
        LAST = MOST + 54
    }; // policy/memory.h: half of the states are dropped at MOST
    bex_control *c = make(p, TINY_SETTINGS);
    float s[TINY_O], a[TINY_A], first[TINY_O];
    tiny_state(first, 0, 0);
    ok(bex_control_begin(c));
    for (int t = 0; t <= LAST; t++) {
        tiny_state(s, 0, t);
        ok(bex_control_act(c, &(bex_observation){.state = s}, a));
    }
    assert_int_equal(bex_memory_stride(bex_control_memory(c)), 2);
    ok(bex_control_end(c));
    const bex_memory *h = bex_control_memory(c);
    assert_int_equal(bex_memory_states(h), LAST / 2 + 1); // 0, 2 .. LAST
    assert_memory_equal(bex_memory_rows(h), first, sizeof first);
    tiny_state(first, 0, LAST);
    assert_memory_equal(bex_memory_rows(h) + LAST / 2 * TINY_O, first, sizeof first);
    bex_control_free(c);
    bex_policy_free(p);
}

// exp in the middle of an episode: from the next plan on, the history as it was
static void exp_changes_on_the_way(void **state) {
    (void)state;
    bex_policy *p = tiny_policy(NULL, 0, 6);
    float low[3][TINY_K][TINY_A], x[3][TINY_K][TINY_A], s[TINY_O];
    for (int late = 0; late < 2; late++) {
        tiny_settings o = TINY_SETTINGS;
        float before[STEPS * TINY_A];
        o.exp = "q:0.1";
        bex_control *c = make(p, o);
        episode(c, 0, before);
        ok(bex_control_begin(c));
        for (int t = 0; t < 3 * TINY_K; t++) {
            tiny_state(s, 1, t);
            ok(bex_control_act(c, &(bex_observation){.state = s},
                               (late ? x : low)[t / TINY_K][t % TINY_K]));
            if (late && t == 1) ok(bex_control_set(c, "exp", "q:0.9"));
            if (late && t == 2 * TINY_K - 2) ok(bex_control_set(c, "exp", "q:0.1"));
        }
        if (late) assert_true(bex_control_target(c) == bex_condition_quantile(p->condition, 0.1));
        assert_true(bex_control_set(c, "exp", "q:2") < 0);
        bex_control_free(c);
    }
    assert_true(same(x[0][0], low[0][0], CHUNK));  // the chunk that was planned is played out
    assert_false(same(x[1][0], low[1][0], CHUNK)); // the next is another
    assert_true(same(x[2][0], low[2][0], CHUNK));  // and back
    bex_policy_free(p);
}

// raw: the target depends on the history
static void raw_coverage_follows_the_history(void **state) {
    (void)state;
    static const char *const kinds[][2] = {{"coverage.phi=cosine", NULL},
                                           {"coverage.phi=cosine_relative", NULL},
                                           {"coverage.phi=onehot", NULL}};
    for (int k = 0; k < 3; k++) {
        const char *settings[] = {kinds[k][0], "coverage.cell=2", NULL};
        bex_policy *p = tiny_policy(settings, 0, 6);
        tiny_settings o = TINY_SETTINGS;
        float x[STEPS * TINY_A];
        o.exp = "raw:0.05";
        bex_control *c = make(p, o);
        episode(c, 0, x);
        double first = bex_control_target(c);
        episode(c, 1, x);
        assert_true(isfinite(first) && isfinite(bex_control_target(c)));
        assert_true(first != bex_control_target(c));
        bex_control_free(c);
        bex_policy_free(p);
    }
}

static void plan_and_act_agree(void **state) {
    (void)state;
    bex_policy *p = tiny_policy(NULL, 0, 7);
    tiny_settings o = TINY_SETTINGS;
    float chunk[CHUNK], x[STEPS * TINY_A], s[TINY_O], a[TINY_A];
    bex_control *planner = make(p, o), *actor = make(p, o);
    first_chunk(planner, chunk);
    episode(actor, 0, x);
    assert_memory_equal(chunk, x, sizeof chunk);
    assert_int_equal(bex_control_plans(actor), (STEPS + TINY_K - 1) / TINY_K);
    // two of a chunk played, then planned anew
    o.act = 2;
    bex_control *eager = make(p, o);
    float y[STEPS * TINY_A];
    episode(eager, 0, y);
    assert_memory_equal(y, x, 2 * TINY_A * sizeof *x);
    assert_false(same(y + 2 * TINY_A, x + 2 * TINY_A, TINY_A));
    assert_int_equal(bex_control_plans(eager), STEPS / 2);
    // a plan in between drops what was left of act's chunk
    tiny_state(s, 0, 0);
    ok(bex_control_begin(actor));
    ok(bex_control_act(actor, &(bex_observation){.state = s}, a));
    long long plans = bex_control_plans(actor);
    ok(bex_control_plan(actor, &(bex_observation){.state = s}, chunk));
    ok(bex_control_act(actor, &(bex_observation){.state = s}, a));
    assert_int_equal(bex_control_plans(actor), plans + 2);
    bex_control_free(planner), bex_control_free(actor), bex_control_free(eager);
    bex_policy_free(p);
}

/* At steps 0, 4 and 8 of an episode that commits to 4 actions, and at none between them. */
static void choices_are_told(void **state) {
    (void)state;
    static const char *const proposing[] = {"model.waypoints=true", NULL};
    bex_policy *p = tiny_policy(proposing, 0, 3);
    tiny_settings o = TINY_SETTINGS;
    o.candidates = 5, o.commit = 4, o.act = 2;
    bex_control *c = tiny_control(p, o);
    assert_non_null(c);
    ok(bex_control_begin(c));
    assert_null(bex_control_choice(c));
    for (int t = 0; t < 10; t++) {
        float s[TINY_O], action[TINY_A];
        tiny_state(s, 0, t);
        ok(bex_control_act(c, &(bex_observation){.state = s}, action));
        const bex_plan_choice *told = bex_control_choice(c);
        if (t % 4) {
            assert_null(told);
            continue;
        }
        assert_non_null(told);
        assert_int_equal(told->n, 5);
        const double *distance = bex_choice_distances(told->choice);
        for (int i = 0; i < 5; i++) assert_true(distance[told->best] <= distance[i]);
    }
    ok(bex_control_end(c));
    bex_control_free(c);
    bex_policy_free(p);
}

static void acting_allocates_nothing(void **state) {
    (void)state;
    if (!malloc_counted()) skip();
    static const char *const kinds[][3] = {{NULL},
                                           {"model.mode=full", "deploy.guidance=2", NULL},
                                           {"deploy.guidance=3", "deploy.exp=raw:0.1", NULL},
                                           {"model.agent=bc", NULL}};
    for (int k = 0; k < 4; k++) {
        bex_policy *p = tiny_policy(kinds[k], 0, 8);
        bex_control *c = make(p, TINY_SETTINGS);
        float s[TINY_O], a[TINY_A], x[STEPS * TINY_A], chunk[CHUNK];
        long before = malloc_calls();
        ok(bex_control_begin(c)); // the very first act as well
        tiny_state(s, 0, 0);
        ok(bex_control_act(c, &(bex_observation){.state = s}, a));
        assert_int_equal(malloc_calls(), before);
        ok(bex_control_end(c));
        episode(c, 0, x);
        before = malloc_calls();
        ok(bex_control_begin(c));
        for (int t = 0; t < 20; t++) {
            tiny_state(s, 1, t);
            ok(bex_control_act(c, &(bex_observation){.state = s}, a));
        }
        ok(bex_control_set(c, "exp", "q:0.5"));
        ok(bex_control_plan(c, &(bex_observation){.state = s}, chunk));
        assert_int_equal(malloc_calls(), before);
        bex_control_free(c);
        bex_policy_free(p);
    }
}

static void refuse_options(const bex_policy *p, tiny_settings o, const char *part) {
    assert_null(tiny_control(p, o));
    assert_message(part);
}

static void mistakes_are_told(void **state) {
    (void)state;
    bex_policy *p = tiny_policy(NULL, 0, 9);
    tiny_settings o = TINY_SETTINGS;
#define WITH(member, value, part) o = TINY_SETTINGS, o.member = value, refuse_options(p, o, part)
    WITH(exp, "0.95", "none of q:, z: and raw:");
    WITH(exp, "q:x", "not a finite number");
    WITH(history, "unifrom", "did you mean uniform?");
    WITH(history, "file:no/such/file", "no/such/file");
    WITH(task, 1, "task 1, the policy has no such input");
    WITH(act, TINY_K + 1, "deploy.action_steps = 5: a chunk has 4 actions");
    WITH(act, -1, "deploy.action_steps = '-1'");
    WITH(ddim, 101, "deploy.denoising_steps = 101: the policy has 100");
    WITH(ddim, -1, "deploy.denoising_steps = '-1'");
    WITH(guidance, -1, "guidance");
    WITH(guidance, INFINITY, "guidance");
    WITH(noise, 1e9, "noise");
    WITH(temperature, -1, "deploy.temperature = '-1': not a number in [0, 10]");
    WITH(temperature, INFINITY, "temperature");
#undef WITH
    bex_control *c = make(p, TINY_SETTINGS);
    float s[TINY_O], a[TINY_A], chunk[CHUNK];
    tiny_state(s, 0, 0);
    assert_true(bex_control_act(c, &(bex_observation){.state = s}, a) < 0);
    assert_message("no episode has begun");
    assert_true(bex_control_plan(c, &(bex_observation){.state = s}, chunk) < 0);
    assert_true(bex_control_end(c) < 0);
    ok(bex_control_begin(c));
    s[2] = NAN;
    assert_true(bex_control_act(c, &(bex_observation){.state = s}, a) < 0);
    assert_message("observation 2 of 4 is not finite");
    s[2] = INFINITY;
    assert_true(bex_control_plan(c, &(bex_observation){.state = s}, chunk) < 0);
    // a bad state changes nothing: the episode is what it would have been
    float x[CHUNK], y[CHUNK];
    tiny_state(s, 0, 0);
    ok(bex_control_plan(c, &(bex_observation){.state = s}, x));
    first_chunk_with(p, TINY_SETTINGS, y);
    assert_true(same(x, y, CHUNK));
    // finite, but out of this world
    for (int i = 0; i < TINY_O; i++) s[i] = 3e38F;
    assert_true(bex_control_plan(c, &(bex_observation){.state = s}, x) < 0);
    assert_message("no reading?");
    bex_control_free(c);
    bex_control_free(NULL);
    bex_policy_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeds_decide),
        cmocka_unit_test(actions_are_within_the_demonstrations),
        cmocka_unit_test(caches_change_nothing),
        cmocka_unit_test(conditions_are_used),
        cmocka_unit_test(temperature_scales_the_noise_of_actions),
        cmocka_unit_test(without_guidance_exp_is_silent),
        cmocka_unit_test(tasks_and_times_are_used),
        cmocka_unit_test(history_grows_and_matters),
        cmocka_unit_test(a_recalled_stream_goes_on),
        cmocka_unit_test(pictures_are_refused),
        cmocka_unit_test(long_episodes_are_thinned),
        cmocka_unit_test(exp_changes_on_the_way),
        cmocka_unit_test(raw_coverage_follows_the_history),
        cmocka_unit_test(plan_and_act_agree),
        cmocka_unit_test(choices_are_told),
        cmocka_unit_test(acting_allocates_nothing),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
