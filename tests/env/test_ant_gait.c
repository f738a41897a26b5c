/* Numbers of a walk, counted by hand. */
#include "env/ant/ant_gait.h"

#include "base/error.h"
#include "env/mj.h"
#include "test.h"

#include <math.h>

static void put(bex_real *obs, double x, double y, bool flipped) {
    memset(obs, 0, 29 * sizeof *obs);
    obs[0] = R(x), obs[1] = R(y), obs[3] = !flipped, obs[4] = flipped;
}

static void a_walk_by_hand(void **state) {
    (void)state;
    bex_world *w;
    if (bex_world_open(&w, "antmaze-medium", NULL) < 0) fail_msg("%s", bex_error());
    bex_real obs[5 * 29], goal[2] = {R(4.2), R(0.4)};
    put(obs, 0, 0, false);
    put(obs + 29, 1, 0, false);     // 1 m
    put(obs + 2 * 29, 3, 0, true);  // 2 m, another cell, on its back
    put(obs + 3 * 29, 9, 9, true);  // not counted as walking
    put(obs + 4 * 29, 4, 0, false); // the goal
    bex_ant_gait a = {0};
    assert_int_equal(bex_ant_gait_add(&a, w, obs, goal, 5), 0);
    assert_int_equal(a.episodes, 1);
    assert_int_equal(a.reached, 1);
    assert_int_equal(a.fell, 1);
    assert_int_equal(a.states, 5);
    assert_int_equal(a.flipped, 2);
    assert_int_equal(a.steps, 2);
    assert_true(fabs(a.metres - 3) < 1e-6);
    assert_int_equal(a.cells, 3);
    assert_int_equal(bex_ant_gait_add(&a, w, obs, goal, 2), 0);
    assert_int_equal(a.episodes, 2);
    assert_int_equal(a.reached, 1);
    assert_int_equal(a.fell, 1);
    assert_int_equal(a.cells, 4);
    assert_int_equal(a.cells2, 10);
    // the same two as a trial: rows 0-2 and 3-4, no goal
    double values[BEX_ENV_CONDUCT];
    assert_int_equal(w->class->judge(w, obs, (const int[]){0, 3, 5}, 2, values), 0);
    assert_string_equal(w->class->conduct[0], "flipped_states");
    assert_true(fabs(values[0] - 2 / 5.0) < 1e-12);
    assert_string_equal(w->class->conduct[1], "flipped_episodes");
    assert_true(fabs(values[1] - 1) < 1e-12);
    assert_string_equal(w->class->conduct[2], "metres_per_upright_step");
    assert_true(fabs(values[2] - 1.5) < 1e-6);
    assert_null(w->class->conduct[3]);
    bex_world_close(w);
}

static void turned_by_more_than_a_right_angle(void **state) {
    (void)state;
    for (int degrees = 0; degrees < 360; degrees += 20) {
        double h = degrees * 0.00872664626;
        bex_real about_x[29] = {0, 0, 0, R(cos(h)), R(sin(h))};
        bex_real about_z[29] = {0, 0, 0, R(cos(h)), 0, 0, R(sin(h))};
        assert_int_equal(bex_ant_flipped(about_x), degrees > 90 && degrees < 270);
        assert_false(bex_ant_flipped(about_z));
    }
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_by_hand),
        cmocka_unit_test(turned_by_more_than_a_right_angle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
