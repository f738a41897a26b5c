/* env/mj_env.h - what all worlds with MuJoCo inside share: a model, a simulation per instance, and the
 * functions that make and free them. A class puts its members behind these heads:
 *
 *     typedef struct ball_world { bex_mj_world mj; int goal; } ball_world;
 *     typedef struct ball_env { bex_mj_env mj; double before[2]; } ball_env;
 *     const bex_env_class ball = {.env_size = sizeof(ball_env), .close = bex_mj_world_close, BEX_MJ_ENV,
 *     ...}; */
#ifndef BEX_ENV_MJ_ENV_H
#define BEX_ENV_MJ_ENV_H

#include "env/env.h"
#include "env/mj.h"

typedef struct bex_mj_world {
    bex_world base;
    bex_mj_model *model; // owned
} bex_mj_world;

typedef struct bex_mj_env {
    bex_env base;
    bex_mj_sim sim;
} bex_mj_env;

/* A world of `size` bytes, all zero but class, name and time limit; NULL with a message. */
void *bex_mj_world_new(const bex_env_class *class, const bex_world_options *options, size_t size);

/* Once the model is loaded: dt and substeps from its timestep. */
void bex_mj_world_pace(bex_mj_world *world, int substeps);

/* Frees model and world; a class that owns more frees that first. */
void bex_mj_world_close(bex_world *world);

/* `new`, `free` and `sim` of such a class: instances of class->env_size bytes, zero but for the head. */
bex_env *bex_mj_env_new(const bex_world *world);
void bex_mj_env_free(bex_env *env);
bex_mj_sim *bex_mj_env_sim(bex_env *env);
#define BEX_MJ_ENV .new = bex_mj_env_new, .free = bex_mj_env_free, .sim = bex_mj_env_sim

#endif
