/* The kitchen against its facts: places, noise, control law, couplings, tasks, rewards; and one
 * trajectory of our own kept as golden. */
#include "env/kitchen/kitchen.h"

#include "base/error.h"
#include "env/mj.h"

#include "test.h"

#include <math.h>

typedef struct fixture {
    bex_world *world;
    bex_env *env;
    bex_mj_sim *sim;
    bex_real obs[BEX_KITCHEN_O];
} fixture;

static fixture open_world(const char *name) {
    fixture f;
    if (bex_world_open(&f.world, name, NULL) < 0) fail_msg("%s", bex_error());
    f.env = f.world->class->new (f.world);
    assert_non_null(f.env);
    f.sim = f.world->class->sim(f.env);
    assert_int_equal(f.world->class->reset(f.env, bex_rng_seed(1), &(bex_frame){.state = f.obs}),
                     0);
    return f;
}

static void close_world(fixture *f) {
    f->world->class->free(f->env);
    bex_world_close(f->world);
}

static bex_real step(fixture *f, const bex_real *act, bool *terminated) {
    bex_real reward;
    if (f->world->class->step(f->env, act, &(bex_frame){.state = f->obs}, &reward, terminated) < 0)
        fail_msg("%s", bex_error());
    return reward;
}

static void things_are_where_d4rl_has_them(void **state) {
    (void)state;
    static const struct {
        const char *site;
        double at[3];
    } places[] = {
        {"hand", {-0.432, 0.119, 2.025}},          {"microwave_handle", {-0.642, 0.493, 1.792}},
        {"kettle_handle", {-0.273, 0.348, 1.878}}, {"knob1", {-0.133, 0.640, 2.226}},
        {"knob2", {-0.256, 0.640, 2.226}},         {"knob3", {-0.133, 0.640, 2.340}},
        {"knob4", {-0.256, 0.640, 2.340}},         {"slide_handle", {-0.109, 0.607, 2.600}},
        {"left_handle", {-0.683, 0.580, 2.600}},   {"right_handle", {-0.526, 0.583, 2.600}},
    };
    fixture f = open_world("kitchen-partial");
    double at[3];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        assert_true(bex_mj_sim_site(f.sim, places[i].site, at));
        for (int k = 0; k < 3; k++)
            if (fabs(at[k] - places[i].at[k]) > 0.0015)
                fail_msg("%s: %g %g %g", places[i].site, at[0], at[1], at[2]);
    }
    assert_false(bex_mj_sim_site(f.sim, "no such site", at));
    f.sim->qpos[22] = -0.75; // a door opened by hand
    assert_int_equal(bex_mj_sim_pose(f.sim), 0);
    assert_true(bex_mj_sim_site(f.sim, "microwave_handle", at));
    assert_true(at[1] < 0.493 - 0.2);
    close_world(&f);
}

static void episodes_start_in_d4rls_pose(void **state) {
    (void)state;
    static const double robot[9] = {0.148388, -1.768486, 1.843903, -2.476858, 0.260252,
                                    0.712533, 1.595154,  0.047927, 0.037135};
    // MuJoCo makes a unit quaternion of 1.006188, 0.004064, -0.006621, -0.000268
    static const double kettle[7] = {-0.269397, 0.350383,  1.619447, 0.999970,
                                     0.004039,  -0.006580, -0.000266};
    fixture f = open_world("kitchen-mixed");
    bex_real act[9] = {1, 1, -1, -1, 1, 1, 1, -1, -1};
    bool terminated;
    for (int n = 0; n < 2; n++) {
        for (int i = 0; i < 9; i++) assert_true(fabs(f.sim->qpos[i] - robot[i]) < 1e-6);
        for (int i = 9; i < 23; i++) assert_true(fabs(f.sim->qpos[i]) < 0.007);
        for (int i = 0; i < 7; i++) assert_true(fabs(f.sim->qpos[23 + i] - kettle[i]) < 1e-6);
        for (int i = 0; i < 29; i++) assert_true(f.sim->qvel[i] == 0);
        for (int i = 0; i < 9; i++) assert_true(f.sim->ctrl[i] == 0);
        for (int t = 0; t < 5; t++) step(&f, act, &terminated); // and again after some motion
        f.world->class->reset(f.env, bex_rng_seed(8), &(bex_frame){.state = f.obs});
    }
    close_world(&f);
}

