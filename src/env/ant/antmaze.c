/* env/ant/antmaze.c - walls, goals and rewards round the ant. Facts: D4RL locomotion/maze_env.py; the goal
 * cells of SUPE's D4RL. */
#include "env/ant/antmaze.h"

#include "base/error.h"
#include "env/ant/ant_body.h"
#include "env/ant/ant_gait.h"
#include "env/maze/maze_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define GOAL_RADIUS 0.5
#define GOAL_SIDE   1.5
enum { MOST_GOALS = 8, CUSTOM_LIMIT = 1000 };

// rows and columns, ending in 0,0, which is wall
typedef struct layout {
    const char *text;
    unsigned char goals[MOST_GOALS][2];      // to be found; the first is D4RL's
    unsigned char data_goals[MOST_GOALS][2]; // of D4RL's data generator
} layout;

static const layout umaze = {
    "#####\n#OOO#\n###O#\n#GOO#\n#####\n",
    {{3, 1}},
    {{3, 1}},
};
static const layout medium = {
    "########\n#OO##OO#\n#OO#OOO#\n##OOO###\n#OO#OOO#\n#O#OO#O#\n#OOO#OG#\n########\n",
    {{6, 6}, {1, 5}, {6, 1}, {6, 3}},
    {{2, 6}, {5, 1}, {6, 5}},
};
static const layout large = {
    "############\n#OOOO#OOOOO#\n#O##O#O#O#O#\n#OOOOOO#OOO#\n#O####O###O#\n#OO#O#OOOOO#\n"
    "##O#O#O#O###\n#OO#OOO#OGO#\n############\n",
    {{7, 9}, {7, 2}, {1, 10}, {7, 6}},
    {{1, 6}, {3, 5}, {3, 10}, {5, 2}, {7, 4}, {7, 6}, {7, 9}},
};

typedef struct antmaze_world {
    bex_world base;
    bex_maze *maze;
    bex_mj_model *model;
    int start;              // cell
    int goals[MOST_GOALS];  // cells, base.goals of them
    int *data_goals, count; // cells
    int splits;
    bool dense, explore;
} antmaze_world;

typedef struct antmaze_env {
    bex_env base;
    bex_mj_sim sim;
    double target[2]; // NaN: none
} antmaze_env;

static const antmaze_world *world_of(const bex_env *env) {
    return (const antmaze_world *)env->world;
}

// cells of a list that ends in a wall; returns how many
static int list_cells(int *cells, const bex_maze *maze, const unsigned char (*at)[2]) {
    int n = 0;
    while (n < MOST_GOALS && at[n][0]) {
        cells[n] = bex_maze_cell(maze, at[n][0], at[n][1]);
        BEX_CHECK(cells[n] >= 0, "goal %d is in a wall", n);
        n++;
    }
    return n;
}

static int choose_goals(antmaze_world *w, const bex_world_options *o, const char *name) {
    const layout *own = w->base.class->variant;
    int goal;
    if (bex_maze_world_cell(&goal, w->maze, o->goal, -1, "goal", name) < 0) return -1;
    w->data_goals = malloc((size_t)(w->maze->cells + MOST_GOALS) * sizeof *w->data_goals);
    if (!w->data_goals) return bex_fail("out of memory");
    if (own) {
        w->base.goals = list_cells(w->goals, w->maze, own->goals);
        w->count = list_cells(w->data_goals, w->maze, own->data_goals);
    } else if (w->maze->goal >= 0) {
        w->base.goals = w->count = 1;
        w->goals[0] = w->data_goals[0] = w->maze->goal;
    } else {
        for (; w->count < w->maze->cells; w->count++) w->data_goals[w->count] = w->count;
    }
    if (goal >= 0) w->goals[0] = goal, w->base.goals = 1;
    return 0;
}

static int fill_world(antmaze_world *w, const bex_world_options *o) {
    const bex_env_class *class = w->base.class;
    const layout *own = class->variant;
    const char *name = o->maze ? o->maze : class->name;
    if (bex_maze_world_load(&w->maze, class, own ? own->text : NULL, o, "antmaze") < 0) return -1;
    if (bex_maze_world_cell(&w->start, w->maze, o->start, 0, "start", name) < 0) return -1;
    if (choose_goals(w, o, name) < 0) return -1;
    if (bex_ant_model_load(&w->model, w->maze, name) < 0) return -1;
    w->splits = bex_maze_world_splits(class, o);
    w->dense = o->dense_reward;
    w->explore = o->explore;
    w->base.name = class->name;
    w->base.O = BEX_ANT_STATE, w->base.A = BEX_ANT_ACTIONS;
    w->base.time_limit = bex_maze_world_limit(class, o);
    w->base.regions = w->maze->cells * w->splits * w->splits;
    w->base.dt = w->model->timestep * BEX_ANT_SUBSTEPS, w->base.substeps = BEX_ANT_SUBSTEPS;
    w->base.right = 0, w->base.down = 1;
    w->base.maze = w->maze;
    w->base.posed = true;
    return 0;
}

