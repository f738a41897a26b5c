#include "env/mj_env.h"

#include "base/error.h"

#include <stdlib.h>

void *bex_mj_world_new(const bex_env_class *class, const bex_world_options *options, size_t size) {
    BEX_CHECK(size >= sizeof(bex_mj_world), "%s: a world of %zu bytes", class->name, size);
    bex_mj_world *w = calloc(1, size);
    if (!w) return bex_fail("out of memory"), NULL;
    w->base.class = class;
    w->base.name = class->name;
    w->base.time_limit = bex_world_limit(class, options);
    return w;
}

void bex_mj_world_pace(bex_mj_world *world, int substeps) {
    world->base.substeps = substeps;
    world->base.dt = world->model->timestep * substeps;
}

void bex_mj_world_close(bex_world *world) {
    bex_mj_model_free(((bex_mj_world *)world)->model);
    free(world);
}

bex_env *bex_mj_env_new(const bex_world *world) {
    size_t size = world->class->env_size;
    BEX_CHECK(size >= sizeof(bex_mj_env), "%s: an instance of %zu bytes", world->name, size);
    bex_mj_env *env = calloc(1, size);
    if (!env) return bex_fail("out of memory"), NULL;
    env->base.world = world;
    if (bex_mj_sim_init(&env->sim, ((const bex_mj_world *)world)->model) < 0)
        return bex_mj_env_free(&env->base), NULL;
    return &env->base;
}

void bex_mj_env_free(bex_env *env) {
    if (!env) return;
    bex_mj_sim_fini(&((bex_mj_env *)env)->sim);
    free(env);
}

bex_mj_sim *bex_mj_env_sim(bex_env *env) {
    return &((bex_mj_env *)env)->sim;
}