static void worlds_have_d4rls_shape_and_goals(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int absent; // a goal entry that is 0 there
        int present;
    } worlds[] = {{"kitchen-complete", 11, 19},
                  {"kitchen-partial", 11, 19},
                  {"kitchen-mixed", 19, 11},
                  {"kitchen", 11, 19}};
    for (int i = 0; i < 4; i++) {
        fixture f = open_world(worlds[i].name);
        const bex_world *w = f.world;
        assert_int_equal(w->spec.state, 60);
        assert_int_equal(w->A, 9);
        assert_int_equal(w->time_limit, 280);
        assert_int_equal(w->regions, 16);
        assert_int_equal(w->goals, 4);
        assert_true(fabs(w->dt - 0.08) < 1e-12);
        assert_int_equal(__builtin_popcount(bex_kitchen_goals(w)), BEX_KITCHEN_GOALS);
        static const char *const names[2][4] = {
            {"light switch", "slide cabinet", "microwave", "kettle"},
            {"bottom burner", "light switch", "microwave", "kettle"}};
        for (int g = 0; g < 4; g++) {
            char name[BEX_GOAL_NAME];
            w->class->goal_name(w, g, name);
            assert_string_equal(name, names[i == 2][g]);
        }
        assert_true(f.obs[30 + worlds[i].absent] == 0);
        assert_true(f.obs[30 + worlds[i].present] != 0);
        assert_true(fabs((double)f.obs[30 + 22] + 0.75) < 1e-6);
        assert_true(fabs((double)f.obs[30 + 29] + 0.06) < 1e-6);
        close_world(&f);
    }
}

static void noise_fills_its_range_and_no_more(void **state) {
    (void)state;
    static const double most[] = {0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 5e-4,
                                  5e-4, 5e-5, 5e-5, 5e-5, 5e-5, 5e-5, 5e-5, 5e-4, 5e-4, 5e-4,
                                  0.01, 0.01, 0.01, 5e-4, 5e-4, 5e-4, 0.01, 0.01, 0.01, 5e-4};
    fixture f = open_world("kitchen-partial");
    double largest[30] = {0}, mean[30] = {0};
    enum { DRAWS = 400 };
    for (int n = 0; n < DRAWS; n++) {
        f.world->class->reset(f.env, bex_rng_seed((uint64_t)n), &(bex_frame){.state = f.obs});
        for (int i = 0; i < 30; i++) {
            double off = (double)f.obs[i] - f.sim->qpos[i];
            largest[i] = fmax(largest[i], fabs(off));
            mean[i] += off / DRAWS;
        }
    }
    for (int i = 0; i < 30; i++) {
        assert_true(largest[i] <= most[i] + 2e-7);
        assert_true(largest[i] > 0.95 * most[i]);
        assert_true(fabs(mean[i]) < 4 * most[i] / sqrt(3.0 * DRAWS) + 2e-7);
    }
    close_world(&f);
}

static void servos_are_sent_from_what_was_observed(void **state) {
    (void)state;
    fixture f = open_world("kitchen-partial");
    bex_real act[9] = {R(0.5), R(0.25), R(3), R(-3), 0, R(0.1), R(-0.1), 0, R(-0.5)};
    bex_real before[9];
    bool terminated;
    memcpy(before, f.obs, sizeof before);
    step(&f, act, &terminated);
    for (int i = 0; i < 9; i++) {
        double a = fmax(-1, fmin(1, (double)act[i])), target = (double)before[i] + 0.16 * a;
        if (i >= 7) target = fmax(0, fmin(0.04, target));
        assert_true(fabs(f.sim->ctrl[i] - target) < 1e-9);
    }
    // to the bounds: joint 4 may not be sent above 0, nor joint 2 below -1.8
    bex_real push[9] = {0, -1, 0, 1};
    for (int t = 0; t < 25; t++) step(&f, push, &terminated);
    assert_true(fabs(f.sim->ctrl[1] + 1.8) < 1e-12);
    close_world(&f);
}

static void knobs_and_lever_carry_their_partners(void **state) {
    (void)state;
    fixture f = open_world("kitchen-partial");
    bex_real still[9] = {0};
    bool terminated;
    for (int k = 0; k < 4; k++) f.sim->qpos[9 + 2 * k] = -0.8, f.sim->qpos[10 + 2 * k] = -0.8 / 174;
    f.sim->qpos[17] = -0.6, f.sim->qpos[18] = -0.6 / 14;
    for (int t = 0; t < 10; t++) step(&f, still, &terminated);
    for (int k = 0; k < 4; k++) {
        assert_true(f.sim->qpos[9 + 2 * k] < -0.3);
        assert_true(fabs(f.sim->qpos[9 + 2 * k] - 174 * f.sim->qpos[10 + 2 * k]) < 0.02);
    }
    assert_true(f.sim->qpos[17] < -0.5); // dry friction holds it
    assert_true(fabs(f.sim->qpos[17] - 14 * f.sim->qpos[18]) < 0.01);
    close_world(&f);
}

