/* Plans made again from recorded states: the same ones, what is kept of them, and the summary counted by
 * hand. */
#include "explore/plans.h"

#include "agent/actors/policy_actor.h"
#include "base/error.h"
#include "data/hdf5.h"
#include "explore/explore.h"
#include "policy/tiny_control.h"
#include "policy/tiny_policy.h"

#include <math.h>

enum { TRIALS = 2, EPISODES = 3, LENGTH = 40, COMMIT = 10, N = 8, SEED = 5 };

static const char *const proposing[] = {"model.waypoints=true", "coverage.future=20", NULL};

static void make_actors(bex_actor **actors, const bex_policy *p) {
    bex_deploy_config o = p->config.deploy;
    o.candidates = N, o.commit = COMMIT, o.action_steps = 2;
    for (int i = 0; i < TRIALS; i++) {
        actors[i] = bex_policy_actor_new(p, &o, NULL, bex_explore_stream(SEED, i));
        if (!actors[i]) fail_msg("%s", bex_error());
    }
}

static void free_actors(bex_actor **actors) {
    for (int i = 0; i < TRIALS; i++) actors[i]->class->free(actors[i]);
}

// what an exploration through made-up states would have kept
static void record(bex_trajectories *t, const bex_policy *p) {
    bex_actor *actors[TRIALS];
    int rows = TRIALS * EPISODES * LENGTH;
    *t =
        (bex_trajectories){TINY_O, TINY_A, rows, TRIALS, TRIALS * EPISODES, NULL, NULL, NULL, NULL};
    t->obs = malloc((size_t)rows * TINY_O * sizeof *t->obs);
    t->act = malloc((size_t)rows * TINY_A * sizeof *t->act);
    t->start = malloc(((size_t)t->episodes + 1) * sizeof *t->start);
    t->trial = malloc((size_t)t->episodes * sizeof *t->trial);
    make_actors(actors, p);
    for (int k = 0; k < t->episodes; k++) {
        bex_actor *a = actors[k / EPISODES];
        t->start[k] = k * LENGTH, t->trial[k] = k / EPISODES;
        assert_int_equal(a->class->begin(a), 0);
        for (int row = k * LENGTH; row < (k + 1) * LENGTH; row++) {
            float state[TINY_O];
            tiny_state(state, k, row % LENGTH);
            for (int i = 0; i < TINY_O; i++) t->obs[row * TINY_O + i] = R(state[i]);
            if (a->class->act(a, &(bex_observation){.state = t->obs + row * TINY_O},
                              t->act + row * TINY_A) < 0)
                fail_msg("%s", bex_error());
        }
        assert_int_equal(a->class->end(a), 0);
    }
    t->start[t->episodes] = rows;
    free_actors(actors);
}

static void replay(bex_plans *plans, const bex_policy *p, const bex_trajectories *t, int threads) {
    bex_actor *actors[TRIALS];
    make_actors(actors, p);
    bex_plans_options o = {.policy = p,
                           .actors = actors,
                           .rows = t,
                           .trials = TRIALS,
                           .candidates = N,
                           .threads = threads};
    if (bex_plans_run(plans, &o) < 0) fail_msg("%s", bex_error());
    free_actors(actors);
}

static void they_are_the_explorations(void **state) {
    (void)state;
    bex_policy *p = tiny_policy(proposing, 0, 3);
    bex_trajectories t;
    bex_plans plans;
    record(&t, p);
    replay(&plans, p, &t, 1);
    int differ = 0;
    for (int i = 0; i < TRIALS; i++) {
        const bex_plans_trial *trial = &plans.trial[i];
        assert_int_equal(trial->rows, EPISODES * LENGTH);
        assert_int_equal(trial->same, trial->rows);
        assert_int_equal(trial->count, EPISODES * LENGTH / COMMIT);
        for (int c = 0; c < trial->count; c++) {
            bool last = trial->step[c] == LENGTH - COMMIT;
            int row = (i * EPISODES + trial->episode[c]) * LENGTH + trial->step[c];
            assert_int_equal(trial->episode[c], c / (LENGTH / COMMIT));
            assert_int_equal(trial->step[c], c * COMMIT % LENGTH);
            assert_int_equal(trial->length[c], last ? COMMIT - 1 : COMMIT);
            assert_memory_equal(trial->from + c * TINY_O, t.obs + row * TINY_O,
                                TINY_O * sizeof(bex_real));
            assert_memory_equal(trial->made + c * TINY_O, t.obs + (row + trial->length[c]) * TINY_O,
                                TINY_O * sizeof(bex_real));
            // in a trial's first episode there is no past to know of
            if (trial->episode[c] == 0) {
                assert_int_equal(trial->chosen[c], trial->blind[c]);
                assert_memory_equal(trial->coverage + c * N, trial->unaware + c * N,
                                    N * sizeof(bex_real));
            } else {
                differ += memcmp(trial->coverage + c * N, trial->unaware + c * N,
                                 N * sizeof(bex_real)) != 0;
            }
        }
    }
    assert_int_equal(differ, TRIALS * (EPISODES - 1) * LENGTH / COMMIT);
    bex_plans_fini(&plans);
    bex_trajectories_fini(&t);
    bex_policy_free(p);
}

