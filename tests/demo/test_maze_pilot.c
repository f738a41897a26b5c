/* The demonstrator reaches its goals by the shortest way and obeys its law. */
#include "demo/maze_pilot.h"

#include "base/error.h"
#include "env/maze/maze2d.h"
#include "env/mj.h"

#include "test.h"

#include <math.h>

static bex_world *open_world(const char *name, int row, int col) {
    char key[32];
    snprintf(key, sizeof key, "start=%d,%d", row, col);
    bex_world_options o = {.keys = row < 0 ? NULL : key};
    bex_world *w;
    if (bex_world_open(&w, name, &o) < 0) fail_msg("%s", bex_error());
    return w;
}

/* Goals all over every maze: each reached within the time limit, and `over` exactly there. */
static void every_goal_is_reached(void **state) {
    (void)state;
    const char *names[] = {"maze2d-umaze", "maze2d-medium", "maze2d-large", "maze2d-open"};
    for (int n = 0; n < 4; n++) {
        bex_world *w = open_world(names[n], -1, -1);
        const bex_maze *m = bex_maze2d_maze(w);
        bex_env *env = w->class->new (w);
        bex_maze_pilot *d;
        assert_int_equal(bex_maze_pilot_new(&d, w, &(bex_maze_pilot_options){0}), 0);
        bex_real obs[4], act[2], goal[2], reward;
        bool terminated;
        int goals = 0, given_up = 0, since = 0;
        w->class->reset(env, bex_rng_seed(1), &(bex_frame){.state = obs});
        bex_maze_pilot_start(d, bex_rng_seed(2), obs);
        for (int t = 0; t < 100000; t++) {
            bool over = bex_maze_pilot_act(d, obs, act, goal);
            assert_true(fabs((double)act[0]) <= 1 && fabs((double)act[1]) <= 1);
            if (over && since < w->class->time_limit) {
                // over means: at the whole-number goal cell
                assert_true(hypot((double)obs[0] - round((double)goal[0]),
                                  (double)obs[1] - round((double)goal[1])) < 0.1);
                assert_true(bex_maze_cell_rounded(m, (double)goal[0], (double)goal[1]) ==
                            bex_maze_cell_at(m, (double)obs[0], (double)obs[1]));
                goals++;
            } else if (over) {
                given_up++;
            }
            since = over ? 0 : since + 1;
            assert_int_equal(
                w->class->step(env, act, &(bex_frame){.state = obs}, &reward, &terminated), 0);
        }
        assert_true(goals > 200);
        // in the open room the limit of 150 steps is short of the longest ways
        if (n < 3) assert_int_equal(given_up, 0);

        bex_maze_pilot_free(d);
        w->class->free(env);
        bex_world_close(w);
    }
}

/* With one cell as the only goal the actions can be computed here from the facts alone. */
static void the_law_by_hand(void **state) {
    (void)state;
    bex_world *w = open_world("maze2d-open", 2, 1);
    const bex_maze *m = bex_maze2d_maze(w);
    double weights[15] = {0};
    weights[bex_maze_cell(m, 2, 2)] = 1; // next to the start: one waypoint, the goal's cell
    bex_maze_pilot *d;
    assert_int_equal(bex_maze_pilot_new(&d, w, &(bex_maze_pilot_options){.weights = weights}), 0);
    bex_env *env = w->class->new (w);
    bex_real obs[4], act[2], goal[2], reward;
    bool terminated, over = false;
    w->class->reset(env, bex_rng_seed(6), &(bex_frame){.state = obs});
    bex_maze_pilot_start(d, bex_rng_seed(7), obs);
    int t = 0;
    for (; t < 300 && !over; t++) {
        over = bex_maze_pilot_act(d, obs, act, goal);
        assert_true(fabs((double)goal[0] - 2) <= 0.1 && fabs((double)goal[1] - 2) <= 0.1);
        for (int i = 0; i < 2; i++) {
            double a = 10 * (2 - (double)obs[i]) - (double)obs[2 + i];
            assert_true(fabs((double)act[i] - fmax(-1, fmin(1, a))) < 1e-6);
        }
        w->class->step(env, act, &(bex_frame){.state = obs}, &reward, &terminated);
    }
    assert_true(over && t > 10);
    // the same cell again: no new plan is needed and it is over at once, as in D4RL
    assert_true(bex_maze_pilot_act(d, obs, act, goal));
    bex_maze_pilot_free(d);
    w->class->free(env);
    bex_world_close(w);
}

