/* env/maze/maze2d.c - the ball, its model and its world. Facts: D4RL pointmaze/maze_model.py. */
#include "env/maze/maze2d.h"

#include "base/error.h"
#include "env/d4rl.h"
#include "env/maze/maze_world.h"
#include "env/mj_env.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPEED_LIMIT   5.0
#define FAMILY        "maze2d"
#define BALL_ORIGIN   1.2 // qpos = world position - 1.2, while cell r is centred at world r + 1
#define WALL_HALF     0.5
#define OPEN_LIMIT    150
#define CUSTOM_LIMIT  600
#define EXPLORE_LIMIT 300

typedef struct maze2d_world {
    bex_mj_world mj;
    bex_maze *maze;
    int start; // cell, -1: uniform
    int goal;  // cell, -1: none
    int splits;
    bool dense;
} maze2d_world;

static const char umaze[] = "#####\n#GOO#\n###O#\n#OOO#\n#####\n";
static const char medium[] = "########\n#OO##OO#\n#OO#OOO#\n##OOO###\n"
                             "#OO#OOO#\n#O#OO#O#\n#OOO#OG#\n########\n";
static const char large[] = "############\n#OOOO#OOOOO#\n#O##O#O#O#O#\n"
                            "#OOOOOO#OOO#\n#O####O###O#\n#OO#O#OOOOO#\n"
                            "##O#O#O#O###\n#OO#OOO#OGO#\n############\n";
static const char open_space[] = "#######\n#OOOOO#\n#OOGOO#\n#OOOOO#\n#######\n";

char *bex_maze2d_mjcf(const bex_maze *maze) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f) return bex_fail("out of memory for a maze model"), NULL;
    fputs("<mujoco model='maze2d'>\n"
          "<compiler inertiafromgeom='true' angle='radian' coordinate='local'/>\n"
          "<option timestep='0.01' gravity='0 0 0' iterations='20' integrator='Euler'/>\n"
          // a ball touches at most nine things; MuJoCo's own guess is 13 MB an instance, cleared at
          // every reset
          "<size njmax='64' nconmax='32' nstack='10000'/>\n"
          "<default>\n"
          "  <joint damping='1' limited='false'/>\n"
          "  <geom friction='.5 .1 .1' density='1000' margin='0.002' condim='1' contype='2'"
          " conaffinity='1'/>\n"
          "</default>\n"
          "<worldbody>\n"
          "  <geom type='plane' pos='0 0 -0.1' size='80 80 0.25' contype='1' conaffinity='0'/>\n",
          f);
    fprintf(f,
            "  <body pos='%g %g 0'>\n"
            "    <geom type='sphere' size='0.1' contype='1'/>\n"
            "    <joint name='x' type='slide' pos='0 0 0' axis='1 0 0'/>\n"
            "    <joint name='y' type='slide' pos='0 0 0' axis='0 1 0'/>\n"
            "  </body>\n",
            BALL_ORIGIN, BALL_ORIGIN);
    for (int r = 0; r < maze->rows; r++)
        for (int c = 0; c < maze->cols; c++)
            if (bex_maze_cell(maze, r, c) < 0)
                fprintf(f, "  <geom type='box' pos='%d %d 0' size='%g %g 0.2' conaffinity='1'/>\n",
                        r + 1, c + 1, WALL_HALF, WALL_HALF);
    fputs("</worldbody>\n"
          "<actuator>\n"
          "  <motor joint='x' ctrllimited='true' ctrlrange='-1 1' gear='100'/>\n"
          "  <motor joint='y' ctrllimited='true' ctrlrange='-1 1' gear='100'/>\n"
          "</actuator>\n"
          "</mujoco>\n",
          f);
    if (fclose(f) != 0) return free(text), bex_fail("out of memory for a maze model"), NULL;
    return text;
}