static void threads_change_nothing(void **state) {
    (void)state;
    bex_policy *p = tiny_policy(proposing, 0, 3);
    bex_trajectories t;
    bex_plans one, two;
    record(&t, p);
    replay(&one, p, &t, 1);
    replay(&two, p, &t, 2);
    for (int i = 0; i < TRIALS; i++) {
        size_t places = (size_t)one.trial[i].count * N * TINY_K * 2;
        assert_int_equal(one.trial[i].count, two.trial[i].count);
        assert_memory_equal(one.trial[i].places, two.trial[i].places, places * sizeof(bex_real));
    }
    bex_plans_fini(&one);
    bex_plans_fini(&two);
    bex_trajectories_fini(&t);
    bex_policy_free(p);
}

static void another_policy_shows(void **state) {
    (void)state;
    bex_policy *p = tiny_policy(proposing, 0, 3), *other = tiny_policy(proposing, 0, 4);
    bex_trajectories t;
    bex_plans plans;
    record(&t, p);
    replay(&plans, other, &t, 1);
    assert_int_equal(plans.trial[0].rows, EPISODES * LENGTH);
    assert_int_equal(plans.trial[0].same, 0);
    bex_plans_fini(&plans);
    bex_trajectories_fini(&t);
    bex_policy_free(p);
    bex_policy_free(other);
}

static void a_policy_that_does_not_choose_is_refused(void **state) {
    (void)state;
    bex_policy *p = tiny_policy(NULL, 0, 3);
    bex_trajectories t = {.O = TINY_O, .A = TINY_A};
    bex_plans plans;
    bex_plans_options o = {.policy = p, .rows = &t, .candidates = 8};
    assert_int_equal(bex_plans_run(&plans, &o), -1);
    assert_non_null(strstr(bex_error(), "does not choose"));
    bex_plans_fini(&plans);
    bex_policy_free(p);
}

// regions are unit steps of the first number below 6; beyond is nowhere
static int region(const bex_world *world, const bex_real *obs) {
    (void)world;
    return obs[0] >= R(0) && obs[0] < R(6) ? (int)obs[0] : -1;
}

// futures of two proposals, straight along the first number, ending at these places
static void propose(bex_plans_trial *t, int c, double from, double made, const double end[2]) {
    for (int i = 0; i < TINY_O; i++) t->from[c * TINY_O + i] = t->made[c * TINY_O + i] = 0;
    t->from[c * TINY_O] = R(from), t->made[c * TINY_O] = R(made);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < TINY_K; k++) {
            bex_real *place = t->places + ((c * 2 + i) * TINY_K + k) * 2;
            place[0] = R(from + (end[i] - from) * (k + 1) / TINY_K), place[1] = 0;
        }
}

static double number(const json_t *j, const char *a, const char *b, const char *c) {
    j = json_object_get(j, a);
    if (b) j = json_object_get(json_object_get(j, "ends"), b);
    return json_number_value(c ? json_object_get(j, c) : j);
}

/* One trial of two episodes of three states: the first stays in region 0, the second chooses twice. At first
 * of 2.5 (chosen) and 0.5, followed for 10 of 20 steps; then of 9 (chosen) and 3.5, which alone is
 * possible. */