static void a_task_is_done_within_0_3(void **state) {
    (void)state;
    fixture f = open_world("kitchen-partial");
    bex_real at[30];
    assert_int_equal(bex_kitchen_done(f.obs), 0);
    for (int k = 0; k < BEX_KITCHEN_TASKS; k++) {
        const bex_kitchen_task *t = &bex_kitchen_tasks[k];
        memcpy(at, f.obs, sizeof at);
        for (int i = 0; i < t->count; i++) at[t->first + i] = R(t->goal[i]);
        assert_int_equal(bex_kitchen_done(at), 1u << k);
        at[t->first] = R(t->goal[0] + 0.299);
        assert_int_equal(bex_kitchen_done(at), 1u << k);
        at[t->first] = R(t->goal[0] + 0.301);
        assert_int_equal(bex_kitchen_done(at), 0);
    }
    close_world(&f);
}

static void place_task(fixture *f, const char *label) {
    for (int k = 0; k < BEX_KITCHEN_TASKS; k++) {
        const bex_kitchen_task *t = &bex_kitchen_tasks[k];
        for (int i = 0; i < t->count && !strcmp(t->label, label); i++)
            f->sim->qpos[t->first + i] = t->goal[i];
    }
}

static void a_task_pays_once_and_all_four_end_it(void **state) {
    (void)state;
    fixture f = open_world("kitchen-partial");
    bex_real still[9] = {0};
    bool terminated;
    assert_int_equal(f.world->class->region(f.world, f.obs), 0);
    place_task(&f, "hinge"); // none of the four
    assert_true(step(&f, still, &terminated) == 0 && !terminated);
    place_task(&f, "microwave");
    place_task(&f, "slide");
    assert_true(step(&f, still, &terminated) == 2 && !terminated);
    int region = f.world->class->region(f.world, f.obs);
    assert_int_equal(__builtin_popcount((unsigned)region), 2);
    assert_true(step(&f, still, &terminated) == 0 && !terminated);
    place_task(&f, "kettle");
    assert_true(step(&f, still, &terminated) == 1 && !terminated);
    place_task(&f, "switch");
    assert_true(step(&f, still, &terminated) == 1 && terminated);
    assert_int_equal(f.world->class->region(f.world, f.obs), 15);
    assert_true(fabs(bex_env_score(f.world->class, 4) - 100) < 1e-12);
    // a new episode pays anew
    f.world->class->reset(f.env, bex_rng_seed(2), &(bex_frame){.state = f.obs});
    place_task(&f, "microwave");
    assert_true(step(&f, still, &terminated) == 1 && !terminated);
    close_world(&f);
}

static void exploring_goes_on_when_all_is_done(void **state) {
    (void)state;
    bex_world_options o = {.explore = true};
    fixture f;
    assert_int_equal(bex_world_open(&f.world, "kitchen-mixed", &o), 0);
    assert_int_equal(f.world->time_limit, 280);
    f.env = f.world->class->new (f.world);
    f.sim = f.world->class->sim(f.env);
    f.world->class->reset(f.env, bex_rng_seed(1), &(bex_frame){.state = f.obs});
    bex_real still[9] = {0};
    bool terminated;
    place_task(&f, "bottomknob");
    step(&f, still, &terminated);
    assert_int_equal(f.world->class->found(f.world, f.obs), 1); // the first of its four
    place_task(&f, "microwave"), place_task(&f, "kettle"), place_task(&f, "switch");
    assert_true(step(&f, still, &terminated) == 3 && !terminated);
    assert_int_equal(f.world->class->found(f.world, f.obs), 15);
    close_world(&f);
}

static void the_kettle_rests_on_the_stove(void **state) {
    (void)state;
    fixture f = open_world("kitchen-partial");
    bex_real still[9] = {0};
    bool terminated;
    for (int t = 0; t < 25; t++) step(&f, still, &terminated);
    assert_true(fabs(f.sim->qpos[23] + 0.269) < 0.003);
    assert_true(fabs(f.sim->qpos[24] - 0.350) < 0.003);
    assert_true(fabs(f.sim->qpos[25] - 1.6193) < 3e-4); // as in the human logs
    for (int i = 27; i < 30; i++) assert_true(fabs(f.sim->qpos[i]) < 2e-3);
    close_world(&f);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    bex_world *w;
    static const char *const keys[] = {"maze=x.txt", "start=1,1", "goal=1,1", "splits=2",
                                       "dense=true"};
    for (int i = 0; i < 5; i++) { // a maze's, not its own
        char message[64];
        snprintf(message, sizeof message, "kitchen-mixed: unknown key 'env.%.*s'",
                 (int)strcspn(keys[i], "="), keys[i]);
        assert_true(bex_world_open(&w, "kitchen-mixed", &(bex_world_options){.keys = keys[i]}) < 0);
        assert_message(message);
    }
    fixture f = open_world("kitchen-partial");
    bex_real act[9] = {0}, reward;
    bool terminated;
    act[4] = (bex_real)NAN;
    assert_true(
        f.world->class->step(f.env, act, &(bex_frame){.state = f.obs}, &reward, &terminated) < 0);
    assert_message("action 4");
    close_world(&f);
}

