/* AntMaze worlds: grids, goals, regions, resets, rewards, ends, pictures, and staying inside walls. */
#include "env/ant/antmaze.h"

#include "base/error.h"
#include "env/ant/ant_body.h"
#include "test.h"

#include <math.h>

typedef struct fixture {
    bex_world *world;
    bex_env *env;
    bex_mj_sim *sim;
} fixture;

static fixture open_with(const char *name, bex_world_options o) {
    fixture f;
    bex_real obs[BEX_ANT_STATE];
    if (bex_world_open(&f.world, name, &o) < 0) fail_msg("%s", bex_error());
    f.env = f.world->class->new (f.world);
    assert_non_null(f.env);
    f.sim = f.world->class->sim(f.env);
    assert_int_equal(f.world->class->reset(f.env, bex_rng_seed(1), &(bex_frame){.state = obs}), 0);
    return f;
}

static fixture open_world(const char *name, const char *keys) {
    return open_with(name, (bex_world_options){.keys = keys});
}

static void close_world(fixture f) {
    f.world->class->free(f.env);
    bex_world_close(f.world);
}

static unsigned found_at(const bex_world *w, double x, double y) {
    bex_real obs[BEX_ANT_STATE] = {R(x), R(y)};
    return w->class->found(w, obs);
}

static int region_at(const bex_world *w, double x, double y) {
    bex_real obs[BEX_ANT_STATE] = {R(x), R(y)};
    return w->class->region(w, obs);
}

static void mazes_are_the_facts(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int rows, cols, cells, goals, limit, explore, farthest;
    } facts[] = {
        {"antmaze-umaze", 5, 5, 7, 1, 700, 500, 6},
        {"antmaze-medium", 8, 8, 26, 4, 1000, 500, 11},
        {"antmaze-large", 9, 12, 46, 4, 1000, 750, 15},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        fixture f = open_world(facts[i].name, NULL);
        const bex_maze *m = bex_antmaze_maze(f.world);
        int steps[64], queue[64], farthest = 0;
        assert_int_equal(m->rows, facts[i].rows);
        assert_int_equal(m->cols, facts[i].cols);
        assert_int_equal(m->cells, facts[i].cells);
        assert_int_equal(f.world->regions, facts[i].cells);
        assert_int_equal(f.world->goals, facts[i].goals);
        assert_int_equal(f.world->time_limit, facts[i].limit);
        assert_true(fabs(f.world->dt - 0.1) < 1e-12 && f.world->substeps == 5);
        assert_int_equal(f.world->spec.state, 29);
        assert_int_equal(f.world->A, 8);
        assert_int_equal(bex_maze_cell(m, 1, 1), 0); // where D4RL starts
        bex_maze_distances(m, 0, steps, queue);
        for (int c = 0; c < m->cells; c++)
            if (steps[c] > farthest) farthest = steps[c];
        assert_int_equal(farthest, facts[i].farthest);
        close_world(f);
        f = open_with(facts[i].name, (bex_world_options){.explore = true});
        assert_int_equal(f.world->time_limit, facts[i].explore);
        close_world(f);
    }
}

/* SUPE's table: middles of the goal cells and steps from the start. */
static void goals_are_supes(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double at[4][2];
        int steps[4];
    } facts[] = {
        {"antmaze-medium", {{20, 20}, {16, 0}, {0, 20}, {8, 20}}, {10, 8, 7, 9}},
        {"antmaze-large", {{32, 24}, {4, 24}, {36, 0}, {20, 24}}, {14, 7, 13, 11}},
    };
    for (int i = 0; i < 2; i++) {
        fixture f = open_world(facts[i].name, NULL);
        const bex_maze *m = bex_antmaze_maze(f.world);
        int steps[64], queue[64];
        bex_maze_distances(m, 0, steps, queue);
        for (int g = 0; g < 4; g++) {
            double x = facts[i].at[g][0], y = facts[i].at[g][1], root = sqrt(0.5) / 2;
            unsigned bit = 1u << g;
            assert_int_equal(steps[region_at(f.world, x, y)], facts[i].steps[g]);
            // the square, its sides + 0.5, its round corners
            assert_int_equal(found_at(f.world, x + 0.75, y + 0.75), bit);
            assert_int_equal(found_at(f.world, x - 0.499, y + 1), bit);
            assert_int_equal(found_at(f.world, x - 0.501, y + 1), 0);
            assert_int_equal(found_at(f.world, x + 1, y + 1.999), bit);
            assert_int_equal(found_at(f.world, x + 1, y + 2.001), 0);
            assert_int_equal(found_at(f.world, x + 1.499 + root, y - root), bit);
            assert_int_equal(found_at(f.world, x + 1.6 + root, y - root), 0);
        }
        char name[BEX_GOAL_NAME];
        f.world->class->goal_name(f.world, 1, name);
        assert_string_equal(name, i ? "goal 2 (7,2)" : "goal 2 (1,5)");
        assert_int_equal(found_at(f.world, 0, 0), 0);
        assert_int_equal(found_at(f.world, NAN, 0), 0);
        close_world(f);
    }
}

