#include "env/ant/ant_walker.h"

#include "env/ant/ant_body.h"
#include "env/ant/ant_controller.h"

#include <math.h>

#define TURN       (1.0 / 40) // probability of a new target, a step
#define SPREAD     1.0        // of targets from the middle of their cell
#define JITTER     0.5        // of targets that are waypoints
#define NOISE_MOST 0.25
#define REACHED    0.5
#define SPEED      1.5 // m/s that pay 1
#define MOST       2.0 // progress paid, a step
#define UPRIGHT    0.25
#define EFFORT     0.02
enum { TIME_LIMIT = 1000, HIDDEN = 2 }; // x and y are not observed

static const char pillars[] = "#########\n#OOOOOOO#\n#O#O#O#O#\n#OOOOOOO#\n#O#O#O#O#\n"
                              "#OOOOOOO#\n#O#O#O#O#\n#OOOOOOO#\n#########\n";

typedef struct walker_world {
    bex_mj_world mj;
    bex_maze *maze;
} walker_world;

typedef struct walker_env {
    bex_mj_env mj;
    bex_rng rng;
    double target[2], jitter; // metres
    double noise;             // standard deviation of this episode's
    int steps;
    double walked, nearer; // metres this episode
    bool fell;
} walker_env;

static void world_close(bex_world *world) {
    bex_maze_free(((walker_world *)world)->maze);
    bex_mj_world_close(world);
}

static int world_open(bex_world **out, const bex_env_class *class, const bex_world_options *o,
                      const void *own) {
    (void)own;
    walker_world *w = bex_mj_world_new(class, o, sizeof *w);
    if (!w) return -1;
    bex_world *base = &w->mj.base;
    if (bex_maze_parse(&w->maze, pillars, sizeof pillars - 1, class->name) < 0 ||
        bex_ant_model_load(&w->mj.model, w->maze, class->name) < 0)
        return world_close(base), -1;
    bex_mj_world_pace(&w->mj, BEX_ANT_SUBSTEPS);
    base->spec.state = BEX_ANT_STATE, base->A = BEX_ANT_ACTIONS;
    base->regions = 1;
    *out = base;
    return 0;
}

static const bex_maze *maze_of(const walker_env *e) {
    return ((const walker_world *)e->mj.base.world)->maze;
}

// a point in a cell beside the one the ant is in
static void draw_target(walker_env *e) {
    static const int moves[4][2] = {{0, -1}, {0, 1}, {1, 0}, {-1, 0}};
    const bex_maze *maze = maze_of(e);
    int cell = bex_ant_cell(maze, e->mj.sim.qpos[0], e->mj.sim.qpos[1]), row, col;
    if (cell < 0) return; // on a wall: the old one stays
    do {
        const int *move = moves[bex_rng_below(&e->rng, 4)];
        row = maze->at[cell][0] + move[0], col = maze->at[cell][1] + move[1];
    } while (bex_maze_cell(maze, row, col) < 0);
    e->target[0] = bex_ant_place(col) + SPREAD * (2 * bex_rng_uniform(&e->rng) - 1);
    e->target[1] = bex_ant_place(row) + SPREAD * (2 * bex_rng_uniform(&e->rng) - 1);
    e->jitter = bex_rng_uniform(&e->rng) < 0.5 ? JITTER : 0;
}

static void observe(walker_env *e, bex_real *obs) {
    bex_real state[BEX_ANT_STATE];
    double x = e->target[0] - e->mj.sim.qpos[0], y = e->target[1] - e->mj.sim.qpos[1];
    x += e->jitter * (2 * bex_rng_uniform(&e->rng) - 1);
    y += e->jitter * (2 * bex_rng_uniform(&e->rng) - 1);
    double norm = hypot(x, y), scale = norm > 0 ? BEX_ANT_DIRECTION / norm : 0;
    bex_ant_observe(&e->mj.sim, state);
    for (int i = HIDDEN; i < BEX_ANT_STATE; i++) obs[i - HIDDEN] = state[i];
    obs[BEX_ANT_STATE - 2] = R(x * scale);
    obs[BEX_ANT_STATE - 1] = R(y * scale);
}

static int env_reset(bex_env *env, bex_rng rng, const bex_frame *out) {
    walker_env *e = (walker_env *)env;
    const bex_maze *maze = maze_of(e);
    const unsigned char *at = maze->at[bex_rng_below(&rng, (uint64_t)maze->cells)];
    double x = bex_ant_place(at[1]) + bex_rng_uniform(&rng);
    double y = bex_ant_place(at[0]) + bex_rng_uniform(&rng);
    e->noise = NOISE_MOST * bex_rng_uniform(&rng);
    bex_ant_reset(&e->mj.sim, &rng, x, y);
    e->rng = rng;
    e->steps = 0, e->walked = e->nearer = 0, e->fell = false;
    draw_target(e);
    observe(e, out->state);
    return 0;
}

// w^2 of the unit quaternion, and whether the torso's up points down
static double upright(const double *q, bool *down) {
    double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    *down = n < 2 * (q[1] * q[1] + q[2] * q[2]);
    return q[0] * q[0] / n;
}

static double distance(const walker_env *e) {
    return hypot(e->target[0] - e->mj.sim.qpos[0], e->target[1] - e->mj.sim.qpos[1]);
}

static int env_step(bex_env *env, const bex_real *act, const bex_frame *out, bex_real *reward,
                    bool *terminated) {
    walker_env *e = (walker_env *)env;
    const double *q = e->mj.sim.qpos;
    double x = q[0], y = q[1], nearer = distance(e), effort = 0;
    bex_real noisy[BEX_ANT_ACTIONS];
    for (int i = 0; i < BEX_ANT_ACTIONS; i++) {
        effort += (double)(act[i] * act[i]) / BEX_ANT_ACTIONS;
        noisy[i] = act[i] + (bex_real)(e->noise * bex_rng_normal(&e->rng));
    }
    if (bex_ant_step(&e->mj.sim, noisy) < 0) return -1;
    nearer -= distance(e);
    double progress = nearer / (env->world->dt * SPEED);
    progress = progress > MOST ? MOST : progress < -MOST ? -MOST : progress;
    e->steps++, e->walked += hypot(q[0] - x, q[1] - y), e->nearer += nearer;
    *reward = (bex_real)(progress + UPRIGHT * upright(q + 3, &e->fell) - EFFORT * effort);
    *terminated = e->fell;
    if (bex_rng_uniform(&e->rng) < TURN || distance(e) < REACHED) draw_target(e);
    observe(e, out->state);
    return 0;
}

static const char *const measures[] = {"speed", "progress", "fell", NULL};

static void env_measure(const bex_env *env, double *values) {
    const walker_env *e = (const walker_env *)env;
    double steps = e->steps ? e->steps : 1;
    values[0] = e->walked / steps;
    values[1] = e->nearer / steps;
    values[2] = e->fell;
}

const bex_env_class bex_ant_walker = {.name = "ant-walker",
                                      .family = "ant-walker",
                                      .equals = "none: trains a controller for AntMaze",
                                      .about = "an ant that walks where it is told, among pillars",
                                      .time_limit = TIME_LIMIT,
                                      .explore_limit = TIME_LIMIT,
                                      .env_size = sizeof(walker_env),
                                      .open = world_open,
                                      .close = world_close,
                                      BEX_MJ_ENV,
                                      .reset = env_reset,
                                      .step = env_step,
                                      .region = bex_one_region,
                                      .camera = bex_ant_camera,
                                      .measures = measures,
                                      .measure = env_measure};
