/* env/kitchen/kitchen.c - the kitchen's tasks, control law and worlds. Facts: D4RL kitchen/. */
#include "env/kitchen/kitchen.h"

#include "base/error.h"
#include "env/kitchen_xml.h"
#include "env/mj_env.h"

#include <math.h>
#include <stdio.h>

#define ACTION_SPEED 2.0 // rad/s, m/s at action 1
#define NEAR         0.3
#define NOISE        0.1 // of the amplitudes below

#define FAMILY "kitchen"

enum { SUBSTEPS = 40, TIME_LIMIT = 280, ROBOT = BEX_KITCHEN_A };

const bex_kitchen_task bex_kitchen_tasks[BEX_KITCHEN_TASKS] = {
    {"bottom burner", "bottomknob", 11, 2, {-0.88, -0.01}},
    {"top burner", "topknob", 15, 2, {-0.92, -0.01}},
    {"light switch", "switch", 17, 2, {-0.69, -0.05}},
    {"slide cabinet", "slide", 19, 1, {0.37}},
    {"hinge cabinet", "hinge", 20, 2, {0, 1.45}},
    {"microwave", "microwave", 22, 1, {-0.75}},
    {"kettle", "kettle", 23, 7, {-0.23, 0.75, 1.62, 0.99, 0, 0, -0.06}},
};
enum {
    BOTTOM_BURNER = 1,
    TOP_BURNER = 2,
    LIGHT = 4,
    SLIDE = 8,
    HINGE = 16,
    MICROWAVE = 32,
    KETTLE = 64
};

static const unsigned slider_tasks = MICROWAVE | KETTLE | LIGHT | SLIDE;
static const unsigned burner_tasks = MICROWAVE | KETTLE | LIGHT | BOTTOM_BURNER;

// noise of each observed position is uniform, +- NOISE times this
static const double amplitude[BEX_KITCHEN_QPOS] = {
    0.1,   0.1,   0.1,   0.1,  0.1,  0.1,  0.1,   0.1,  0.1, // arm, fingers
    0.005, 0.005, 5e-4,  5e-4, 5e-4, 5e-4, 5e-4,  5e-4,      // knobs and burners
    0.005, 0.005, 0.005, 0.1,  0.1,  0.1,                    // light, slide, hinges, microwave
    0.005, 0.005, 0.005, 0.1,  0.1,  0.1,  0.005,            // kettle
};

// where the servos may be sent
static const double bound[ROBOT][2] = {{-2.9, 2.9}, {-1.8, 1.8}, {-2.9, 2.9},
                                       {-3.1, 0},   {-2.9, 2.9}, {0, 3.8},
                                       {-2.9, 2.9}, {0, 0.04},   {0, 0.04}};

// D4RL's start: joint 2 and the left finger a little beyond their limits, the kettle 7 mm into the
// stove and its quaternion of length 1.006, as upstream has them
static const double start[BEX_KITCHEN_QPOS] = {
    1.48388023e-01,  -1.76848573e+00, 1.84390296e+00,  -2.47685760e+00, 2.60252026e-01,
    7.12533105e-01,  1.59515394e+00,  4.79267505e-02,  3.71350919e-02,  -2.66279850e-04,
    -5.18043486e-05, 3.12877220e-05,  -4.51199853e-05, -3.90842156e-06, -4.22629655e-05,
    6.28065475e-05,  4.04984708e-05,  4.62730939e-04,  -2.26906415e-04, -4.65501369e-04,
    -6.44129196e-03, -1.77048263e-03, 1.08009684e-03,  -2.69397440e-01, 3.50383255e-01,
    1.61944683e+00,  1.00618764e+00,  4.06395120e-03,  -6.62095997e-03, -2.68278933e-04};

typedef struct kitchen_world {
    bex_mj_world mj;
    unsigned goals; // bits
    bool explore;
    bex_real goal[BEX_KITCHEN_QPOS];
} kitchen_world;