static void regions_are_cells_of_four_metres(void **state) {
    (void)state;
    fixture f = open_world("antmaze-large", NULL);
    const bex_maze *m = bex_antmaze_maze(f.world);
    for (int c = 0; c < m->cells; c++)
        for (int k = 0; k < 4; k++) {
            double x = 4 * (m->at[c][1] - 1) + (k % 2 ? 1.99 : -1.99);
            double y = 4 * (m->at[c][0] - 1) + (k / 2 ? 1.99 : -1.99);
            assert_int_equal(region_at(f.world, x, y), c);
        }
    assert_int_equal(region_at(f.world, -2.01, 0), -1);
    assert_int_equal(region_at(f.world, 1e9, 0), -1);
    assert_int_equal(region_at(f.world, NAN, 0), -1);
    close_world(f);
    f = open_world("antmaze-medium", "splits=2");
    assert_int_equal(f.world->regions, 104);
    assert_int_equal(region_at(f.world, -1, -1), 0);
    assert_int_equal(region_at(f.world, 1, -1), 1);
    assert_int_equal(region_at(f.world, -1, 1), 2);
    assert_int_equal(region_at(f.world, 1, 1), 3);
    assert_int_equal(region_at(f.world, 3, -1), 4);
    close_world(f);
}

static void episodes_start_at_the_origin_or_where_told(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        fixture f = open_world("antmaze-medium", k ? "start=3,4" : NULL);
        for (int n = 0; n < 200; n++) {
            bex_real obs[29];
            f.world->class->reset(f.env, bex_rng_seed((uint64_t)n), &(bex_frame){.state = obs});
            assert_true(fabs((double)obs[0] - 12 * k) <= 0.1001); // column 4
            assert_true(fabs((double)obs[1] - 8 * k) <= 0.1001);  // row 3
            for (int i = 7; i < 15; i++) assert_true(fabs((double)obs[i]) <= 0.1001);
        }
        bex_real obs[29];
        bex_antmaze_put(f.env, bex_rng_seed(3), 7.5, 3.25, obs);
        assert_true(obs[0] == R(7.5) && obs[1] == R(3.25) && obs[2] != R(0.75));
        close_world(f);
    }
}

// is a reward paid after a step that begins here?
static int paid(fixture f, double x, double y) {
    bex_real act[8] = {0}, obs[29], reward;
    bool terminated;
    bex_mj_sim_reset(f.sim);
    f.sim->qpos[0] = x, f.sim->qpos[1] = y, f.sim->qpos[2] = 0.5;
    if (f.world->class->step(f.env, act, &(bex_frame){.state = obs}, &reward, &terminated) < 0)
        fail_msg("%s", bex_error());
    assert_int_equal(terminated, reward > 0);
    return reward > 0;
}

/* The target is new in each episode and inside the square of the goal's cell. */
static void reaching_the_target_pays_and_ends(void **state) {
    (void)state;
    fixture f = open_world("antmaze-medium", "goal=1,2"); // middle (4, 0)
    assert_int_equal(f.world->goals, 1);
    double middles[2] = {0, 0};
    for (int n = 0; n < 4; n++) {
        bex_real obs[29];
        f.world->class->reset(f.env, bex_rng_seed((uint64_t)n), &(bex_frame){.state = obs});
        double sum[2] = {0, 0};
        int count = 0;
        for (double x = 3; x < 6.5; x += 0.2)
            for (double y = -1; y < 2.5; y += 0.2)
                if (paid(f, x, y)) sum[0] += x, sum[1] += y, count++;
        assert_in_range(count, 12, 28); // 0.25 pi / 0.04
        for (int i = 0; i < 2; i++) {
            double at = sum[i] / count - (i ? 0 : 4);
            assert_true(at > -0.2 && at < 1.7);
            if (n % 2) assert_true(fabs(at - middles[i]) > 1e-3);
            middles[i] = at;
        }
    }
    close_world(f);
}

static void exploring_pays_at_any_goal_and_goes_on(void **state) {
    (void)state;
    fixture f = open_with("antmaze-medium", (bex_world_options){.explore = true});
    static const double at[][3] = {{20.7, 20.7, 1}, {16.7, 0.7, 1}, {0.7, 20.7, 1},
                                   {8.7, 20.7, 1},  {4, 0, 0},      {18.7, 20.7, 0}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        bex_real act[8] = {0}, obs[29], reward;
        bool terminated = true;
        bex_mj_sim_reset(f.sim);
        f.sim->qpos[0] = at[i][0], f.sim->qpos[1] = at[i][1];
        assert_int_equal(
            f.world->class->step(f.env, act, &(bex_frame){.state = obs}, &reward, &terminated), 0);
        assert_false(terminated);
        assert_true((double)reward == at[i][2]);
    }
    close_world(f);
}