static void the_summary_is_right(void **state) {
    (void)state;
    bex_policy *p = tiny_policy(proposing, 0, 3);
    bex_env_class class = {.region = region};
    bex_world world = {.class = &class, .name = "line", .spec.state = TINY_O, .regions = 6};
    bex_real obs[6 * TINY_O] = {0};
    int start[] = {0, 3, 6}, trial[] = {0, 0};
    bex_trajectories t = {TINY_O, TINY_A, 6, 1, 2, obs, NULL, start, trial};
    int episode[] = {1, 1}, step[] = {0, 10}, length[] = {10, 20}, chosen[] = {0, 0},
        blind[] = {1, 0};
    bex_real from[2 * TINY_O], made[2 * TINY_O], places[2 * 2 * TINY_K * 2];
    bex_real coverage[] = {R(3), R(1), R(5), R(2)}, unaware[] = {R(0), R(4), R(5), R(2)};
    unsigned char possible[] = {1, 1, 0, 1};
    bex_plans_trial one = {2,      episode,  step,    length,   chosen, blind, from, made,
                           places, coverage, unaware, possible, 60,     45,    2};
    propose(&one, 0, 0.5, 1, (double[]){2.5, 0.5});
    propose(&one, 1, 1, 1, (double[]){9, 3.5});
    bex_plans plans = {p, 2, TINY_K, 2, TINY_O, 1, &one};
    bex_plans_summary summary;
    assert_int_equal(bex_plans_summarise(&summary, &plans, &t, &world), 0);
    json_t *j = bex_plans_summary_json(&summary);
    assert_non_null(j);
    assert_float_equal(number(j, "choices", NULL, NULL), 2, 0);
    assert_float_equal(number(j, "actions_as_recorded", NULL, NULL), 0.75, 1e-9);
    assert_float_equal(number(j, "possible", NULL, NULL), 0.75, 1e-9);
    assert_float_equal(number(j, "apart", NULL, NULL), 0.5, 1e-6); // 1 of two ends, 0 of one
    assert_float_equal(number(j, "planned", NULL, NULL), 4.5, 1e-6);
    assert_float_equal(number(j, "made", NULL, NULL), 0.25, 1e-6); // 0.5 and 0
    assert_float_equal(number(j, "missed", NULL, NULL), 4.25, 1e-6);
    assert_float_equal(number(j, "coverage", NULL, "chosen"), 4, 1e-6);
    assert_float_equal(number(j, "coverage", NULL, "mean"), 2, 1e-6);     // of 3 and 1; of 2
    assert_float_equal(number(j, "coverage", NULL, "spread"), 0.5, 1e-6); // 1; 0
    assert_float_equal(number(j, "later", NULL, "choices"), 2, 0);
    assert_float_equal(number(j, "later", NULL, "same_choice"), 0.5, 1e-9);
    assert_float_equal(number(j, "later", NULL, "alike"), -1, 1e-9); // where two are possible
    assert_float_equal(number(j, "later", "chosen", "nowhere"), 0.5, 1e-9);
    assert_float_equal(number(j, "later", "chosen", "fresh"), 0.5, 1e-9);
    assert_float_equal(number(j, "later", "chosen", "known"), 0, 1e-9);
    assert_float_equal(number(j, "later", "blind", "known"), 0.5, 1e-9); // 0.5 is in region 0
    assert_float_equal(number(j, "later", "mean", "fresh"), 0.75, 1e-9);
    assert_float_equal(number(j, "later", "mean", "known"), 0.25, 1e-9);
    assert_float_equal(number(j, "later", "newest", "fresh"), 1, 1e-9);
    json_decref(j);
    bex_policy_free(p);
}

static void a_file_of_them_reads_back(void **state) {
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s", scratch_path("plans.hdf5"));
    unlink(path);
    bex_policy *p = tiny_policy(proposing, 0, 3);
    bex_trajectories t;
    bex_plans plans;
    record(&t, p);
    replay(&plans, p, &t, 1);
    bool saved = bex_plans_save(&plans, path) == 0;
    if (!saved && !strstr(bex_error(), "HDF5")) fail_msg("%s", bex_error());
    if (saved) {
        enum { COUNT = EPISODES * LENGTH / COMMIT };
        bex_h5 *f;
        int chosen[2 * COUNT], trial[2 * COUNT], bad;
        bex_real *places = malloc((size_t)2 * COUNT * N * TINY_K * 2 * sizeof *places);
        assert_int_equal(bex_h5_open(&f, path), 0);
        assert_int_equal(bex_h5_read_integers(f, "chosen", 0, 2 * COUNT, chosen), 0);
        assert_int_equal(bex_h5_read_integers(f, "trial", 0, 2 * COUNT, trial), 0);
        assert_int_equal(bex_h5_read(f, "places", 0, 2 * COUNT, places, N * TINY_K * 2, &bad), 0);
        for (int c = 0; c < 2 * COUNT; c++) {
            assert_int_equal(trial[c], c / COUNT);
            assert_int_equal(chosen[c], plans.trial[c / COUNT].chosen[c % COUNT]);
        }
        assert_memory_equal(places + (size_t)COUNT * N * TINY_K * 2, plans.trial[1].places,
                            (size_t)COUNT * N * TINY_K * 2 * sizeof *places);
        free(places);
        bex_h5_close(f);
        unlink(path);
    }
    bex_plans_fini(&plans);
    bex_trajectories_fini(&t);
    bex_policy_free(p);
    if (!saved) skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_the_explorations),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(another_policy_shows),
        cmocka_unit_test(a_policy_that_does_not_choose_is_refused),
        cmocka_unit_test(the_summary_is_right),
        cmocka_unit_test(a_file_of_them_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
