/* agent/rl/gaussian_actor.h - the actor of an actor-critic method by itself: its file, and a control stream
 * of it.
 *
 * model.safetensors: the parameters of model/tanh_gaussian.h by name; metadata "format" = bex-actor-1,
 * "agent" (who learned it), "world", "observation", "action" and "hidden" (widths, by commas). States and
 * actions are the world's, actions in (-1, 1).
 *
 *     bex_gaussian_policy *p = bex_gaussian_policy_load("runs/sac/checkpoints/last/model.safetensors");
 *     bex_actor *a = bex_gaussian_actor_new(p, rng);      one control stream: actions are drawn */
#ifndef BEX_AGENT_RL_GAUSSIAN_ACTOR_H
#define BEX_AGENT_RL_GAUSSIAN_ACTOR_H

#include "agent/actors/actor.h"
#include "base/arena.h"
#include "base/rng.h"
#include "model/tanh_gaussian.h"

/* Immutable once loaded; actors of it may run in different threads. */
typedef struct bex_gaussian_policy {
    int O, A;
    char agent[32], world[64];
    bex_params *params;
    bex_tanh_gaussian pi;
} bex_gaussian_policy;

/* act (n,A) for states obs (n,O): drawn, or the most likely ones with rng NULL. One arena, one thread;
 * allocates nothing once the arena is large enough. */
void bex_gaussian_act(const bex_tanh_gaussian *pi, bex_arena *arena, const bex_real *obs, int n,
                      bex_rng *rng, bex_real *act);

/* The file of an actor whose parameters are `params`. 0, or negative with a message. */
int bex_gaussian_policy_save(const bex_tanh_gaussian *pi, const bex_params *params,
                             const char *agent, const char *world, const char *path);

/* Is it such a file? Anything else, one that cannot be read among them: false. */
bool bex_gaussian_policy_is(const char *path);

/* NULL with a message naming the file. */
bex_gaussian_policy *bex_gaussian_policy_load(const char *path);
void bex_gaussian_policy_free(bex_gaussian_policy *p); // NULL is fine; after its actors

/* rng: this stream's own. It remembers nothing between episodes but their number. NULL with a message. */
bex_actor *bex_gaussian_actor_new(const bex_gaussian_policy *p, bex_rng rng);

#endif
