/* Maze2D against its facts: motion integrated by hand, walls, clipping, resets, rewards, regions. */
#include "env/maze/maze2d.h"

#include "base/error.h"
#include "env/maze/maze_world.h"
#include "env/mj.h"

#include "test.h"

#include <math.h>

#define MASS 4.18879020478639 // 1000 kg/m^3 in a sphere of radius 0.1

typedef struct fixture {
    bex_world *world;
    bex_env *env;
    bex_mj_sim *sim;
} fixture;

static fixture open_world(const char *name, const char *keys) {
    fixture f;
    if (bex_world_open(&f.world, name, &(bex_world_options){.keys = keys}) < 0)
        fail_msg("%s", bex_error());
    f.env = f.world->class->new (f.world);
    assert_non_null(f.env);
    f.sim = f.world->class->sim(f.env);
    bex_real obs[4];
    assert_int_equal(f.world->class->reset(f.env, bex_rng_seed(1), &(bex_frame){.state = obs}), 0);
    return f;
}

// "maze=path"
static const char *maze_key(const char *path) {
    static char key[600];
    snprintf(key, sizeof key, "maze=%s", path);
    return key;
}

static void close_world(fixture f) {
    f.world->class->free(f.env);
    bex_world_close(f.world);
}

static void put(fixture f, double x, double y, double vx, double vy) {
    bex_mj_sim_reset(f.sim);
    f.sim->qpos[0] = x, f.sim->qpos[1] = y, f.sim->qvel[0] = vx, f.sim->qvel[1] = vy;
}

static bex_real step(fixture f, double ax, double ay, bex_real *obs) {
    bex_real act[2] = {R(ax), R(ay)}, reward;
    bool terminated = true;
    if (f.world->class->step(f.env, act, &(bex_frame){.state = obs}, &reward, &terminated) < 0)
        fail_msg("%s", bex_error());
    assert_false(terminated);
    return reward;
}

// side x side, a pillar at every `every`-th place inside; 0: empty
static const char *room(int side, int every) {
    const char *path = scratch_path("room.txt");
    FILE *f = fopen(path, "w");
    for (int r = 0; r < side; r++) {
        for (int c = 0; c < side; c++) {
            bool pillar = every && r % every == 0 && c % every == 0;
            fputc(r % (side - 1) && c % (side - 1) && !pillar ? 'O' : '#', f);
        }
        fputc('\n', f);
    }
    fclose(f);
    return path;
}

static void mass_and_step_are_the_facts(void **state) {
    (void)state;
    fixture f = open_world("maze2d-medium", NULL);
    assert_true(fabs(bex_mj_model_mass(f.sim->model) - 4.18879) < 5e-6);
    assert_true(f.world->dt == 0.01 && f.world->substeps == 1);
    assert_int_equal(f.world->spec.state, 4);
    assert_int_equal(f.world->A, 2);
    assert_int_equal(f.world->time_limit, 600);
    close_world(f);
}

/* Euler with damping taken implicitly: (m + h d) dv = h (100 u - d v); x += h v. */
static void free_motion_by_hand(void **state) {
    (void)state;
    const char *path = room(30, 0);
    fixture f = open_world("maze2d", maze_key(path));
    unlink(path);
    bex_rng rng = bex_rng_seed(9);
    double h = 0.01, x[2] = {14, 15}, v[2] = {-1, 0.5};
    put(f, x[0], x[1], v[0], v[1]);
    for (int t = 0; t < 300; t++) {
        bex_real obs[4];
        double u[2];
        // forces that alternate in stretches, partly outside the range
        for (int i = 0; i < 2; i++)
            u[i] = (double)R((t / 25 + i) % 2 ? 1 : -1) * 2 * bex_rng_uniform(&rng);
        step(f, (double)R(u[0]), (double)R(u[1]), obs);
        for (int i = 0; i < 2; i++) {
            double a = fmax(-1, fmin(1, (double)R(u[i])));
            v[i] = fmax(-5, fmin(5, v[i]));
            v[i] += h * (100 * a - v[i]) / (MASS + h);
            x[i] += h * v[i];
            assert_true(fabs(f.sim->qpos[i] - x[i]) < 1e-6);
            assert_true(fabs(f.sim->qvel[i] - v[i]) < 1e-6);
            assert_true(obs[i] == R(f.sim->qpos[i]) && obs[2 + i] == R(f.sim->qvel[i]));
        }
    }
    close_world(f);
}

