/* env/ant/ant.c - the ant, a goal and nothing else. */
#include "env/ant/ant.h"

#include "base/error.h"
#include "env/ant/ant_body.h"

#include <math.h>
#include <stdlib.h>

#define GOAL_DISC 10.0 // metres
#define TAU       6.283185307179586
enum { TIME_LIMIT = 1000, HIDDEN = 2 }; // x and y are not observed

typedef struct ant_world {
    bex_world base;
    bex_mj_model *model;
} ant_world;

typedef struct ant_env {
    bex_env base;
    bex_mj_sim sim;
    double goal[2];
} ant_env;

static void world_close(bex_world *world) {
    bex_mj_model_free(((ant_world *)world)->model);
    free(world);
}

static int world_open(bex_world **out, const bex_env_class *class, const bex_world_options *o) {
    if (o->maze) {
        bex_fail("%s has no walls", class->name);
        return bex_fail_hint("use antmaze for a maze from a file");
    }
    if (o->start[0] >= 0 || o->goal[0] >= 0) return bex_fail("%s has no cells", class->name);
    ant_world *w = calloc(1, sizeof *w);
    if (!w) return bex_fail("out of memory");
    w->base = (bex_world){.class = class,
                          .name = class->name,
                          .O = BEX_ANT_STATE,
                          .A = BEX_ANT_ACTIONS,
                          .time_limit = o->time_limit ? o->time_limit : class->time_limit,
                          .regions = 1,
                          .substeps = BEX_ANT_SUBSTEPS};
    if (w->base.time_limit < 0) w->base.time_limit = 0;
    if (bex_ant_model_load(&w->model, NULL, class->name) < 0) return world_close(&w->base), -1;
    w->base.dt = w->model->timestep * BEX_ANT_SUBSTEPS;
    *out = &w->base;
    return 0;
}

static void env_free(bex_env *env) {
    if (!env) return;
    bex_mj_sim_fini(&((ant_env *)env)->sim);
    free(env);
}

static bex_env *env_new(const bex_world *world) {
    ant_env *env = calloc(1, sizeof *env);
    if (!env) return bex_fail("out of memory"), NULL;
    env->base.world = world;
    if (bex_mj_sim_init(&env->sim, ((const ant_world *)world)->model) < 0)
        return env_free(&env->base), NULL;
    return &env->base;
}

static bex_mj_sim *env_sim(bex_env *env) {
    return &((ant_env *)env)->sim;
}

static void observe(const ant_env *e, bex_real *obs) {
    bex_real state[BEX_ANT_STATE];
    bex_ant_observe(&e->sim, state);
    for (int i = HIDDEN; i < BEX_ANT_STATE; i++) obs[i - HIDDEN] = state[i];
    for (int i = 0; i < HIDDEN; i++)
        obs[BEX_ANT_STATE - HIDDEN + i] = (bex_real)(e->goal[i] - e->sim.qpos[i]);
}

static int env_reset(bex_env *env, bex_rng rng, bex_real *obs) {
    ant_env *e = (ant_env *)env;
    double angle = TAU * bex_rng_uniform(&rng), distance = GOAL_DISC * bex_rng_uniform(&rng);
    bex_ant_goal_set(env, distance * cos(angle), distance * sin(angle));
    bex_ant_reset(&e->sim, &rng, 0, 0);
    observe(e, obs);
    return 0;
}

static int env_step(bex_env *env, const bex_real *act, bex_real *obs, bex_real *reward,
                    bool *terminated) {
    ant_env *e = (ant_env *)env;
    if (bex_ant_step(&e->sim, act) < 0) return -1;
    observe(e, obs);
    *reward = (bex_real)-hypot(e->goal[0] - e->sim.qpos[0], e->goal[1] - e->sim.qpos[1]);
    *terminated = false;
    return 0;
}

static int env_region(const bex_world *world, const bex_real *obs) {
    (void)world, (void)obs;
    return 0;
}

static void env_camera(bex_env *env, bex_camera *camera) {
    bex_ant_camera(&((ant_env *)env)->sim, camera);
}

const double *bex_ant_goal(const bex_env *env) {
    BEX_CHECK(env->world->class == &bex_ant, "%s is not ant", env->world->name);
    return ((const ant_env *)env)->goal;
}

void bex_ant_goal_set(bex_env *env, double x, double y) {
    BEX_CHECK(env->world->class == &bex_ant, "%s is not ant", env->world->name);
    ((ant_env *)env)->goal[0] = x;
    ((ant_env *)env)->goal[1] = y;
}

const bex_env_class bex_ant = {.name = "ant",
                               .equals = "D4RL GoalReachingAntEnv",
                               .about = "an ant that walks to a goal, no walls",
                               .time_limit = TIME_LIMIT,
                               .explore_limit = TIME_LIMIT,
                               .open = world_open,
                               .close = world_close,
                               .new = env_new,
                               .free = env_free,
                               .reset = env_reset,
                               .step = env_step,
                               .region = env_region,
                               .camera = env_camera,
                               .sim = env_sim};
