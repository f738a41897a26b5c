/* The ant on its endless floor: facts, resets, goals, and what it must not do. */
#include "env/ant/ant.h"

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
} fixture;

static fixture open_ant(void) {
    fixture f;
    bex_real obs[BEX_ANT_STATE];
    if (bex_world_open(&f.world, "ant", NULL) < 0) fail_msg("%s", bex_error());
    f.env = f.world->class->new (f.world);
    assert_non_null(f.env);
    f.sim = f.world->class->sim(f.env);
    assert_int_equal(f.world->class->reset(f.env, bex_rng_seed(1), &(bex_frame){.state = obs}), 0);
    return f;
}

static void close_ant(fixture f) {
    f.world->class->free(f.env);
    bex_world_close(f.world);
}

static void mass_and_sizes_are_the_facts(void **state) {
    (void)state;
    fixture f = open_ant();
    assert_true(fabs(bex_mj_model_mass(f.sim->model) - 0.87871) < 5e-6);
    assert_true(fabs(f.world->dt - 0.1) < 1e-12 && f.world->substeps == 5);
    assert_int_equal(f.world->spec.state, 29);
    assert_int_equal(f.world->A, 8);
    assert_int_equal(f.sim->model->nq, 15);
    assert_int_equal(f.sim->model->nv, 14);
    assert_int_equal(f.world->time_limit, 1000);
    close_ant(f);
}

/* U(-0.1, 0.1) on all 15 positions, N(0, 0.1^2) on all 14 speeds; goals in a disc, denser inside. */
static void resets_have_their_distribution(void **state) {
    (void)state;
    enum { N = 4000 };
    fixture f = open_ant();
    double first[29] = {0}, second[29] = {0}, distance = 0;
    for (int n = 0; n < N; n++) {
        bex_real obs[29];
        bex_rng rng = bex_rng_split(bex_rng_seed(5), "r", (uint64_t)n);
        assert_int_equal(f.world->class->reset(f.env, rng, &(bex_frame){.state = obs}), 0);
        for (int i = 0; i < 29; i++) {
            double v = i < 15 ? f.sim->qpos[i] : f.sim->qvel[i - 15];
            double d = v - (i == 2 ? 0.75 : i == 3 ? 1 : 0);
            if (i < 15) assert_true(fabs(d) <= 0.1);
            first[i] += d / N, second[i] += d * d / N;
        }
        const double *goal = bex_ant_goal(f.env);
        distance += hypot(goal[0], goal[1]) / N;
        assert_true(hypot(goal[0], goal[1]) <= 10);
        for (int i = 2; i < 29; i++)
            assert_true(obs[i - 2] == R(i < 15 ? f.sim->qpos[i] : f.sim->qvel[i - 15]));
        for (int i = 0; i < 2; i++) assert_true(obs[27 + i] == R(goal[i] - f.sim->qpos[i]));
    }
    for (int i = 0; i < 29; i++) {
        double var = i < 15 ? 0.01 / 3 : 0.01, kurtosis = i < 15 ? 1.8 : 3;
        assert_true(fabs(first[i]) < 5 * sqrt(var / N));
        assert_true(fabs(second[i] - var) < 5 * var * sqrt((kurtosis - 1) / N));
    }
    assert_true(fabs(distance - 5) < 5 * (10 / sqrt(12)) / sqrt(N));
    close_ant(f);
}

static void reward_is_minus_the_distance_after_the_step(void **state) {
    (void)state;
    fixture f = open_ant();
    bex_real act[8] = {1, -1, 1, R(0.5), -1, 3, -3, 0}, obs[29], reward;
    bool terminated = true;
    bex_ant_goal_set(f.env, 3, -4);
    for (int t = 0; t < 50; t++) {
        assert_int_equal(
            f.world->class->step(f.env, act, &(bex_frame){.state = obs}, &reward, &terminated), 0);
        assert_false(terminated);
        assert_true(fabs((double)reward + hypot(3 - f.sim->qpos[0], -4 - f.sim->qpos[1])) < 1e-5);
        assert_true(obs[27] == R(3 - f.sim->qpos[0]) && obs[28] == R(-4 - f.sim->qpos[1]));
    }
    // actions beyond 1 are clipped: 30 Nm
    assert_true(f.sim->ctrl[5] == 30 && f.sim->ctrl[6] == -30 && f.sim->ctrl[3] == 15);
    close_ant(f);
}

/* An ant on its back lies there: no end, no way up by itself. */
static void a_fall_does_not_end_the_episode(void **state) {
    (void)state;
    fixture f = open_ant();
    bex_real act[8] = {0}, obs[29], reward;
    bool terminated;
    bex_mj_sim_reset(f.sim);
    f.sim->qpos[2] = 0.5, f.sim->qpos[3] = 0, f.sim->qpos[4] = 1; // half a turn about x
    for (int t = 0; t < 100; t++) {
        assert_int_equal(
            f.world->class->step(f.env, act, &(bex_frame){.state = obs}, &reward, &terminated), 0);
        assert_false(terminated);
    }
    assert_true(fabs(f.sim->qpos[2] - 0.25) < 0.05);
    close_ant(f);
}

static void a_batch_is_the_same_on_any_number_of_threads(void **state) {
    (void)state;
    enum { B = 6, STEPS = 60 };
    bex_world *w;
    bex_world_options o = {.time_limit = 25};
    assert_int_equal(bex_world_open(&w, "ant", &o), 0);
    bex_real last[2][B * 29];
    for (int k = 0; k < 2; k++) {
        bex_env_batch *b;
        omp_set_num_threads(k + 1);
        if (bex_env_batch_new(&b, w, B, 3) < 0) fail_msg("%s", bex_error());
        bex_rng rng = bex_rng_seed(8);
        for (int t = 0; t < STEPS; t++) {
            for (int i = 0; i < B * 8; i++) b->act[i] = R(2 * bex_rng_uniform(&rng) - 1);
            if (bex_env_batch_step(b) < 0) fail_msg("%s", bex_error());
        }
        assert_int_equal(b->episodes[0], 2);
        memcpy(last[k], b->obs, sizeof last[k]);
        bex_env_batch_free(b);
    }
    assert_memory_equal(last[0], last[1], sizeof last[0]);
    bex_world_close(w);
}

static void wrong_options_are_messages(void **state) {
    (void)state;
    bex_world *w;
    bex_world_options o = {.keys = "maze=x.txt"};
    assert_true(bex_world_open(&w, "ant", &o) < 0);
    assert_message("ant: unknown key 'env.maze'");
    o.keys = "time_limit=9";
    assert_int_equal(bex_world_open(&w, "ant", &o), 0);
    assert_int_equal(w->time_limit, 9);
    assert_null(w->own);
    bex_world_close(w);
    fixture f = open_ant();
    bex_real act[8] = {0, 0, 0, R(INFINITY)}, obs[29], reward;
    bool terminated;
    assert_true(f.world->class->step(f.env, act, &(bex_frame){.state = obs}, &reward, &terminated) <
                0);
    assert_message("action 3 is inf");
    close_ant(f);
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_and_sizes_are_the_facts),
        cmocka_unit_test(resets_have_their_distribution),
        cmocka_unit_test(reward_is_minus_the_distance_after_the_step),
        cmocka_unit_test(a_fall_does_not_end_the_episode),
        cmocka_unit_test(a_batch_is_the_same_on_any_number_of_threads),
        cmocka_unit_test(wrong_options_are_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
