/* env/ant/ant_body.c - the ant as MJCF, out of numbers. Facts: D4RL locomotion/assets/ant.xml, ant.py,
 * maze_env.py, wrappers.py; MuJoCo's changelog for the old capsules. */
#include "env/ant/ant_body.h"

#include "base/error.h"
#include "env/d4rl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TORQUE      30.0
#define HEIGHT      0.75
#define WALL_HEIGHT 1.0 // half of it

// mass, inertia across and along, of a capsule by MuJoCo's rule before 2.1.1: radius 0.08, density 5
typedef struct segment {
    double reach; // along x and along y
    double mass, across, along;
} segment;
static const segment upper = {0.2, 0.036476928, 4.5856008e-4, 1.1672617e-4};
static const segment lower = {0.4, 0.064911379, 2.3590400e-3, 2.0771641e-4};

static const struct leg {
    int x, y;     // side
    int axis;     // of the ankle: (axis, 1, 0)
    int low, top; // range of the ankle, degrees
} legs[4] = {{1, 1, -1, 30, 70}, {-1, 1, 1, -70, -30}, {-1, -1, -1, -70, -30}, {1, -1, 1, 30, 70}};

double bex_ant_place(int row_or_column) {
    return BEX_ANT_CELL * (row_or_column - 1);
}

int bex_ant_cell(const bex_maze *maze, double x, double y) {
    // written so that NaN and far away points are outside
    double r = floor(y / BEX_ANT_CELL + 1.5), c = floor(x / BEX_ANT_CELL + 1.5);
    if (!(r >= 0 && r < maze->rows && c >= 0 && c < maze->cols)) return -1;
    return bex_maze_cell(maze, (int)r, (int)c);
}

static void put_segment(FILE *f, const segment *s, const struct leg *leg) {
    double x = leg->x * s->reach, y = leg->y * s->reach;
    fprintf(f,
            "<inertial pos='%g %g 0' zaxis='%d %d 0' mass='%.8g' diaginertia='%.8g %.8g %.8g'/>\n"
            "<geom type='capsule' fromto='0 0 0 %g %g 0' size='0.08' material='leg'/>\n",
            x / 2, y / 2, leg->x, leg->y, s->mass, s->across, s->across, s->along, x, y);
}

static void put_leg(FILE *f, int i) {
    const struct leg *leg = &legs[i];
    double x = leg->x * upper.reach, y = leg->y * upper.reach;
    fputs("<body>\n", f);
    put_segment(f, &upper, leg);
    fprintf(f, "<body pos='%g %g 0'>\n<joint name='hip_%d' axis='0 0 1' range='-30 30'/>\n", x, y,
            i + 1);
    put_segment(f, &upper, leg);
    fprintf(f, "<body pos='%g %g 0'>\n<joint name='ankle_%d' axis='%d 1 0' range='%d %d'/>\n", x, y,
            i + 1, leg->axis, leg->low, leg->top);
    put_segment(f, &lower, leg);
    fputs("</body></body></body>\n", f);
}

static void put_walls(FILE *f, const bex_maze *maze) {
    for (int r = 0; r < maze->rows; r++)
        for (int c = 0; c < maze->cols; c++)
            if (bex_maze_cell(maze, r, c) < 0)
                fprintf(f,
                        "<geom type='box' pos='%g %g %g' size='%g %g %g' conaffinity='1'"
                        " material='wall'/>\n",
                        bex_ant_place(c), bex_ant_place(r), WALL_HEIGHT, BEX_ANT_CELL / 2,
                        BEX_ANT_CELL / 2, WALL_HEIGHT);
}