static void the_largest_maze_runs(void **state) {
    (void)state;
    const char *path = room(64, 2);
    fixture f = open_world("maze2d", maze_key(path));
    unlink(path);
    bex_real obs[4];
    for (int t = 0; t < 200; t++) step(f, t % 40 < 20 ? 1 : -1, 1, obs);
    assert_true(f.world->class->region(f.world, obs) >= 0);
    close_world(f);
}

static void speed_is_clipped_before_the_step(void **state) {
    (void)state;
    fixture f = open_world("maze2d-open", NULL);
    bex_real obs[4];
    put(f, 2, 2, 0, 40);
    step(f, 0, 1, obs);
    double v = 5 + 0.01 * (100 - 5) / (MASS + 0.01); // above 5, as in D4RL
    assert_true(fabs((double)obs[3] - v) < 1e-6 && v > 5);
    assert_true(fabs((double)obs[1] - (2 + 0.01 * v)) < 1e-6);
    close_world(f);
}

static void walls_stop_the_ball(void **state) {
    (void)state;
    fixture f = open_world("maze2d-medium", NULL);
    // cell (1,1) next to the border: the centre stays within [0.4, ...]; (1,2) ends at y = 2.2
    static const struct {
        double x, y, ax, ay, wall;
        int axis;
    } push[] = {
        {1, 1, -1, 0, 0.4, 0}, {1, 1, 0, -1, 0.4, 1}, {1, 2, 0, 1, 2.2, 1}, {2, 1, 1, 0, 2.2, 0}};
    for (size_t k = 0; k < sizeof push / sizeof *push; k++) {
        bex_real obs[4];
        put(f, push[k].x, push[k].y, 0, 0);
        for (int t = 0; t < 400; t++) {
            step(f, push[k].ax, push[k].ay, obs);
            double beyond = ((double)obs[push[k].axis] - push[k].wall) * (push[k].ax + push[k].ay);
            assert_true(beyond < 0.05); // a soft contact, hit at up to 5 m/s
        }
        assert_true(fabs((double)obs[push[k].axis] - push[k].wall) < 0.01);
        assert_true(fabs((double)obs[2 + push[k].axis]) < 1e-3);
    }
    close_world(f);
}

/* Random pushing for a long time never leaves the free cells. */
static void the_ball_stays_in_the_maze(void **state) {
    (void)state;
    const char *names[] = {"maze2d-umaze", "maze2d-medium", "maze2d-large", "maze2d-open"};
    for (int n = 0; n < 4; n++) {
        fixture f = open_world(names[n], NULL);
        bex_rng rng = bex_rng_seed(3);
        double a[2] = {0, 0};
        for (int t = 0; t < 20000; t++) {
            bex_real obs[4];
            if (t % 20 == 0)
                for (int i = 0; i < 2; i++) a[i] = 2 * bex_rng_uniform(&rng) - 1;
            step(f, a[0], a[1], obs);
            assert_true(f.world->class->region(f.world, obs) >= 0);
        }
        close_world(f);
    }
}

/* D4RL evaluates the forward dynamics once more when it writes the clipped velocity; that only
 * changes where the contact solver starts. Step by step: bounces off corners would amplify 1e-12. */
static void an_extra_forward_changes_nothing(void **state) {
    (void)state;
    fixture a = open_world("maze2d-medium", NULL);
    fixture b = open_world("maze2d-medium", NULL);
    bex_rng rng = bex_rng_seed(4);
    double u[2] = {0, 0};
    for (int t = 0; t < 5000; t++) {
        bex_real x[4], y[4];
        if (t % 15 == 0)
            for (int i = 0; i < 2; i++) u[i] = 2 * bex_rng_uniform(&rng) - 1;
        for (int i = 0; i < 2; i++) {
            b.sim->qpos[i] = a.sim->qpos[i];
            b.sim->qvel[i] = fmax(-5, fmin(5, a.sim->qvel[i]));
        }
        assert_int_equal(bex_mj_sim_forward(b.sim), 0);
        step(a, u[0], u[1], x);
        step(b, u[0], u[1], y);
        for (int i = 0; i < 2; i++) assert_true(fabs(a.sim->qvel[i] - b.sim->qvel[i]) < 1e-9);
    }
    close_world(a), close_world(b);
}

