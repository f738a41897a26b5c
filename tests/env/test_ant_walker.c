/* ant-walker: what it shows, pays and ends; the same bits for any number of threads. */
#include "env/ant/ant_walker.h"

#include "base/error.h"
#include "env/ant/ant_body.h"
#include "env/batch.h"
#include "test.h"

#include <math.h>
#include <omp.h>

typedef struct fixture {
    bex_world *world;
    bex_env *env;
    bex_mj_sim *sim;
    bex_real obs[BEX_ANT_STATE];
} fixture;

static fixture open_walker(uint64_t seed) {
    fixture f;
    if (bex_world_open(&f.world, "ant-walker", NULL) < 0) fail_msg("%s", bex_error());
    f.env = f.world->class->new (f.world);
    assert_non_null(f.env);
    f.sim = f.world->class->sim(f.env);
    assert_int_equal(f.world->class->reset(f.env, bex_rng_seed(seed), &(bex_frame){.state = f.obs}),
                     0);
    return f;
}

static void close_walker(fixture f) {
    f.world->class->free(f.env);
    bex_world_close(f.world);
}

static bool step(fixture *f, const bex_real *act, double *reward) {
    bex_real r;
    bool end;
    if (f->world->class->step(f->env, act, &(bex_frame){.state = f->obs}, &r, &end) < 0)
        fail_msg("%s", bex_error());
    *reward = (double)r;
    return end;
}

static double shown(const fixture *f) {
    return atan2((double)f->obs[28], (double)f->obs[27]);
}

static double apart(double a, double b) {
    return fabs(remainder(a - b, 6.283185307179586));
}

// the ant back in the middle of a free cell, in the air, at rest
static void put(fixture *f, double x, double y) {
    const double pose[7] = {x, y, 3, 1, 0, 0, 0};
    for (int i = 0; i < 7; i++) f->sim->qpos[i] = pose[i];
    for (int i = 0; i < 14; i++) f->sim->qvel[i] = 0;
}

/* The state without x and y, then a direction of norm 10. An ant that stays where it is sees targets
 * change about every 40 steps; half of them stand still, the others jump by the same right and left. */
static void it_shows_the_state_and_a_direction(void **state) {
    (void)state;
    enum { STEPS = 8000 };
    fixture f = open_walker(3);
    const bex_real still[8] = {0};
    double reward, before = shown(&f);
    int turns = 0, calm = 0, jumps = 0;
    for (int t = 0; t < STEPS; t++) {
        put(&f, 0, 0);
        assert_false(step(&f, still, &reward));
        for (int i = 0; i < 13; i++) assert_true(f.obs[i] == (bex_real)f.sim->qpos[2 + i]);
        for (int i = 0; i < 14; i++) assert_true(f.obs[13 + i] == (bex_real)f.sim->qvel[i]);
        assert_true(fabs(hypot((double)f.obs[27], (double)f.obs[28]) - 10) < 1e-4);
        // long after the start: from cell (1,1), a corner, there is only right and down
        assert_true(t < 400 || (f.obs[27] > R(-5.5) && f.obs[28] > R(-5.5)));
        double d = apart(shown(&f), before);
        turns += d > 0.9, calm += d < 1e-3, jumps += d >= 1e-3 && d <= 0.9;
        before = shown(&f);
    }
    // half of the new targets are in the cell the old one was in
    if (!(turns > 60 && turns < 140)) fail_msg("%d turns", turns);
    assert_true(fabs((double)calm / STEPS - 0.5) < 0.15 &&
                fabs((double)jumps / STEPS - 0.5) < 0.15);
    close_walker(f);
}

/* Slid towards the target at v m/s, it is paid for v: progress, at most 2. */
static void it_pays_for_speed_towards_the_target(void **state) {
    (void)state;
    const bex_real still[8] = {0};
    for (int kind = 0; kind < 3; kind++) {
        double sum = 0;
        for (uint64_t seed = 0; seed < 30; seed++) {
            fixture f = open_walker(seed);
            double a = shown(&f), v = kind == 0 ? 0.9 : kind == 1 ? -0.9 : 9, reward;
            put(&f, f.sim->qpos[0], f.sim->qpos[1]);
            f.sim->qvel[0] = v * cos(a), f.sim->qvel[1] = v * sin(a);
            assert_false(step(&f, still, &reward));
            sum += (reward - 0.25) / 30;
            close_walker(f);
        }
        double expected = kind == 0 ? 0.6 : kind == 1 ? -0.6 : 2;
        if (!(fabs(sum - expected) < 0.06))
            fail_msg("kind %d: paid %g, expected %g", kind, sum, expected);
    }
}

