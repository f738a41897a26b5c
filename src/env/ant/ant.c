/* env/ant/ant.c - the ant, a goal and nothing else. */
#include "env/ant/ant.h"

#include "base/error.h"
#include "env/ant/ant_body.h"

#include <math.h>

#define GOAL_DISC 10.0 // metres
#define TAU       6.283185307179586
enum { TIME_LIMIT = 1000, HIDDEN = 2 }; // x and y are not observed

typedef struct ant_env {
    bex_mj_env mj;
    double goal[2];
} ant_env;

static int world_open(bex_world **out, const bex_env_class *class, const bex_world_options *o,
                      const void *own) {
    (void)own;
    bex_mj_world *w = bex_mj_world_new(class, o, sizeof *w);
    if (!w) return -1;
    if (bex_ant_model_load(&w->model, NULL, class->name) < 0)
        return bex_mj_world_close(&w->base), -1;
    bex_mj_world_pace(w, BEX_ANT_SUBSTEPS);
    w->base.spec.state = BEX_ANT_STATE, w->base.A = BEX_ANT_ACTIONS;
    w->base.regions = 1;
    *out = &w->base;
    return 0;
}

static void observe(const ant_env *e, bex_real *obs) {
    bex_real state[BEX_ANT_STATE];
    bex_ant_observe(&e->mj.sim, state);
    for (int i = HIDDEN; i < BEX_ANT_STATE; i++) obs[i - HIDDEN] = state[i];
    for (int i = 0; i < HIDDEN; i++)
        obs[BEX_ANT_STATE - HIDDEN + i] = (bex_real)(e->goal[i] - e->mj.sim.qpos[i]);
}

static int env_reset(bex_env *env, bex_rng rng, const bex_frame *out) {
    ant_env *e = (ant_env *)env;
    double angle = TAU * bex_rng_uniform(&rng), distance = GOAL_DISC * bex_rng_uniform(&rng);
    bex_ant_goal_set(env, distance * cos(angle), distance * sin(angle));
    bex_ant_reset(&e->mj.sim, &rng, 0, 0);
    observe(e, out->state);
    return 0;
}

static int env_step(bex_env *env, const bex_real *act, const bex_frame *out, bex_real *reward,
                    bool *terminated) {
    ant_env *e = (ant_env *)env;
    if (bex_ant_step(&e->mj.sim, act) < 0) return -1;
    observe(e, out->state);
    *reward = (bex_real)-hypot(e->goal[0] - e->mj.sim.qpos[0], e->goal[1] - e->mj.sim.qpos[1]);
    *terminated = false;
    return 0;
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
                               .family = "ant",
                               .equals = "D4RL GoalReachingAntEnv",
                               .about = "an ant that walks to a goal, no walls",
                               .time_limit = TIME_LIMIT,
                               .explore_limit = TIME_LIMIT,
                               .env_size = sizeof(ant_env),
                               .open = world_open,
                               .close = bex_mj_world_close,
                               BEX_MJ_ENV,
                               .reset = env_reset,
                               .step = env_step,
                               .region = bex_one_region,
                               .camera = bex_ant_camera};
