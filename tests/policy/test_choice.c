/* Of several proposed futures the one nearest the asked coverage is taken, coverage being that of the
 * history and the future together. */
#include "coverage/coverage.h"
#include "coverage/state_sum.h"
#include "policy/choice.h"
#include "policy/control.h"
#include "policy/tiny_control.h"
#include "policy/tiny_policy.h"

#include "malloc_count.h"

#include <math.h>

enum { N = 9, WIDE = TINY_A + 2, CHUNK = TINY_K * WIDE };

static const char *const kinds[][5] = {
    {"model.waypoints=true", NULL},
    {"model.waypoints=true", "coverage.normalise=global", NULL},
    {"model.waypoints=true", "model.reach=0.5", NULL},
    {"model.waypoints=true", "coverage.phi=cosine_relative", NULL},
    {"model.waypoints=true", "coverage.phi=onehot", "coverage.cell=1", NULL},
    {"model.waypoints=true", "model.reach=0.5", "diffusion.predicts=chunk",
     "diffusion.show_waypoints=0.5", NULL},
};
enum { LED = 5, KINDS = sizeof kinds / sizeof *kinds };

// Lambda of n states seen from `at`, each counted `weight` times
static void sum(const bex_policy *p, const bex_real *states, int n, double weight,
                const bex_real *at, double *gram) {
    double wide[BEX_GRAM_MOST];
    bex_real reference[BEX_GRAM_WIDTH];
    bex_gram_zero(bex_feature_wide(p->phi), wide);
    assert_int_equal(bex_state_sum_add(p->phi, wide, states, (size_t)n), 0);
    if (bex_feature_relative(p->phi)) {
        assert_int_equal(bex_feature_eval_wide(p->phi, reference, at, 1, 1), 0);
        bex_feature_contract(p->phi, gram, wide, reference);
    } else {
        memcpy(gram, wide, bex_gram_size(bex_feature_shape(p->phi)) * sizeof *gram);
    }
    bex_gram_scale(bex_feature_shape(p->phi), gram, weight);
}

// the coverage input of a future of TINY_K states, from the definition
static double value_of(const bex_policy *p, const double *history, const bex_real *future,
                       const bex_real *at) {
    double gram[BEX_GRAM_MOST];
    bex_gram_shape shape = bex_feature_shape(p->phi);
    sum(p, future, TINY_K, (double)(p->config.coverage.future + 1) / TINY_K, at, gram);
    bex_gram_union(shape, gram, history);
    double log_cov = log(bex_coverage(shape, gram, bex_condition_lambda(p->condition)));
    if (bex_condition_normalise(p->condition) == BEX_NORMALISE_GLOBAL)
        return bex_condition_value(p->condition, log_cov, NULL);
    bex_moments m = bex_condition_moments(p->condition, history);
    return bex_condition_value(p->condition, log_cov, &m);
}

static void the_nearest_is_taken(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        bex_policy *p = tiny_policy(kinds[kind], 0, 1);
        bex_choice *c = bex_choice_new(p, N);
        if (!c) fail_msg("%s", bex_error());
        bex_rng g = bex_rng_seed(3);
        bex_real x[N * CHUNK], future[N][TINY_K * TINY_O], at[TINY_O], past[TINY_H * TINY_O];
        double history[BEX_GRAM_MOST], value[N];
        for (int i = 0; i < N * CHUNK; i++) x[i] = R(2 * bex_rng_uniform(&g) - 1);
        for (int i = 0; i < TINY_H * TINY_O; i++) past[i] = R(bex_rng_normal(&g));
        tiny_state(at, 0, 0);
        sum(p, past, TINY_H, 1, at, history);
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < TINY_K; k++)
                for (int o = 0; o < TINY_O; o++) // phi does not read dims 2 and 3
                    future[i][k * TINY_O + o] =
                        o < 2 ? bex_waypoint_decode(&p->chunk, &p->normaliser, k, o,
                                                    x[i * CHUNK + k * WIDE + TINY_A + o], at[o])
                              : R(7);
            value[i] = value_of(p, history, future[i], at);
        }
        assert_int_equal(bex_choice_history(c, history), 0);
        for (int i = 0; i < N; i++) { // asked for exactly that of i, and a little off it
            int best = -1;
            assert_int_equal(bex_choice_make(c, x, N, at, value[i], &best), 0);
            assert_true(fabs(bex_choice_value(c, i) - value[i]) < 1e-5 * (1 + fabs(value[i])));
            assert_true(fabs(value[best] - value[i]) < 1e-5);
            assert_int_equal(bex_choice_make(c, x, N, at, 1e6, &best), 0);
            for (int k = 0; k < N; k++) assert_true(value[best] >= value[k] - 1e-5);
        }
        bex_choice_free(c);
        bex_policy_free(p);
    }
}