static void resets_have_their_distribution(void **state) {
    (void)state;
    enum { N = 26000 };
    fixture f = open_world("maze2d-medium", NULL);
    const bex_maze *m = bex_maze2d_maze(f.world);
    int count[26] = {0};
    double offset = 0, offset2 = 0, speed = 0, speed2 = 0;
    for (int i = 0; i < N; i++) {
        bex_real obs[4];
        assert_int_equal(f.world->class->reset(f.env,
                                               bex_rng_split(bex_rng_seed(2), "r", (uint64_t)i),
                                               &(bex_frame){.state = obs}),
                         0);
        int cell = bex_maze_cell(m, (int)lround((double)obs[0]), (int)lround((double)obs[1]));
        assert_true(cell >= 0);
        count[cell]++;
        for (int k = 0; k < 2; k++) {
            double d = (double)obs[k] - m->at[cell][k], v = (double)obs[2 + k];
            assert_true(fabs(d) <= 0.1 + 1e-6);
            offset += d, offset2 += d * d, speed += v, speed2 += v * v;
        }
    }
    for (int i = 0; i < 26; i++) assert_in_range(count[i], 1000 - 160, 1000 + 160); // 5 sigma
    double n = 2 * N;
    assert_true(fabs(offset / n) < 5 * 0.0577 / sqrt(n));
    assert_true(fabs(offset2 / n - 0.01 / 3) < 5 * 0.01 / 3 * 0.9 / sqrt(n));
    assert_true(fabs(speed / n) < 5 * 0.1 / sqrt(n));
    assert_true(fabs(speed2 / n - 0.01) < 5 * 0.01 * sqrt(2 / n));
    close_world(f);
}

static void reward_is_for_the_state_after_the_step(void **state) {
    (void)state;
    fixture f = open_world("maze2d-medium", NULL);
    bex_real obs[4];
    // the goal is the point (6,6), 0.5 is within; approached at 4 m/s it is 0.04 a step
    put(f, 5.48, 6, 4, 0);
    assert_true(step(f, 0, 0, obs) == 1);
    put(f, 5.48, 6, 0, 0);
    assert_true(step(f, 0, 0, obs) == 0);
    put(f, 5.7, 5.7, 0, 0);
    assert_true(step(f, 0, 0, obs) == 1);
    close_world(f);
    f = open_world("maze2d-medium", "dense=true\ngoal=1,1");
    put(f, 4, 5, 0, 0);
    assert_true(fabs((double)step(f, 0, 0, obs) - exp(-5)) < 1e-7);
    close_world(f);
}

static void regions_are_cells_or_parts_of_them(void **state) {
    (void)state;
    for (int splits = 1; splits <= 3; splits++) {
        char key[32];
        snprintf(key, sizeof key, "splits=%d", splits);
        fixture f = open_world("maze2d-medium", key);
        const bex_maze *m = bex_maze2d_maze(f.world);
        assert_int_equal(f.world->regions, 26 * splits * splits);
        // the middles of all parts, row by row within each cell, count up
        for (int i = 0; i < f.world->regions; i++) {
            int part = i % (splits * splits), cell = i / (splits * splits);
            bex_real obs[4] = {R(m->at[cell][0] - 0.7 + (part / splits + 0.5) / splits),
                               R(m->at[cell][1] - 0.7 + (part % splits + 0.5) / splits), 0, 0};
            assert_int_equal(f.world->class->region(f.world, obs), i);
        }
        bex_real wall[4] = {0, 0, 0, 0}, lost[4] = {R(NAN), 1, 0, 0};
        assert_int_equal(f.world->class->region(f.world, wall), -1);
        assert_int_equal(f.world->class->region(f.world, lost), -1);
        close_world(f);
    }
}