static void waypoints_lie_short_of_the_cells(void **state) {
    (void)state;
    // far from its first waypoint the ball is pushed at full force; where it is slow and near, the
    // action tells the waypoint: w = obs + (act + v) / 10 wherever nothing is clipped
    bex_world *w = open_world("maze2d-large", 1, 1);
    const bex_maze *m = bex_maze2d_maze(w);
    bex_env *env = w->class->new (w);
    bex_maze_pilot *d;
    assert_int_equal(bex_maze_pilot_new(&d, w, &(bex_maze_pilot_options){0}), 0);
    bex_real obs[4], act[2], goal[2], reward;
    bool terminated;
    int seen = 0, whole = 0;
    w->class->reset(env, bex_rng_seed(1), &(bex_frame){.state = obs});
    bex_maze_pilot_start(d, bex_rng_seed(2), obs);
    for (int t = 0; t < 30000; t++) {
        bex_maze_pilot_act(d, obs, act, goal);
        double p[2];
        bool clear = true;
        for (int i = 0; i < 2; i++) {
            p[i] = (double)obs[i] + ((double)act[i] + (double)obs[2 + i]) / 10;
            clear = clear && fabs((double)act[i]) < 0.999;
        }
        if (clear) {
            double back[2] = {ceil(p[0] - 1e-5) - p[0], ceil(p[1] - 1e-5) - p[1]};
            assert_true(back[0] < 0.2 + 1e-5 && back[1] < 0.2 + 1e-5);
            assert_true(bex_maze_cell(m, (int)ceil(p[0] - 1e-5), (int)ceil(p[1] - 1e-5)) >= 0);
            whole += fabs(back[0]) < 1e-5 && fabs(back[1]) < 1e-5;
            seen++;
        }
        w->class->step(env, act, &(bex_frame){.state = obs}, &reward, &terminated);
    }
    assert_true(seen > 1000 && whole > 50 && whole < seen);
    bex_maze_pilot_free(d);
    w->class->free(env);
    bex_world_close(w);
}

static void patience_ends_a_goal(void **state) {
    (void)state;
    bex_world *w = open_world("maze2d-large", 1, 1);
    double weights[46] = {0};
    weights[45] = 1; // far away
    bex_maze_pilot *d;
    assert_int_equal(
        bex_maze_pilot_new(&d, w, &(bex_maze_pilot_options){.weights = weights, .patience = 20}),
        0);
    bex_env *env = w->class->new (w);
    bex_real obs[4], act[2], goal[2], reward;
    bool terminated;
    w->class->reset(env, bex_rng_seed(6), &(bex_frame){.state = obs});
    bex_maze_pilot_start(d, bex_rng_seed(7), obs);
    for (int t = 0; t < 63; t++) {
        assert_int_equal(bex_maze_pilot_act(d, obs, act, goal), t % 21 == 20);
        w->class->step(env, act, &(bex_frame){.state = obs}, &reward, &terminated);
    }
    bex_maze_pilot_free(d);
    bex_maze_pilot_free(NULL);
    w->class->free(env);
    bex_world_close(w);
}