static int fill_world(maze2d_world *w, const bex_world_options *o, const bex_maze_options *own) {
    bex_world *base = &w->mj.base;
    const bex_env_class *class = base->class;
    const char *name = own->maze[0] ? own->maze : class->name;
    if (bex_maze_world_load(&w->maze, class, class->variant, own) < 0) return -1;
    if (bex_maze_world_cell(&w->start, w->maze, own->start, -1, "start", name) < 0) return -1;
    if (bex_maze_world_cell(&w->goal, w->maze, own->goal, w->maze->goal, "goal", name) < 0)
        return -1;
    char *xml = bex_maze2d_mjcf(w->maze);
    if (!xml) return -1;
    int code = bex_mj_model_load(&w->mj.model, xml, name);
    free(xml);
    if (code < 0) return -1;
    bex_mj_world_pace(&w->mj, 1);
    w->splits = bex_maze_world_splits(class, o, own);
    w->dense = own->dense;
    base->spec.state = 4, base->A = 2;
    base->maze = w->maze, base->goals = w->goal >= 0;
    base->file = own->maze[0] ? own->maze : NULL;
    base->posed = true;
    base->regions = w->maze->cells * w->splits * w->splits;
    base->right = 1, base->down = 0; // as the text is written: columns right, rows down
    return 0;
}

static void world_close(bex_world *world) {
    bex_maze_free(((maze2d_world *)world)->maze);
    bex_mj_world_close(world);
}

static int world_open(bex_world **out, const bex_env_class *class, const bex_world_options *o,
                      const void *own) {
    maze2d_world *w = bex_mj_world_new(class, o, sizeof *w);
    if (!w) return -1;
    if (fill_world(w, o, own) < 0) return world_close(&w->mj.base), -1;
    *out = &w->mj.base;
    return 0;
}

const bex_maze *bex_maze2d_maze(const bex_world *world) {
    return bex_world_is(world, FAMILY) ? world->maze : NULL;
}

static void observe(const bex_mj_sim *s, bex_real *obs) {
    for (int i = 0; i < 2; i++) {
        obs[i] = (bex_real)s->qpos[i];
        obs[2 + i] = (bex_real)s->qvel[i];
    }
}

static int env_reset(bex_env *env, bex_rng rng, const bex_frame *out) {
    const maze2d_world *w = (const maze2d_world *)env->world;
    bex_mj_sim *s = bex_mj_env_sim(env);
    int cell = w->start >= 0 ? w->start : (int)bex_rng_below(&rng, (uint64_t)w->maze->cells);
    bex_mj_sim_reset(s);
    for (int i = 0; i < 2; i++)
        s->qpos[i] = w->maze->at[cell][i] + BEX_RESET_NOISE * (2 * bex_rng_uniform(&rng) - 1);
    for (int i = 0; i < 2; i++) s->qvel[i] = BEX_RESET_SPEED * bex_rng_normal(&rng);
    observe(s, out->state);
    return 0;
}

static double clip(double x, double most) {
    return x > most ? most : x < -most ? -most : x;
}

static double goal_distance(const maze2d_world *w, double x, double y) {
    if (w->goal < 0) return INFINITY;
    return hypot(x - w->maze->at[w->goal][0], y - w->maze->at[w->goal][1]);
}

static bex_real reward_at(const maze2d_world *w, const double *position) {
    double d = goal_distance(w, position[0], position[1]);
    return w->dense ? (bex_real)exp(-d) : d <= BEX_GOAL_RADIUS ? 1 : 0;
}

static unsigned env_found(const bex_world *world, const bex_real *obs) {
    const maze2d_world *w = (const maze2d_world *)world;
    return goal_distance(w, (double)obs[0], (double)obs[1]) <= BEX_GOAL_RADIUS;
}

static int env_step(bex_env *env, const bex_real *act, const bex_frame *out, bex_real *reward,
                    bool *terminated) {
    bex_mj_sim *s = bex_mj_env_sim(env);
    for (int i = 0; i < 2; i++) {
        if (!isfinite(act[i])) return bex_fail("action %d is %g", i, (double)act[i]);
        s->ctrl[i] = clip((double)act[i], 1);
        s->qvel[i] = clip(s->qvel[i], SPEED_LIMIT);
    }
    if (bex_mj_sim_step(s, 1) < 0) return -1;
    observe(s, out->state);
    *reward = reward_at((const maze2d_world *)env->world, s->qpos);
    *terminated = false;
    return 0;
}