static void plan(const bex_policy *p, int candidates, const char *exp, const bex_real *history,
                 const bex_real *noise, bex_real *chunk) {
    tiny_settings o = TINY_SETTINGS;
    o.candidates = candidates, o.exp = exp;
    bex_control *c = tiny_control(p, o);
    bex_real at[TINY_O];
    tiny_state(at, 0, 0);
    if (!c) fail_msg("%s", bex_error());
    long before = malloc_calls();
    if (bex_control_plan_from(c, &(bex_observation){.state = at}, history, noise, chunk) < 0)
        fail_msg("%s", bex_error());
    assert_int_equal(malloc_calls() - before, 0);
    bex_control_free(c);
}

// a network blind to coverage and history: what is left of their influence is the choice
static bex_policy *blind_policy(int kind) {
    bex_policy *p = tiny_policy(kinds[kind], 0, 1);
    static const char *const blind[] = {"token.history.weight", "token.coverage.weight"};
    for (int b = 0; b < 2; b++) {
        const bex_param *w = bex_param_find(p->params, blind[b]);
        for (size_t i = 0; i < w->count; i++) bex_param_edit(w)[i] = R(0);
    }
    return p;
}

static void the_history_decides_between_proposals(void **state) {
    (void)state;
    bex_policy *p = blind_policy(0);
    bex_rng g = bex_rng_seed(4);
    bex_real noise[N * CHUNK], one[N][TINY_K * TINY_A], chosen[TINY_K * TINY_A];
    bex_real past[TINY_H * TINY_O];
    for (int i = 0; i < N * CHUNK; i++) noise[i] = R(bex_rng_normal(&g));
    int picks[40], kinds_seen = 0;
    for (int h = 0; h < 40; h++) {
        for (int i = 0; i < TINY_H * TINY_O; i++) past[i] = R(3 * bex_rng_normal(&g));
        plan(p, N, h % 2 ? "z:5" : "z:-5", past, noise, chosen);
        picks[h] = -1;
        for (int i = 0; i < N; i++) {
            plan(p, 1, "z:5", past, noise + i * CHUNK, one[i]);
            if (!memcmp(one[i], chosen, sizeof chosen)) picks[h] = i;
        }
        assert_true(picks[h] >= 0); // one of the proposals, bit for bit
        bool fresh = true;
        for (int k = 0; k < h; k++) fresh = fresh && picks[k] != picks[h];
        kinds_seen += fresh;
    }
    assert_true(kinds_seen > 2);
    bex_policy_free(p);
}

// an episode of `length` states about (x, y)
static void remember(bex_control *c, bex_rng *g, int length, double x, double y) {
    bex_memory *h = bex_control_memory(c);
    for (int t = 0; t < length; t++) {
        bex_real s[TINY_O];
        for (int o = 0; o < TINY_O; o++) s[o] = R(bex_rng_normal(g));
        s[0] = R((double)s[0] + x), s[1] = R((double)s[1] + y);
        bex_memory_push(h, s);
    }
    assert_int_equal(bex_memory_end(h), 0);
}

/* The network sees H states of the memory, the choice all of it: streams that draw other states from one
 * memory choose alike; given those states as a history, they do not. */
static void the_choice_sees_the_whole_memory(void **state) {
    (void)state;
    enum { STREAMS = 12, ROUNDS = 6 };
    int differ = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        bex_policy *p = blind_policy(kind);
        for (int round = 0; round < ROUNDS; round++) {
            bex_real first[TINY_K * TINY_A], chunk[TINY_K * TINY_A], alone[TINY_K * TINY_A];
            bex_real noise[N * CHUNK], at[TINY_O], drawn[TINY_H * TINY_O];
            bex_rng g = bex_rng_seed(50 + (uint64_t)round);
            for (int i = 0; i < N * CHUNK; i++) noise[i] = R(bex_rng_normal(&g));
            tiny_state(at, 0, 0);
            for (int s = 0; s < STREAMS; s++) {
                tiny_settings o = TINY_SETTINGS;
                o.candidates = N, o.exp = "z:5", o.seed = (uint64_t)s;
                o.history = round % 2 ? "last3" : "uniform";
                bex_control *c = tiny_control(p, o);
                if (!c) fail_msg("%s", bex_error());
                bex_rng same = bex_rng_seed(60 + (uint64_t)round);
                remember(c, &same, 40, 2, 0);
                remember(c, &same, 10, -1, 2);
                assert_int_equal(bex_control_begin(c), 0);
                assert_int_equal(bex_control_plan(c, &(bex_observation){.state = at}, chunk), 0);
                long before = malloc_calls();
                assert_int_equal(
                    bex_control_plan_from(c, &(bex_observation){.state = at}, NULL, noise, chunk),
                    0);
                assert_int_equal(malloc_calls() - before, 0);
                if (s == 0) memcpy(first, chunk, sizeof first);
                assert_memory_equal(chunk, first, sizeof first);
                bex_memory_draw(bex_control_memory(c), drawn, bex_rng_seed(70 + (uint64_t)s));
                assert_int_equal(
                    bex_control_plan_from(c, &(bex_observation){.state = at}, drawn, noise, alone),
                    0);
                differ += memcmp(alone, first, sizeof first) != 0;
                bex_control_free(c);
            }
        }
        bex_policy_free(p);
    }
    assert_true(differ > 0);
}