// Golden: the arm driven into the kettle by constant actions, seed 3. Made by this test itself with
// MuJoCo 2.2.2: `BEX_PRINT=1 test_env_kitchen` prints the table.
static const double golden_act[9] = {-0.30, 0.05, 0.05, 0.10, 0.10, -0.05, -0.25, 0, 0};
enum { GOLDEN_STEPS = 40, GOLDEN_EVERY = 10 };
static const double golden[GOLDEN_STEPS / GOLDEN_EVERY][30] = {
    {-0.092429, -1.763321, 2.033583,  -2.346352, 0.372546,  0.675667,  1.359354, 0.031266,
     0.037668,  -0.000041, -0.000000, 0.000025,  0.000000,  0.000025,  0.000000, 0.000025,
     0.000000,  0.000022,  0.000005,  -0.000000, -0.006441, -0.000000, 0.000000, -0.269447,
     0.350370,  1.619374,  1.000000,  0.000000,  0.000015,  -0.000292},
    {-0.333201, -1.763580, 2.198733, -2.218407, 0.498931,  0.648491,  1.092826, 0.024297,
     0.035112,  0.000025,  0.000000, 0.000025,  0.000000,  0.000025,  0.000000, 0.000025,
     0.000000,  0.000022,  0.000005, -0.000000, -0.006441, -0.000000, 0.000000, -0.269463,
     0.350370,  1.619369,  1.000000, 0.000000,  0.000070,  -0.000292},
    {-0.517127, -1.762907, 2.217571, -2.116341, 0.432800,  0.644782,  0.864254, 0.017047,
     -0.000408, 0.000025,  0.000000, 0.000025,  0.000000,  0.000025,  0.000000, 0.000025,
     0.000000,  0.000022,  0.000005, -0.000000, -0.006441, -0.000000, 0.000000, -0.251376,
     0.371399,  1.618605,  0.999807, 0.003892,  -0.002807, -0.019076},
    {-0.688233, -1.758004, 2.201185, -2.016998, 0.297521,  0.584639,  0.590430, 0.013042,
     -0.000369, 0.000025,  0.000000, 0.000025,  0.000000,  0.000025,  0.000000, 0.000025,
     0.000000,  0.000022,  0.000005, -0.000000, -0.006441, -0.000000, 0.000000, -0.229456,
     0.399888,  1.618849,  0.999075, 0.002980,  -0.001231, -0.042887},
};

static void a_trajectory_is_what_it_was(void **state) {
    (void)state;
    fixture f = open_world("kitchen-partial");
    bool terminated, print = getenv("BEX_PRINT") != NULL;
    bex_real act[9];
    for (int i = 0; i < 9; i++) act[i] = R(golden_act[i]);
    f.world->class->reset(f.env, bex_rng_seed(3), &(bex_frame){.state = f.obs});
    for (int t = 1; t <= GOLDEN_STEPS; t++) {
        step(&f, act, &terminated);
        if (t % GOLDEN_EVERY) continue;
        const double *want = golden[t / GOLDEN_EVERY - 1];
        for (int i = 0; i < 30; i++) {
            if (print)
                printf("%.6f%s", f.sim->qpos[i], i < 29 ? ", " : "},\n");
            else if (fabs(f.sim->qpos[i] - want[i]) > 2e-3)
                fail_msg("step %d, position %d: %g, golden %g", t, i, f.sim->qpos[i], want[i]);
        }
    }
    close_world(&f);
}

int main(void) {
    if (!bex_mj_version()) return skip_all("built without MuJoCo");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(things_are_where_d4rl_has_them),
        cmocka_unit_test(episodes_start_in_d4rls_pose),
        cmocka_unit_test(worlds_have_d4rls_shape_and_goals),
        cmocka_unit_test(noise_fills_its_range_and_no_more),
        cmocka_unit_test(servos_are_sent_from_what_was_observed),
        cmocka_unit_test(knobs_and_lever_carry_their_partners),
        cmocka_unit_test(a_task_is_done_within_0_3),
        cmocka_unit_test(a_task_pays_once_and_all_four_end_it),
        cmocka_unit_test(exploring_goes_on_when_all_is_done),
        cmocka_unit_test(the_kettle_rests_on_the_stove),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(a_trajectory_is_what_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
