/* env/ant/antmaze.c - walls, goals and rewards round the ant. Facts: D4RL locomotion/maze_env.py; the goal
 * cells of SUPE's D4RL. */
#include "env/ant/antmaze.h"

#include "base/error.h"
#include "env/ant/ant_body.h"
#include "env/ant/ant_gait.h"
#include "env/d4rl.h"
#include "env/maze/maze_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define GOAL_SIDE 1.5
#define FAMILY    "antmaze"
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
    bex_mj_world mj;
    bex_maze *maze;
    int start;              // cell
    int goals[MOST_GOALS];  // cells, as many as the world has goals
    int *data_goals, count; // cells
    int splits;
    bool dense, explore;
} antmaze_world;

typedef struct antmaze_env {
    bex_mj_env mj;
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

static int choose_goals(antmaze_world *w, const bex_maze_options *own, const char *name) {
    const layout *given = w->mj.base.class->variant;
    int goal;
    if (bex_maze_world_cell(&goal, w->maze, own->goal, -1, "goal", name) < 0) return -1;
    w->data_goals = malloc((size_t)(w->maze->cells + MOST_GOALS) * sizeof *w->data_goals);
    if (!w->data_goals) return bex_fail("out of memory");
    if (given) {
        w->mj.base.goals = list_cells(w->goals, w->maze, given->goals);
        w->count = list_cells(w->data_goals, w->maze, given->data_goals);
    } else if (w->maze->goal >= 0) {
        w->mj.base.goals = w->count = 1;
        w->goals[0] = w->data_goals[0] = w->maze->goal;
    } else {
        for (; w->count < w->maze->cells; w->count++) w->data_goals[w->count] = w->count;
    }
    if (goal >= 0) w->goals[0] = goal, w->mj.base.goals = 1;
    return 0;
}

static int fill_world(antmaze_world *w, const bex_world_options *o, const bex_maze_options *own) {
    bex_world *base = &w->mj.base;
    const layout *given = base->class->variant;
    const char *name = own->maze[0] ? own->maze : base->name;
    if (bex_maze_world_load(&w->maze, base->class, given ? given->text : NULL, own) < 0) return -1;
    if (bex_maze_world_cell(&w->start, w->maze, own->start, 0, "start", name) < 0) return -1;
    if (choose_goals(w, own, name) < 0) return -1;
    if (bex_ant_model_load(&w->mj.model, w->maze, name) < 0) return -1;
    bex_mj_world_pace(&w->mj, BEX_ANT_SUBSTEPS);
    w->splits = bex_maze_world_splits(base->class, o, own);
    w->dense = own->dense;
    w->explore = o->explore;
    base->spec.state = BEX_ANT_STATE, base->A = BEX_ANT_ACTIONS;
    base->regions = w->maze->cells * w->splits * w->splits;
    base->right = 0, base->down = 1;
    base->maze = w->maze;
    base->file = own->maze[0] ? own->maze : NULL;
    base->posed = true;
    return 0;
}

static void world_close(bex_world *world) {
    antmaze_world *w = (antmaze_world *)world;
    bex_maze_free(w->maze);
    free(w->data_goals);
    bex_mj_world_close(world);
}

static int world_open(bex_world **out, const bex_env_class *class, const bex_world_options *o,
                      const void *own) {
    antmaze_world *w = bex_mj_world_new(class, o, sizeof *w);
    if (!w) return -1;
    if (fill_world(w, o, own) < 0) return world_close(&w->mj.base), -1;
    *out = &w->mj.base;
    return 0;
}

const bex_maze *bex_antmaze_maze(const bex_world *world) {
    return bex_world_is(world, FAMILY) ? world->maze : NULL;
}

int bex_antmaze_data_goals(const bex_world *world, const int **goals) {
    BEX_CHECK(bex_antmaze_maze(world), "%s is not antmaze", world->name);
    *goals = ((const antmaze_world *)world)->data_goals;
    return ((const antmaze_world *)world)->count;
}

// the corner of a cell's goal square that is the middle of the cell: (x, y)
static void goal_corner(const antmaze_world *w, int cell, double corner[2]) {
    for (int i = 0; i < 2; i++) corner[i] = bex_ant_place(w->maze->at[cell][1 - i]);
}

void bex_antmaze_test_goal(const bex_world *world, double goal[2]) {
    BEX_CHECK(bex_antmaze_maze(world), "%s is not antmaze", world->name);
    const antmaze_world *w = (const antmaze_world *)world;
    goal[0] = goal[1] = (double)NAN;
    if (!w->mj.base.goals) return;
    goal_corner(w, w->goals[0], goal);
    for (int i = 0; i < 2; i++) goal[i] += GOAL_SIDE / 2;
}

static void draw_target(antmaze_env *e, bex_rng *rng) {
    const antmaze_world *w = world_of(&e->mj.base);
    e->target[0] = e->target[1] = (double)NAN;
    if (!w->mj.base.goals) return;
    goal_corner(w, w->goals[0], e->target);
    for (int i = 0; i < 2; i++)
        e->target[i] += bex_rng_uniform(rng) + (GOAL_SIDE - 1) * bex_rng_uniform(rng);
}

static int env_reset(bex_env *env, bex_rng rng, const bex_frame *out) {
    antmaze_env *e = (antmaze_env *)env;
    double at[2];
    draw_target(e, &rng);
    goal_corner(world_of(env), world_of(env)->start, at);
    bex_ant_reset(&e->mj.sim, &rng, at[0], at[1]);
    bex_ant_observe(&e->mj.sim, out->state);
    return 0;
}

void bex_antmaze_put(bex_env *env, bex_rng rng, double x, double y, bex_real *obs) {
    antmaze_env *e = (antmaze_env *)env;
    BEX_CHECK(bex_antmaze_maze(env->world), "%s is not antmaze", env->world->name);
    draw_target(e, &rng);
    bex_ant_reset(&e->mj.sim, &rng, 0, 0);
    e->mj.sim.qpos[0] = x, e->mj.sim.qpos[1] = y;
    bex_ant_observe(&e->mj.sim, obs);
}

static unsigned env_found(const bex_world *world, const bex_real *obs) {
    const antmaze_world *w = (const antmaze_world *)world;
    unsigned found = 0;
    for (int g = 0; g < w->mj.base.goals; g++) {
        double corner[2], off[2];
        goal_corner(w, w->goals[g], corner);
        for (int i = 0; i < 2; i++) {
            double d = (double)obs[i] - corner[i];
            off[i] = d >= 0 && d <= GOAL_SIDE ? 0 : d < 0 ? d : d - GOAL_SIDE; // NaN stays NaN
        }
        found |= (unsigned)(hypot(off[0], off[1]) <= BEX_GOAL_RADIUS) << g;
    }
    return found;
}

static void env_goal_name(const bex_world *world, int g, char name[BEX_GOAL_NAME]) {
    const antmaze_world *w = (const antmaze_world *)world;
    const unsigned char *at = w->maze->at[w->goals[g]];
    snprintf(name, BEX_GOAL_NAME, "goal %d (%d,%d)", g + 1, at[0], at[1]);
}

static int env_step(bex_env *env, const bex_real *act, const bex_frame *out, bex_real *reward,
                    bool *terminated) {
    antmaze_env *e = (antmaze_env *)env;
    const antmaze_world *w = world_of(env);
    if (bex_ant_step(&e->mj.sim, act) < 0) return -1;
    bex_ant_observe(&e->mj.sim, out->state);
    double d = hypot(e->mj.sim.qpos[0] - e->target[0], e->mj.sim.qpos[1] - e->target[1]);
    bool there = w->explore ? env_found(env->world, out->state) != 0 : d <= BEX_GOAL_RADIUS;
    *reward = w->dense && w->mj.base.goals ? (bex_real)exp(-d) : there;
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
    for (int g = 0; g < w->mj.base.goals; g++, count++) {
        double at[2];
        goal_corner(w, w->goals[g], at);
        if (count < most)
            shapes[count] =
                (bex_env_shape){BEX_ENV_SHAPE_GOAL,     at[0] + goal,           at[1] + goal,
                                goal + BEX_GOAL_RADIUS, goal + BEX_GOAL_RADIUS, BEX_GOAL_RADIUS};
    }
    double at[2];
    goal_corner(w, w->start, at);
    if (count < most)
        shapes[count] = (bex_env_shape){BEX_ENV_SHAPE_START, at[0], at[1], 0.25, 0.25, 0.25};
    return count + 1;
}

#define ANTMAZE(upstream, description, own, limit, explore)                                        \
    .family = FAMILY, .equals = upstream, .about = description, .variant = own, .picture = "map",  \
    .time_limit = limit, .explore_limit = explore, .score = {0, 1}, .rows = bex_maze_rows,         \
    .options_size = sizeof(bex_maze_options), .open = world_open, .close = world_close,            \
    .env_size = sizeof(antmaze_env), BEX_MJ_ENV, .reset = env_reset, .step = env_step,             \
    .region = env_region, .found = env_found, .goal_name = env_goal_name, .draw = env_draw,        \
    .camera = bex_ant_camera, .conduct = bex_ant_conduct, .judge = bex_ant_judge

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