/* What is asked changes after the first plan; the network is blind to it, so the actions change with the
 * first choice that comes after. First step with another action, over streams of several seeds: commit if
 * they followed. */
static int first_that_differs(int kind, int commit) {
    enum { STREAMS = 12, STEPS = 24 };
    int first = STEPS;
    bex_policy *p = blind_policy(kind);
    for (int s = 0; s < STREAMS; s++) {
        bex_real action[2][STEPS][TINY_A], at[TINY_O];
        for (int asks = 0; asks < 2; asks++) {
            tiny_settings o = TINY_SETTINGS;
            o.candidates = N, o.exp = "z:90", o.seed = (uint64_t)s, o.act = 2, o.commit = commit;
            bex_control *c = tiny_control(p, o);
            if (!c) fail_msg("%s", bex_error());
            assert_int_equal(bex_control_begin(c), 0);
            for (int t = 0; t < STEPS; t++) {
                tiny_state(at, 0, t);
                assert_int_equal(
                    bex_control_act(c, &(bex_observation){.state = at}, action[asks][t]), 0);
                if (t == 0 && asks) assert_int_equal(bex_control_set(c, "exp", "z:-90"), 0);
            }
            bex_control_free(c);
        }
        for (int t = 0; t < STEPS; t++)
            if (t < first && memcmp(action[0][t], action[1][t], sizeof *action[0]) != 0) first = t;
    }
    bex_policy_free(p);
    return first;
}

static void a_choice_is_followed(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        if (kind > 2 && kind != LED)
            continue; // they differ in what is covered, not in how it is followed
        assert_int_equal(first_that_differs(kind, 0), 2);
        assert_int_equal(first_that_differs(kind, 8), 8);
        assert_int_equal(first_that_differs(kind, 7), 8); // plans are every 2 steps
    }
}

// with diffusion.show_waypoints the actions are denoised again, to where the chosen candidate leads: not its
// own, and not those of another
static void a_chosen_future_leads(void **state) {
    (void)state;
    bex_policy *p = blind_policy(LED);
    bex_rng g = bex_rng_seed(4);
    bex_real noise[N * CHUNK], led[2][TINY_K * TINY_A], own[2][TINY_K * TINY_A];
    bex_real past[TINY_H * TINY_O];
    for (int i = 0; i < N * CHUNK; i++) noise[i] = R(bex_rng_normal(&g));
    for (int i = 1; i < N; i++) // proposals differ in their waypoints alone
        for (int k = 0; k < TINY_K; k++)
            memcpy(noise + i * CHUNK + k * WIDE, noise + k * WIDE, TINY_A * sizeof *noise);
    for (int i = 0; i < TINY_H * TINY_O; i++) past[i] = R(bex_rng_normal(&g));
    for (int lead = 0; lead < 2; lead++) {
        p->config.diffusion.show_waypoints = lead ? 0.5 : 0;
        for (int asked = 0; asked < 2; asked++)
            plan(p, N, asked ? "z:90" : "z:-90", past, noise, lead ? led[asked] : own[asked]);
    }
    assert_memory_not_equal(led[0], led[1], sizeof led[0]);
    for (int asked = 0; asked < 2; asked++)
        assert_memory_not_equal(led[asked], own[asked], sizeof led[asked]);
    bex_policy_free(p);
}

static void what_does_not_go_together(void **state) {
    (void)state;
    static const struct {
        const char *setting[3], *message;
    } wrong[] = {
        {{NULL}, "needs a be policy with model.waypoints"},
        {{"model.agent=bc", "model.waypoints=true"}, "needs a be policy with model.waypoints"},
        {{"model.waypoints=true", "coverage.novelty=true"}, "does not go with coverage.novelty"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bex_policy *p = tiny_policy(wrong[i].setting, 0, 1);
        tiny_settings o = TINY_SETTINGS;
        o.candidates = 2;
        assert_null(tiny_control(p, o));
        assert_message(wrong[i].message);
        o.candidates = 257;
        assert_null(tiny_control(p, o));
        assert_message("deploy.candidates = '257'");
        bex_policy_free(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_is_taken),
        cmocka_unit_test(the_history_decides_between_proposals),
        cmocka_unit_test(the_choice_sees_the_whole_memory),
        cmocka_unit_test(a_choice_is_followed),
        cmocka_unit_test(a_chosen_future_leads),
        cmocka_unit_test(what_does_not_go_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