/* Random flailing from everywhere, for 20 s each, stays in free cells: walls are walls, and no buffer of
 * the model is too small for ants on their backs in corners. */
static void walls_hold(void **state) {
    (void)state;
    fixture f = open_world("antmaze-umaze", NULL);
    const bex_maze *m = bex_antmaze_maze(f.world);
    bex_rng rng = bex_rng_seed(7);
    for (int c = 0; c < m->cells; c++) {
        bex_real obs[29], act[8], reward;
        bool terminated;
        // towards a corner of the cell, fast
        bex_antmaze_put(f.env, bex_rng_seed((uint64_t)c), 4.0 * (m->at[c][1] - 1) + 1,
                        4.0 * (m->at[c][0] - 1) + 1, obs);
        f.sim->qvel[0] = f.sim->qvel[1] = c % 2 ? 5 : -5;
        f.sim->qvel[3] = 20;
        for (int t = 0; t < 200; t++) {
            for (int i = 0; i < 8; i++) act[i] = R(2 * bex_rng_uniform(&rng) - 1);
            if (f.world->class->step(f.env, act, &(bex_frame){.state = obs}, &reward, &terminated) <
                0)
                fail_msg("%s", bex_error());
            assert_true(f.world->class->region(f.world, obs) >= 0);
        }
    }
    close_world(f);
}

static void mazes_from_files(void **state) {
    (void)state;
    const char *path = scratch_path("ant.txt");
    FILE *file = fopen(path, "w");
    fputs("######\n##OO.#\n##O#G#\n######\n", file);
    fclose(file);
    char key[600];
    snprintf(key, sizeof key, "maze=%s", path);
    fixture f = open_world("antmaze", key);
    const int *goals;
    assert_int_equal(f.world->regions, 5);
    assert_int_equal(f.world->goals, 1);
    assert_int_equal(bex_antmaze_data_goals(f.world, &goals), 1);
    assert_int_equal(goals[0], 4);
    assert_int_equal(found_at(f.world, 12.5, 4.5), 1);
    bex_real obs[29];
    f.world->class->reset(f.env, bex_rng_seed(0), &(bex_frame){.state = obs});
    assert_int_equal(f.world->class->region(f.world, obs), 0); // column 2: x = 4
    assert_true(fabs((double)obs[0] - 4) <= 0.1001);
    close_world(f);
    file = fopen(path, "w");
    fputs("####\n#OO#\n####\n", file);
    fclose(file);
    f = open_world("antmaze", key); // no goal: no reward, no end
    assert_int_equal(f.world->goals, 0);
    assert_int_equal(bex_antmaze_data_goals(f.world, &goals), 2);
    assert_int_equal(paid(f, 1, 1), 0);
    close_world(f);
    unlink(path);
    bex_world *w;
    assert_true(bex_world_open(&w, "antmaze", NULL) < 0);
    assert_message("antmaze needs a maze (--maze FILE");
    bex_world_options o = {.keys = "maze=x.txt"};
    assert_true(bex_world_open(&w, "antmaze-large", &o) < 0);
    assert_message("use antmaze for a maze from a file");
    o.keys = "goal=0,0";
    assert_true(bex_world_open(&w, "antmaze-large", &o) < 0);
    assert_message("goal 0,0 is a wall of antmaze-large");
}

static void pictures_have_every_shape(void **state) {
    (void)state;
    fixture f = open_world("antmaze-medium", NULL);
    bex_env_shape shapes[80];
    int n = f.world->class->draw(f.world, shapes, 80), kinds[3] = {0};
    assert_int_equal(n, 64 - 26 + 4 + 1);
    for (int i = 0; i < n; i++) kinds[shapes[i].kind]++;
    assert_int_equal(kinds[BEX_ENV_SHAPE_WALL], 38);
    assert_int_equal(kinds[BEX_ENV_SHAPE_GOAL], 4);
    assert_true(shapes[0].right == -4 && shapes[0].down == -4 && shapes[0].half_right == 2);
    assert_true(shapes[38].right == 20.75 && shapes[38].half_down == 1.25 &&
                shapes[38].round == 0.5);
    assert_int_equal(f.world->class->draw(f.world, NULL, 0), n);
    close_world(f);
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mazes_are_the_facts),
        cmocka_unit_test(goals_are_supes),
        cmocka_unit_test(regions_are_cells_of_four_metres),
        cmocka_unit_test(episodes_start_at_the_origin_or_where_told),
        cmocka_unit_test(reaching_the_target_pays_and_ends),
        cmocka_unit_test(exploring_pays_at_any_goal_and_goes_on),
        cmocka_unit_test(walls_hold),
        cmocka_unit_test(mazes_from_files),
        cmocka_unit_test(pictures_have_every_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