static void world_close(bex_world *world) {
    antmaze_world *w = (antmaze_world *)world;
    bex_maze_free(w->maze);
    bex_mj_model_free(w->model);
    free(w->data_goals);
    free(w);
}

static int world_open(bex_world **out, const bex_env_class *class, const bex_world_options *o) {
    antmaze_world *w = calloc(1, sizeof *w);
    if (!w) return bex_fail("out of memory");
    w->base.class = class;
    if (fill_world(w, o) < 0) return world_close(&w->base), -1;
    *out = &w->base;
    return 0;
}

const bex_maze *bex_antmaze_maze(const bex_world *world) {
    return world->class->close == world_close ? ((const antmaze_world *)world)->maze : NULL;
}

int bex_antmaze_data_goals(const bex_world *world, const int **goals) {
    BEX_CHECK(bex_antmaze_maze(world), "%s is not antmaze", world->name);
    *goals = ((const antmaze_world *)world)->data_goals;
    return ((const antmaze_world *)world)->count;
}

static void env_free(bex_env *env) {
    if (!env) return;
    bex_mj_sim_fini(&((antmaze_env *)env)->sim);
    free(env);
}

static bex_env *env_new(const bex_world *world) {
    antmaze_env *env = calloc(1, sizeof *env);
    if (!env) return bex_fail("out of memory"), NULL;
    env->base.world = world;
    if (bex_mj_sim_init(&env->sim, ((const antmaze_world *)world)->model) < 0)
        return env_free(&env->base), NULL;
    return &env->base;
}

static bex_mj_sim *env_sim(bex_env *env) {
    return &((antmaze_env *)env)->sim;
}

// the corner of a cell's goal square that is the middle of the cell: (x, y)
static void goal_corner(const antmaze_world *w, int cell, double corner[2]) {
    for (int i = 0; i < 2; i++) corner[i] = bex_ant_place(w->maze->at[cell][1 - i]);
}

void bex_antmaze_test_goal(const bex_world *world, double goal[2]) {
    BEX_CHECK(bex_antmaze_maze(world), "%s is not antmaze", world->name);
    const antmaze_world *w = (const antmaze_world *)world;
    goal[0] = goal[1] = (double)NAN;
    if (!w->base.goals) return;
    goal_corner(w, w->goals[0], goal);
    for (int i = 0; i < 2; i++) goal[i] += GOAL_SIDE / 2;
}

static void draw_target(antmaze_env *e, bex_rng *rng) {
    const antmaze_world *w = world_of(&e->base);
    e->target[0] = e->target[1] = (double)NAN;
    if (!w->base.goals) return;
    goal_corner(w, w->goals[0], e->target);
    for (int i = 0; i < 2; i++)
        e->target[i] += bex_rng_uniform(rng) + (GOAL_SIDE - 1) * bex_rng_uniform(rng);
}

static int env_reset(bex_env *env, bex_rng rng, bex_real *obs) {
    antmaze_env *e = (antmaze_env *)env;
    double at[2];
    draw_target(e, &rng);
    goal_corner(world_of(env), world_of(env)->start, at);
    bex_ant_reset(&e->sim, &rng, at[0], at[1]);
    bex_ant_observe(&e->sim, obs);
    return 0;
}

void bex_antmaze_put(bex_env *env, bex_rng rng, double x, double y, bex_real *obs) {
    antmaze_env *e = (antmaze_env *)env;
    BEX_CHECK(bex_antmaze_maze(env->world), "%s is not antmaze", env->world->name);
    draw_target(e, &rng);
    bex_ant_reset(&e->sim, &rng, 0, 0);
    e->sim.qpos[0] = x, e->sim.qpos[1] = y;
    bex_ant_observe(&e->sim, obs);
}

static unsigned env_found(const bex_world *world, const bex_real *obs) {
    const antmaze_world *w = (const antmaze_world *)world;
    unsigned found = 0;
    for (int g = 0; g < w->base.goals; g++) {
        double corner[2], off[2];
        goal_corner(w, w->goals[g], corner);
        for (int i = 0; i < 2; i++) {
            double d = (double)obs[i] - corner[i];
            off[i] = d >= 0 && d <= GOAL_SIDE ? 0 : d < 0 ? d : d - GOAL_SIDE; // NaN stays NaN
        }
        found |= (unsigned)(hypot(off[0], off[1]) <= GOAL_RADIUS) << g;
    }
    return found;
}