/* A target that was passed is not given up: the direction turns round. */
static void a_passed_target_stays(void **state) {
    (void)state;
    const bex_real still[8] = {0};
    int stayed = 0;
    for (uint64_t seed = 0; seed < 30; seed++) {
        fixture f = open_walker(seed);
        double a = shown(&f), x = f.sim->qpos[0], y = f.sim->qpos[1], reward;
        put(&f, x + 8 * cos(a), y + 8 * sin(a));
        assert_false(step(&f, still, &reward));
        stayed += apart(shown(&f), a) > 2.5;
        close_walker(f);
    }
    assert_true(stayed > 22);
}

// the direction from x, y after a step there
static double bearing(fixture *f, double x, double y) {
    const bex_real still[8] = {0};
    double reward;
    put(f, x, y);
    assert_false(step(f, still, &reward));
    return shown(f);
}

/* Found by its bearings from two places and stepped on, a target is replaced: the first place shows
 * another direction. Targets that jump (half) are not found, so they stay. */
static void a_reached_target_is_replaced(void **state) {
    (void)state;
    int replaced = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        fixture f = open_walker(seed);
        double x = f.sim->qpos[0], y = f.sim->qpos[1], a = bearing(&f, x, y);
        double b = bearing(&f, x - sin(a), y + cos(a)); // a metre to the left
        double far = 1 / tan(a - b);                    // along a, where the lines meet
        if (far > 0.5 && far < 9) {
            bearing(&f, x + far * cos(a), y + far * sin(a));
            replaced += apart(bearing(&f, x, y), a) > 0.05;
        }
        close_walker(f);
    }
    if (replaced < 20) fail_msg("%d of 60 replaced", replaced);
}

static void falling_ends_it(void **state) {
    (void)state;
    fixture f = open_walker(1);
    const bex_real still[8] = {0};
    double reward, values[BEX_ENV_MEASURES];
    assert_false(step(&f, still, &reward));
    f.world->class->measure(f.env, values);
    assert_true(values[2] == 0);
    f.sim->qpos[2] = 2; // on its back
    f.sim->qpos[3] = 0, f.sim->qpos[4] = 1, f.sim->qpos[5] = 0, f.sim->qpos[6] = 0;
    assert_true(step(&f, still, &reward));
    f.world->class->measure(f.env, values);
    assert_true(values[2] == 1 && values[0] >= 0 && fabs(values[1]) <= values[0] + 1e-12);
    assert_string_equal(f.world->class->measures[2], "fell");
    close_walker(f);
}

static void same_bits_on_any_number_of_threads(void **state) {
    (void)state;
    enum { B = 6, STEPS = 60 };
    bex_world *w;
    bex_env_batch *b[2];
    int most = omp_get_max_threads();
    assert_int_equal(bex_world_open(&w, "ant-walker", NULL), 0);
    for (int k = 0; k < 2; k++) {
        omp_set_num_threads(k ? 3 : 1);
        assert_int_equal(bex_env_batch_new(&b[k], w, B, 5), 0);
        for (int t = 0; t < STEPS; t++) {
            for (int i = 0; i < B * 8; i++) b[k]->act[i] = R(sin(0.7 * t + i));
            assert_int_equal(bex_env_batch_step(b[k]), 0);
        }
    }
    omp_set_num_threads(most);
    assert_memory_equal(b[0]->obs, b[1]->obs, B * 29 * sizeof(bex_real));
    assert_memory_equal(b[0]->sum, b[1]->sum, B * sizeof(double));
    bex_env_batch_free(b[0]);
    bex_env_batch_free(b[1]);
    bex_world_close(w);
}

static void what_it_has_not_is_refused(void **state) {
    (void)state;
    bex_world *w;
    bex_world_options o = {.keys = "maze=x.txt"};
    assert_int_equal(bex_world_open(&w, "ant-walker", &o), -1);
    assert_message("ant-walker: unknown key 'env.maze'");
    fixture f = open_walker(1);
    bex_real act[8] = {0, 0, R(NAN)}, reward;
    bool end;
    assert_int_equal(f.world->class->step(f.env, act, &(bex_frame){.state = f.obs}, &reward, &end),
                     -1);
    assert_message("action 2 is");
    close_walker(f);
}

int main(void) {
    if (!bex_mj_version()) return skip_all("no MuJoCo in this build");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_shows_the_state_and_a_direction),
        cmocka_unit_test(it_pays_for_speed_towards_the_target),
        cmocka_unit_test(a_passed_target_stays),
        cmocka_unit_test(a_reached_target_is_replaced),
        cmocka_unit_test(falling_ends_it),
        cmocka_unit_test(same_bits_on_any_number_of_threads),
        cmocka_unit_test(what_it_has_not_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