static void noise_has_its_size(void **state) {
    (void)state;
    bex_world *w = open_world("maze2d-open", 2, 3);
    double weights[15] = {0};
    weights[bex_maze_cell(bex_maze2d_maze(w), 2, 3)] = 1;
    bex_maze_pilot *d;
    assert_int_equal(
        bex_maze_pilot_new(&d, w, &(bex_maze_pilot_options){.weights = weights, .noise = 0.1}), 0);
    bex_real obs[4] = {2, 3, 0, 0}, act[2], goal[2];
    bex_maze_pilot_start(d, bex_rng_seed(7), obs);
    enum { N = 20000 };
    double sum = 0, squares = 0;
    for (int t = 0; t < N; t++) {
        bex_maze_pilot_act(d, obs, act, goal); // at rest on the target: the law says 0
        for (int i = 0; i < 2; i++) sum += (double)act[i], squares += (double)(act[i] * act[i]);
    }
    assert_true(fabs(sum / (2 * N)) < 5 * 0.1 / sqrt(2 * N));
    assert_true(fabs(squares / (2 * N) - 0.01) < 5 * 0.01 * sqrt(2.0 / (2 * N)));
    bex_maze_pilot_free(d);
    bex_world_close(w);
}

/* D4RL published returns of a random policy and of its controller. The controller plans only when the
 * goal's cell changes, and in evaluation it never does: from the second episode on it pushes straight
 * at the goal, walls or not. One start for all episodes does the same here, and gives the published
 * returns: physics, resets, reward, limit and law in one number. D4RL's are means of about 100
 * episodes, so their standard error is that of ours times sqrt(episodes / 100). */
static void returns_are_those_d4rl_published(void **state) {
    (void)state;
    enum { EPISODES = 250 };
    const char *names[] = {"maze2d-umaze", "maze2d-medium", "maze2d-large"};
    for (int k = 0; k < 6; k++) {
        bex_world *w = open_world(names[k / 2], -1, -1);
        const bex_maze *m = bex_maze2d_maze(w);
        double weights[64] = {0}, sum = 0, squares = 0;
        weights[m->goal] = 1;
        bex_maze_pilot *d;
        bex_env *env = w->class->new (w);
        assert_int_equal(
            bex_maze_pilot_new(&d, w,
                               &(bex_maze_pilot_options){.weights = weights, .patience = 1 << 30}),
            0);
        for (int e = 0; e < EPISODES; e++) {
            bex_rng rng = bex_rng_split(bex_rng_seed(7), "episode", (uint64_t)e);
            bex_real obs[4], act[2], goal[2], reward;
            bool terminated;
            double total = 0;
            w->class->reset(env, rng, &(bex_frame){.state = obs});
            rng = bex_rng_split(rng, "actions", 0);
            if (e == 0) bex_maze_pilot_start(d, rng, obs);
            for (int t = 0; t < w->time_limit; t++) {
                if (k % 2)
                    bex_maze_pilot_act(d, obs, act, goal);
                else
                    for (int i = 0; i < 2; i++) act[i] = R(2 * bex_rng_uniform(&rng) - 1);
                w->class->step(env, act, &(bex_frame){.state = obs}, &reward, &terminated);
                total += (double)reward;
            }
            sum += total, squares += total * total;
        }
        double mean = sum / EPISODES, deviation = sqrt(squares / EPISODES - mean * mean);
        double error = deviation * sqrt(1.0 / EPISODES + 1.0 / 100);
        if (fabs(mean - w->class->score[k % 2]) > 3 * error)
            fail_msg("%s: %g, D4RL %g, standard error of the difference %g", names[k / 2], mean,
                     w->class->score[k % 2], error);
        bex_maze_pilot_free(d);
        w->class->free(env);
        bex_world_close(w);
    }
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_goal_is_reached),
        cmocka_unit_test(the_law_by_hand),
        cmocka_unit_test(waypoints_lie_short_of_the_cells),
        cmocka_unit_test(patience_ends_a_goal),
        cmocka_unit_test(noise_has_its_size),
        cmocka_unit_test(returns_are_those_d4rl_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
