/* policy/policy.h - a trained policy: network, normaliser, features, coverage statistics, one file.
 *
 * model.safetensors holds the weights by name, "normaliser.*", "phi.*", "coverage.*" and "support.*" tensors, and in its
 * metadata the format version, the sizes and the policy's configuration: enough to rebuild everything.
 * Immutable after load: share it between sessions and threads. */
#ifndef BEX_POLICY_POLICY_H
#define BEX_POLICY_POLICY_H

#include "coverage/condition.h"
#include "coverage/feature.h"
#include "model/dit.h"
#include "policy/noise_schedule.h"
#include "policy/normaliser.h"
#include "policy/policy_config.h"
#include "policy/support.h"

typedef struct bex_policy {
    bex_policy_config config;
    int O, A, tasks, scenes;
    int W, waypoint[BEX_FEATURE_DIMS]; // state dims denoised beside each action (model.waypoints)
    bex_params *params;
    bex_dit dit;
    bex_normaliser normaliser;
    bex_noise_schedule schedule;
    bex_feature *phi;         // be, or model.features; else NULL
    bex_condition *condition; // be only
    bex_support *support;     // with coverage.places; else NULL
} bex_policy;

/* A fresh network with `blocks` of gradients; normaliser, phi and condition are the trainer's to
 * set. Checks that the sizes fit together. NULL with a message. */
bex_policy *bex_policy_new(const bex_policy_config *config, int O, int A, int tasks, int scenes,
                           int blocks, uint64_t seed);
void bex_policy_free(bex_policy *policy);

/* path: a model.safetensors, or a directory that holds one. Tensors "ema.*" become the values where
 * there are any. NULL with a message naming the file. */
bex_policy *bex_policy_load(const char *path);
/* The bytes of a model.safetensors, which are not kept. Messages call them "policy in memory". */
bex_policy *bex_policy_parse(const void *bytes, size_t size);
int bex_policy_save(const bex_policy *policy, const char *path);

/* Weights rounded to 16 bits (loaded, they are what they were rounded to), all else as it is; half the size. */
int bex_policy_save_half(const bex_policy *policy, const char *path);

/* States in the world's units to what a token holds: (n, dit.o.O) = [normalised | phi], phi only with
 * model.features. Without it, out may be the states themselves. */
void bex_policy_inputs(const bex_policy *policy, bex_real *out, const bex_real *states, int n);

/* A chunk row of the network is [action | waypoint], dit.o.A = A + W: waypoint k is the state s
 * (k + 1) F / K steps on, clamped to [-1, 1]. Its columns:
 *     model.reach 0     (s - mean) / (2 std)                          a place
 *     else r            (s - s_now) / (r std (k + 1) / K)             a way, as its mean velocity
 * A way is as loud as an action, so the two are denoised together; a place a few steps off is told only when the
 * last of the noise goes, when actions are settled. value of normalised states, state in the world's units. */
bex_real bex_policy_waypoint_value(const bex_policy *policy, int k, bex_real s, bex_real now);
bex_real bex_policy_waypoint_state(const bex_policy *policy, int k, int dim, bex_real value,
                                   bex_real now);

/* The waypoints of a chunk x (K, dit.o.A) told in `state` (O): places (K,W), the world's units. */
void bex_policy_places(const bex_policy *policy, const bex_real *x, const bex_real *state,
                       bex_real *places);

/* The noise of n chunks x (n,K,dit.o.A) at a temperature: that of the actions scaled, from less of which likelier actions are
 * denoised. That of the waypoints stays: proposals differ in it. */
void bex_policy_cool(const bex_policy *policy, bex_real *x, size_t n, double temperature);

/* phi as the config says, for states with these statistics. NULL with a message. */
bex_feature *bex_policy_phi(const bex_policy_config *config, const bex_normaliser *normaliser);

static inline bool bex_policy_uses_phi(const bex_policy_config *c) {
    return c->model.agent == BEX_AGENT_BE || c->model.features;
}

static inline bool bex_policy_uses_history(const bex_policy *p) {
    return p->dit.o.N > 0;
}

#endif