static void env_goal_name(const bex_world *world, int g, char name[BEX_GOAL_NAME]) {
    const maze2d_world *w = (const maze2d_world *)world;
    (void)g; // the only one
    snprintf(name, BEX_GOAL_NAME, "goal (%d,%d)", w->maze->at[w->goal][0], w->maze->at[w->goal][1]);
}

static int env_region(const bex_world *world, const bex_real *obs) {
    const maze2d_world *w = (const maze2d_world *)world;
    double x = (double)obs[0], y = (double)obs[1];
    int cell = bex_maze_cell_at(w->maze, x, y), n = w->splits;
    if (cell < 0 || n == 1) return cell;
    int i = (int)(n * (x + BEX_MAZE_OFFSET - w->maze->at[cell][0]));
    int j = (int)(n * (y + BEX_MAZE_OFFSET - w->maze->at[cell][1]));
    return (cell * n + (i < n ? i : n - 1)) * n + (j < n ? j : n - 1);
}

static int env_draw(const bex_world *world, bex_env_shape *shapes, int most) {
    const maze2d_world *w = (const maze2d_world *)world;
    int count = 0;
    for (int r = 0; r < w->maze->rows; r++)
        for (int c = 0; c < w->maze->cols; c++) {
            if (bex_maze_cell(w->maze, r, c) >= 0) continue;
            if (count < most)
                shapes[count] =
                    (bex_env_shape){BEX_ENV_SHAPE_WALL, c - BEX_MAZE_MIDDLE, r - BEX_MAZE_MIDDLE,
                                    WALL_HALF,          WALL_HALF,           0};
            count++;
        }
    const int cells[2] = {w->goal, w->start};
    for (int i = 0; i < 2; i++) {
        if (cells[i] < 0) continue;
        const unsigned char *at = w->maze->at[cells[i]];
        if (count < most)
            shapes[count] =
                i ? (bex_env_shape){BEX_ENV_SHAPE_START, at[1], at[0], 0.1, 0.1, 0.1}
                  : (bex_env_shape){BEX_ENV_SHAPE_GOAL, at[1],           at[0],
                                    BEX_GOAL_RADIUS,    BEX_GOAL_RADIUS, BEX_GOAL_RADIUS};
        count++;
    }
    return count;
}

#define MAZE2D(upstream, description, layout, limit, random, expert)                               \
    .family = FAMILY, .equals = upstream, .about = description, .variant = layout,                 \
    .picture = "map", .time_limit = limit, .explore_limit = EXPLORE_LIMIT, .explore_splits = 2,    \
    .score = {random, expert}, .rows = bex_maze_rows, .options_size = sizeof(bex_maze_options),    \
    .open = world_open, .close = world_close, .env_size = sizeof(bex_mj_env), BEX_MJ_ENV,          \
    .reset = env_reset, .step = env_step, .region = env_region, .found = env_found,                \
    .goal_name = env_goal_name, .draw = env_draw

const bex_env_class bex_maze2d_umaze = {
    .name = "maze2d-umaze",
    MAZE2D("D4RL maze2d-umaze-v1", "a ball in a U, 7 cells", umaze, 300, 23.85, 161.86)};
const bex_env_class bex_maze2d_medium = {
    .name = "maze2d-medium",
    MAZE2D("D4RL maze2d-medium-v1", "a ball in 26 cells", medium, 600, 13.13, 277.39)};
const bex_env_class bex_maze2d_large = {
    .name = "maze2d-large",
    MAZE2D("D4RL maze2d-large-v1", "a ball in 46 cells", large, 800, 6.7, 273.99)};
const bex_env_class bex_maze2d_open = {
    .name = "maze2d-open",
    MAZE2D("D4RL maze2d-open-v0", "a ball in one room of 15 cells", open_space, OPEN_LIMIT, 0, 0)};
const bex_env_class bex_maze2d_any = {
    .name = "maze2d",
    MAZE2D("D4RL MazeEnv", "a ball in a maze of your own: --maze FILE", NULL, CUSTOM_LIMIT, 0, 0)};
