/* The playground's ball against the MuJoCo world: the same states, in every maze of the package, in the
 * open, along walls, into corners and round their ends. */
#include "web/ball.h"

#include "base/error.h"
#include "env/maze/maze2d.h"
#include "env/mj.h"

#include "test.h"

#include <math.h>

enum { STEPS = 300, EPISODES = 40, SIDE = 64 };
static const double TOLERANCE = 1e-6; // metres, metres per second; web/ball.h says so

typedef struct pair {
    bex_world *world;
    bex_env *env;
    bex_mj_sim *sim;
    unsigned char wall[SIDE * SIDE];
    ball_walls walls;
    ball ball;
} pair;

static void open_pair(pair *p, const char *name) {
    if (bex_world_open(&p->world, name, NULL) < 0) fail_msg("%s", bex_error());
    p->env = p->world->class->new (p->world);
    assert_non_null(p->env);
    p->sim = p->world->class->sim(p->env);
    const bex_maze *m = bex_maze2d_maze(p->world);
    for (int i = 0; i < m->rows * m->cols; i++) p->wall[i] = m->number[i] < 0;
    p->walls = (ball_walls){m->rows, m->cols, p->wall};
}

static void close_pair(pair *p) {
    p->world->class->free(p->env);
    bex_world_close(p->world);
}

// an episode of the world's own: both begin in its first state
static void begin(pair *p, uint64_t seed) {
    bex_real obs[4];
    assert_int_equal(p->world->class->reset(p->env, bex_rng_seed(seed), &(bex_frame){.state = obs}),
                     0);
    for (int i = 0; i < 2; i++) {
        p->ball.position[i] = p->sim->qpos[i];
        p->ball.velocity[i] = p->sim->qvel[i];
    }
}

// the largest difference of any state
static double play(pair *p, uint64_t seed, int hold, bool bangs) {
    bex_rng rng = bex_rng_seed(seed);
    double most = 0;
    bex_real act[2] = {0, 0};
    begin(p, seed);
    for (int t = 0; t < STEPS; t++) {
        bex_real obs[4], own[4], reward;
        bool end;
        if (t % hold == 0)
            for (int i = 0; i < 2; i++) {
                double u = 2 * bex_rng_uniform(&rng) - 1;
                act[i] = R(bangs ? 1.3 * (u > 0 ? 1 : -1) : u);
            }
        assert_int_equal(
            p->world->class->step(p->env, act, &(bex_frame){.state = obs}, &reward, &end), 0);
        ball_step(&p->ball, &p->walls, act);
        ball_observe(&p->ball, own);
        for (int i = 0; i < 4; i++) most = fmax(most, fabs((double)(obs[i] - own[i])));
    }
    return most;
}

static void moves_as_mujoco_does(void **state) {
    const char *const mazes[] = {"maze2d-umaze", "maze2d-medium", "maze2d-large", "maze2d-open"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        pair p;
        double most = 0;
        open_pair(&p, mazes[k]);
        for (uint64_t seed = 0; seed < EPISODES; seed++)
            most = fmax(most, play(&p, seed, seed % 2 ? 8 : 60, seed % 4 < 2));
        close_pair(&p);
        print_message("%s: %d episodes of %d steps, at most %.2g apart\n", mazes[k], EPISODES,
                      STEPS, most);
        if (!(most <= TOLERANCE)) fail_msg("%s: %g apart", mazes[k], most);
    }
}

// would the comparison above notice a wall that is not there?
static void notices_a_missing_wall(void **state) {
    (void)state;
    pair p;
    double most = 0;
    open_pair(&p, "maze2d-medium");
    p.wall[1 * p.walls.cols + 3] = 0;
    for (uint64_t seed = 0; seed < EPISODES; seed++) most = fmax(most, play(&p, seed, 60, true));
    close_pair(&p);
    assert_true(most > 100 * TOLERANCE);
}

static void survives_anything(void **state) {
    (void)state;
    unsigned char all[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    ball_walls walls = {3, 3, all};
    ball b = {{1, 1}, {1e30, -1e30}};
    const bex_real acts[3][2] = {{R(NAN), R(INFINITY)}, {R(-1e30), R(1e30)}, {R(1), R(1)}};
    for (int t = 0; t < 3000; t++) {
        ball_step(&b, &walls, acts[t % 3]);
        for (int i = 0; i < 2; i++) assert_true(isfinite(b.position[i]) && isfinite(b.velocity[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_as_mujoco_does),
        cmocka_unit_test(notices_a_missing_wall),
        cmocka_unit_test(survives_anything),
    };
    if (!bex_mj_version()) return skip_all("built without MuJoCo");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