static const char head[] =
    "<mujoco model='ant'>\n"
    "<compiler inertiafromgeom='auto' angle='degree' coordinate='local'/>\n"
    "<option timestep='0.02' integrator='RK4'/>\n"
    // 13 geoms touch floor and walls in a few points each; MuJoCo's own guess is megabytes
    "<size njmax='600' nconmax='140' nstack='60000'/>\n"
    "<default>\n"
    "  <joint armature='1' damping='1' limited='true'/>\n"
    "  <geom conaffinity='0' condim='3' density='5' friction='1 0.5 0.5' margin='0.01'"
    " solref='0.02 1' solimp='0.8 0.8 0.01'/>\n"
    "  <motor ctrllimited='true' ctrlrange='-30 30' gear='1'/>\n"
    "</default>\n"
    // what a camera sees; no effect on the motion
    "<visual><headlight ambient='.4 .4 .4' diffuse='.25 .25 .25'/></visual>\n"
    "<asset>\n"
    "  <texture name='floor' type='2d' builtin='checker' rgb1='.80 .83 .86' rgb2='.72 .76 .80'"
    " width='64' height='64'/>\n"
    "  <texture type='skybox' builtin='gradient' rgb1='.85 .9 .95' rgb2='.55 .65 .78' width='64'"
    " height='64'/>\n"
    "  <material name='floor' texture='floor' texrepeat='.25 .25' texuniform='true'/>\n"
    "  <material name='wall' rgba='.29 .36 .45 1'/>\n"
    "  <material name='torso' rgba='.84 .37 0 1' specular='.4'/>\n"
    "  <material name='leg' rgba='.90 .62 0 1' specular='.4'/>\n"
    "</asset>\n"
    "<worldbody>\n"
    "<light directional='true' pos='0 0 30' dir='.3 .4 -1' diffuse='.5 .5 .5' specular='.2 .2 .2'/>\n"
    "<geom type='plane' size='200 200 1' conaffinity='1' material='floor'/>\n";

// the model as text; malloced, NULL when out of memory
static char *mjcf(const bex_maze *maze) {
    static const int order[4] = {4, 1, 2, 3}; // of the legs' motors
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    fputs(head, f);
    fprintf(f,
            "<body name='torso' pos='0 0 %g'>\n<geom type='sphere' size='0.25' material='torso'/>\n"
            "<joint type='free' limited='false' armature='0' damping='0' margin='0.01'/>\n",
            HEIGHT);
    for (int i = 0; i < 4; i++) put_leg(f, i);
    fputs("</body>\n", f);
    if (maze) put_walls(f, maze);
    fputs("</worldbody>\n<actuator>\n", f);
    for (int i = 0; i < 4; i++)
        fprintf(f, "<motor joint='hip_%d'/><motor joint='ankle_%d'/>\n", order[i], order[i]);
    fputs("</actuator>\n</mujoco>\n", f);
    if (fclose(f) != 0) return free(text), NULL;
    return text;
}

int bex_ant_model_load(bex_mj_model **out, const bex_maze *maze, const char *name) {
    char *xml = mjcf(maze);
    *out = NULL;
    if (!xml) return bex_fail("out of memory for the model of %s", name);
    int code = bex_mj_model_load(out, xml, name);
    free(xml);
    return code;
}

void bex_ant_reset(bex_mj_sim *sim, bex_rng *rng, double x, double y) {
    bex_mj_sim_reset(sim); // qpos is now the model's own: 0 0 0.75, 1 0 0 0, joints 0
    sim->qpos[0] = x, sim->qpos[1] = y;
    for (int i = 0; i < BEX_ANT_QPOS; i++)
        sim->qpos[i] += BEX_RESET_NOISE * (2 * bex_rng_uniform(rng) - 1);
    for (int i = 0; i < BEX_ANT_QVEL; i++) sim->qvel[i] = BEX_RESET_SPEED * bex_rng_normal(rng);
}

int bex_ant_step(bex_mj_sim *sim, const bex_real *act) {
    for (int i = 0; i < BEX_ANT_ACTIONS; i++) {
        if (!isfinite(act[i])) return bex_fail("action %d is %g", i, (double)act[i]);
        double a = (double)act[i];
        sim->ctrl[i] = TORQUE * (a > 1 ? 1 : a < -1 ? -1 : a);
    }
    return bex_mj_sim_step(sim, BEX_ANT_SUBSTEPS);
}

void bex_ant_observe(const bex_mj_sim *sim, bex_real *obs) {
    for (int i = 0; i < BEX_ANT_QPOS; i++) obs[i] = (bex_real)sim->qpos[i];
    for (int i = 0; i < BEX_ANT_QVEL; i++) obs[BEX_ANT_QPOS + i] = (bex_real)sim->qvel[i];
}

void bex_ant_camera(bex_env *env, bex_camera *camera) {
    const bex_mj_sim *sim = bex_mj_env_sim(env);
    *camera = (bex_camera){{sim->qpos[0], sim->qpos[1], 0.5}, 13, 90, -60};
}