static void wrong_actions_and_options_are_messages(void **state) {
    (void)state;
    fixture f = open_world("maze2d-umaze", NULL);
    bex_real act[2] = {0, R(NAN)}, obs[4], reward;
    bool terminated;
    assert_true(f.world->class->step(f.env, act, &(bex_frame){.state = obs}, &reward, &terminated) <
                0);
    assert_message("action 1 is nan");
    close_world(f);
    bex_world *w;
    static const struct {
        const char *name, *keys, *message;
    } wrong[] = {
        {"maze2d-medum", NULL, "did you mean maze2d-medium?"},
        {"maze2d", NULL, "--maze FILE"},
        {"maze2d-medium", "start=1,3", "start 1,3 is a wall of maze2d-medium"},
        {"maze2d-medium", "start=1,30", "start 1,30 is outside maze2d-medium"},
        {"maze2d-medium", "start=1", "start takes ROW,COLUMN, not '1'"},
        {"maze2d-medium", "start=1,2,3", "start takes ROW,COLUMN"},
        {"maze2d-medium", "goal=-1,2", "goal takes ROW,COLUMN"},
        {"maze2d-medium", "maze=x.txt", "has a maze of its own"},
        {"maze2d-medium", "splts=2", "did you mean env.splits?"},
        {"maze2d-medium", "splits=17", "not a whole number in [0, 16]"},
        {"maze2d-medium", "dense=perhaps",
         "maze2d-medium: env.dense = 'perhaps': not true or false"},
        {"maze2d-medium", "dense", "has no value"},
        {"maze2d-medium", "time_limit=-3", "env.time_limit"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bex_world_options o = {.keys = wrong[i].keys};
        assert_true(bex_world_open(&w, wrong[i].name, &o) < 0);
        assert_null(w);
        assert_message(wrong[i].message);
    }
    bex_world_close(NULL);
}

static void a_start_cell_is_kept(void **state) {
    (void)state;
    fixture f = open_world("maze2d-medium", "start=3,4");
    for (int i = 0; i < 100; i++) {
        bex_real obs[4];
        f.world->class->reset(f.env, bex_rng_seed((uint64_t)i), &(bex_frame){.state = obs});
        assert_true(fabs((double)obs[0] - 3) <= 0.1 + 1e-6 &&
                    fabs((double)obs[1] - 4) <= 0.1 + 1e-6);
    }
    close_world(f);
}

/* Keys are those of the world alone or of the shared few; later lines win; what was asked is kept. */
static void keys_are_read_in_order_and_kept(void **state) {
    (void)state;
    bex_world *w;
    const char *keys = "splits=2\n--env.start=3,3\nenv.splits=3\n\ntime_limit=77";
    bex_world_options o = {.time_limit = 5, .keys = keys};
    assert_int_equal(bex_world_open(&w, "maze2d-medium", &o), 0);
    const bex_maze_options *own = w->own;
    assert_int_equal(w->regions, 26 * 9);
    assert_int_equal(w->time_limit, 77);
    assert_string_equal(own->start, "3,3");
    assert_string_equal(w->keys, keys);
    assert_null(w->file);
    assert_int_equal(bex_maze_world_start(w), bex_maze_cell(w->maze, 3, 3));
    bex_world_close(w);
    const char *path = room(9, 0);
    assert_int_equal(bex_world_open(&w, "maze2d", &(bex_world_options){.keys = maze_key(path)}), 0);
    unlink(path);
    assert_string_equal(w->file, path);
    assert_int_equal(bex_maze_world_start(w), -1);
    bex_world_close(w);
}

static void pictures_have_every_shape(void **state) {
    (void)state;
    bex_env_shape shapes[80];
    fixture f = open_world("maze2d-medium", NULL);
    int n = f.world->class->draw(f.world, shapes, 80), walls = 0;
    assert_int_equal(n, 64 - 26 + 1);
    for (int i = 0; i < n; i++) walls += shapes[i].kind == BEX_ENV_SHAPE_WALL;
    assert_int_equal(walls, 64 - 26);
    assert_true(fabs(shapes[0].right + 0.2) < 1e-12 && fabs(shapes[0].down + 0.2) < 1e-12);
    assert_int_equal(shapes[n - 1].kind, BEX_ENV_SHAPE_GOAL);
    assert_int_equal(f.world->class->draw(f.world, NULL, 0), n);
    close_world(f);
}

static void scores_as_d4rl(void **state) {
    (void)state;
    assert_true(fabs(bex_env_score(&bex_maze2d_medium, 277.39) - 100) < 1e-9);
    assert_true(fabs(bex_env_score(&bex_maze2d_medium, 13.13)) < 1e-9);
    assert_true(isnan(bex_env_score(&bex_maze2d_open, 1)));
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_and_step_are_the_facts),
        cmocka_unit_test(free_motion_by_hand),
        cmocka_unit_test(the_largest_maze_runs),
        cmocka_unit_test(speed_is_clipped_before_the_step),
        cmocka_unit_test(walls_stop_the_ball),
        cmocka_unit_test(the_ball_stays_in_the_maze),
        cmocka_unit_test(an_extra_forward_changes_nothing),
        cmocka_unit_test(resets_have_their_distribution),
        cmocka_unit_test(reward_is_for_the_state_after_the_step),
        cmocka_unit_test(regions_are_cells_or_parts_of_them),
        cmocka_unit_test(wrong_actions_and_options_are_messages),
        cmocka_unit_test(a_start_cell_is_kept),
        cmocka_unit_test(keys_are_read_in_order_and_kept),
        cmocka_unit_test(pictures_have_every_shape),
        cmocka_unit_test(scores_as_d4rl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