typedef struct kitchen_env {
    bex_mj_env mj;
    bex_rng noise;
    double seen[ROBOT]; // the robot as last observed
    unsigned pending;   // goals not yet reached in this episode
} kitchen_env;

static int world_open(bex_world **out, const bex_env_class *class, const bex_world_options *o,
                      const void *own) {
    (void)own;
    kitchen_world *w = bex_mj_world_new(class, o, sizeof *w);
    if (!w) return -1;
    bex_world *base = &w->mj.base;
    if (bex_mj_model_load(&w->mj.model, kitchen_xml, class->name) < 0)
        return bex_mj_world_close(base), -1;
    const bex_mj_model *m = w->mj.model;
    BEX_CHECK(m->nq == BEX_KITCHEN_QPOS && m->nv == BEX_KITCHEN_QVEL && m->nu == ROBOT,
              "the kitchen has %d positions, %d velocities, %d controls", m->nq, m->nv, m->nu);
    bex_mj_world_pace(&w->mj, SUBSTEPS);
    w->goals = *(const unsigned *)class->variant;
    w->explore = o->explore;
    for (int k = 0; k < BEX_KITCHEN_TASKS; k++) {
        const bex_kitchen_task *t = &bex_kitchen_tasks[k];
        for (int i = 0; i < t->count && w->goals >> k & 1; i++)
            w->goal[t->first + i] = (bex_real)t->goal[i];
    }
    base->spec.state = BEX_KITCHEN_O, base->A = BEX_KITCHEN_A;
    base->regions = 1 << BEX_KITCHEN_GOALS;
    base->posed = true;
    base->goals = BEX_KITCHEN_GOALS;
    *out = base;
    return 0;
}

unsigned bex_kitchen_goals(const bex_world *world) {
    return bex_world_is(world, FAMILY) ? ((const kitchen_world *)world)->goals : 0;
}

unsigned bex_kitchen_done(const bex_real *positions) {
    unsigned done = 0;
    for (int k = 0; k < BEX_KITCHEN_TASKS; k++) {
        const bex_kitchen_task *t = &bex_kitchen_tasks[k];
        double squared = 0;
        for (int i = 0; i < t->count; i++) {
            double off = (double)positions[t->first + i] - t->goal[i];
            squared += off * off;
        }
        if (squared < NEAR * NEAR) done |= 1u << k;
    }
    return done;
}

static void observe(kitchen_env *e, bex_real *obs) {
    const kitchen_world *w = (const kitchen_world *)e->mj.base.world;
    for (int i = 0; i < BEX_KITCHEN_QPOS; i++) {
        double noise = NOISE * amplitude[i] * (2 * bex_rng_uniform(&e->noise) - 1);
        obs[i] = (bex_real)(e->mj.sim.qpos[i] + noise);
        obs[BEX_KITCHEN_QPOS + i] = w->goal[i];
    }
    for (int i = 0; i < ROBOT; i++) e->seen[i] = (double)obs[i];
}

// what follows once the simulation holds its first state
static int begin(kitchen_env *e, bex_rng rng, bex_real *obs) {
    e->noise = bex_rng_split(rng, "noise", 0);
    e->pending = bex_kitchen_goals(e->mj.base.world);
    if (bex_mj_sim_forward(&e->mj.sim) < 0) return -1;
    observe(e, obs);
    return 0;
}

static int env_reset(bex_env *env, bex_rng rng, const bex_frame *out) {
    bex_mj_sim *s = bex_mj_env_sim(env);
    bex_mj_sim_reset(s);
    for (int i = 0; i < BEX_KITCHEN_QPOS; i++) s->qpos[i] = start[i];
    return begin((kitchen_env *)env, rng, out->state);
}