static void env_goal_name(const bex_world *world, int g, char name[BEX_GOAL_NAME]) {
    const antmaze_world *w = (const antmaze_world *)world;
    const unsigned char *at = w->maze->at[w->goals[g]];
    snprintf(name, BEX_GOAL_NAME, "goal %d (%d,%d)", g + 1, at[0], at[1]);
}

static int env_step(bex_env *env, const bex_real *act, bex_real *obs, bex_real *reward,
                    bool *terminated) {
    antmaze_env *e = (antmaze_env *)env;
    const antmaze_world *w = world_of(env);
    if (bex_ant_step(&e->sim, act) < 0) return -1;
    bex_ant_observe(&e->sim, obs);
    double d = hypot(e->sim.qpos[0] - e->target[0], e->sim.qpos[1] - e->target[1]);
    bool there = w->explore ? env_found(env->world, obs) != 0 : d <= GOAL_RADIUS;
    *reward = w->dense && w->base.goals ? (bex_real)exp(-d) : there;
    *terminated = there && !w->explore;
    return 0;
}

static int env_region(const bex_world *world, const bex_real *obs) {
    const antmaze_world *w = (const antmaze_world *)world;
    double x = (double)obs[0], y = (double)obs[1];
    int cell = bex_ant_cell(w->maze, x, y), n = w->splits;
    if (cell < 0 || n == 1) return cell;
    int i = (int)(n * (y / BEX_ANT_CELL + 1.5 - w->maze->at[cell][0]));
    int j = (int)(n * (x / BEX_ANT_CELL + 1.5 - w->maze->at[cell][1]));
    return (cell * n + (i < n ? i : n - 1)) * n + (j < n ? j : n - 1);
}

static int env_draw(const bex_world *world, bex_env_shape *shapes, int most) {
    const antmaze_world *w = (const antmaze_world *)world;
    const double half = BEX_ANT_CELL / 2, goal = GOAL_SIDE / 2;
    int count = 0;
    for (int r = 0; r < w->maze->rows; r++)
        for (int c = 0; c < w->maze->cols; c++) {
            if (bex_maze_cell(w->maze, r, c) >= 0) continue;
            if (count < most)
                shapes[count] = (bex_env_shape){
                    BEX_ENV_SHAPE_WALL, bex_ant_place(c), bex_ant_place(r), half, half, 0};
            count++;
        }
    for (int g = 0; g < w->base.goals; g++, count++) {
        double at[2];
        goal_corner(w, w->goals[g], at);
        if (count < most)
            shapes[count] = (bex_env_shape){BEX_ENV_SHAPE_GOAL, at[0] + goal,       at[1] + goal,
                                            goal + GOAL_RADIUS, goal + GOAL_RADIUS, GOAL_RADIUS};
    }
    double at[2];
    goal_corner(w, w->start, at);
    if (count < most)
        shapes[count] = (bex_env_shape){BEX_ENV_SHAPE_START, at[0], at[1], 0.25, 0.25, 0.25};
    return count + 1;
}

static void env_camera(bex_env *env, bex_camera *camera) {
    bex_ant_camera(&((antmaze_env *)env)->sim, camera);
}

#define ANTMAZE(upstream, description, own, limit, explore)                                        \
    .equals = upstream, .about = description, .variant = own, .time_limit = limit,                 \
    .explore_limit = explore, .score = {0, 1}, .open = world_open, .close = world_close,           \
    .new = env_new, .free = env_free, .reset = env_reset, .step = env_step, .region = env_region,  \
    .found = env_found, .goal_name = env_goal_name, .draw = env_draw, .camera = env_camera,        \
    .conduct = bex_ant_conduct, .judge = bex_ant_judge, .sim = env_sim

const bex_env_class bex_antmaze_umaze = {
    .name = "antmaze-umaze",
    ANTMAZE("D4RL antmaze-umaze-v2", "an ant in a U, 7 cells", &umaze, 700, 500)};
const bex_env_class bex_antmaze_medium = {
    .name = "antmaze-medium",
    ANTMAZE("D4RL antmaze-medium-diverse-v2", "an ant in 26 cells", &medium, 1000, 500)};
const bex_env_class bex_antmaze_large = {
    .name = "antmaze-large",
    ANTMAZE("D4RL antmaze-large-diverse-v2", "an ant in 46 cells", &large, 1000, 750)};
const bex_env_class bex_antmaze_any = {.name = "antmaze",
                                       ANTMAZE("D4RL AntMazeEnv",
                                               "an ant in a maze of your own: --maze FILE", NULL,
                                               CUSTOM_LIMIT, 500)};