int bex_kitchen_place(bex_env *env, bex_rng rng, const bex_real *qpos, const bex_real *qvel,
                      bex_real *obs) {
    bex_mj_sim *s = bex_mj_env_sim(env);
    bex_mj_sim_reset(s);
    for (int i = 0; i < BEX_KITCHEN_QPOS; i++) s->qpos[i] = (double)qpos[i];
    for (int i = 0; i < BEX_KITCHEN_QVEL; i++) s->qvel[i] = (double)qvel[i];
    return begin((kitchen_env *)env, rng, obs);
}

static double clip(double x, double least, double most) {
    return x < least ? least : x > most ? most : x;
}

static int env_step(bex_env *env, const bex_real *act, const bex_frame *out, bex_real *reward,
                    bool *terminated) {
    kitchen_env *e = (kitchen_env *)env;
    for (int i = 0; i < ROBOT; i++) {
        if (!isfinite(act[i])) return bex_fail("action %d is %g", i, (double)act[i]);
        double speed = ACTION_SPEED * clip((double)act[i], -1, 1);
        e->mj.sim.ctrl[i] = clip(e->seen[i] + speed * env->world->dt, bound[i][0], bound[i][1]);
    }
    if (bex_mj_sim_step(&e->mj.sim, SUBSTEPS) < 0) return -1;
    observe(e, out->state);
    unsigned reached = bex_kitchen_done(out->state) & e->pending;
    e->pending &= ~reached;
    *reward = (bex_real)__builtin_popcount(reached);
    *terminated = !e->pending && !((const kitchen_world *)env->world)->explore;
    return 0;
}

static unsigned env_found(const bex_world *world, const bex_real *obs) {
    unsigned goals = bex_kitchen_goals(world), done = bex_kitchen_done(obs), found = 0;
    for (int k = 0, bit = 0; k < BEX_KITCHEN_TASKS; k++)
        if (goals >> k & 1) found |= (done >> k & 1) << bit++;
    return found;
}

static void env_goal_name(const bex_world *world, int g, char name[BEX_GOAL_NAME]) {
    unsigned goals = bex_kitchen_goals(world);
    for (int k = 0; k < BEX_KITCHEN_TASKS; k++)
        if (goals >> k & 1 && g-- == 0)
            snprintf(name, BEX_GOAL_NAME, "%s", bex_kitchen_tasks[k].name);
}

static int env_region(const bex_world *world, const bex_real *obs) {
    return (int)env_found(world, obs);
}

// over the arm's left shoulder, all seven things in view
static void env_camera(bex_env *env, bex_camera *camera) {
    (void)env;
    *camera =
        (bex_camera){.at = {-0.25, 0.4, 2.07}, .distance = 2.2, .azimuth = 60, .elevation = -25};
}

#define KITCHEN(upstream, description, tasks)                                                      \
    .family = FAMILY, .equals = upstream, .about = description, .variant = &(tasks),               \
    .picture = "kitchen", .time_limit = TIME_LIMIT, .explore_limit = TIME_LIMIT,                   \
    .score = {0, BEX_KITCHEN_GOALS}, .open = world_open, .close = bex_mj_world_close,              \
    .env_size = sizeof(kitchen_env), BEX_MJ_ENV, .reset = env_reset, .step = env_step,             \
    .region = env_region, .found = env_found, .goal_name = env_goal_name, .camera = env_camera

const bex_env_class bex_kitchen = {
    .name = "kitchen",
    KITCHEN("D4RL kitchen-partial-v0", "short for kitchen-partial", slider_tasks)};
const bex_env_class bex_kitchen_complete = {
    .name = "kitchen-complete",
    KITCHEN("D4RL kitchen-complete-v0", "an arm: microwave, kettle, light, slide", slider_tasks)};
const bex_env_class bex_kitchen_partial = {
    .name = "kitchen-partial",
    KITCHEN("D4RL kitchen-partial-v0", "the same world as kitchen-complete", slider_tasks)};
const bex_env_class bex_kitchen_mixed = {
    .name = "kitchen-mixed",
    KITCHEN("D4RL kitchen-mixed-v0", "an arm: microwave, kettle, burner, light", burner_tasks)};
