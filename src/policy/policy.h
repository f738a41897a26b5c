/* policy/policy.h - a trained policy: network, normaliser, features, coverage statistics, one file.
 *
 * model.safetensors holds the weights by name, "normaliser.*", "phi.*" and "coverage.*" tensors, and in its
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

typedef struct bex_policy {
    bex_policy_config config;
    int O, A, tasks, scenes;
    bex_params *params;
    bex_dit dit;
    bex_normaliser normaliser;
    bex_noise_schedule schedule;
    bex_feature *phi;         // be only, else NULL
    bex_condition *condition; // be only
} bex_policy;

/* A fresh network with `lanes` gradient blocks; normaliser, phi and condition are the trainer's to
 * set. Checks that the sizes fit together. NULL with a message. */
bex_policy *bex_policy_new(const bex_policy_config *config, int O, int A, int tasks, int scenes,
                           int lanes, uint64_t seed);
void bex_policy_free(bex_policy *policy);

/* path: a model.safetensors, or a directory that holds one. Tensors "ema.*" become the values where
 * there are any. NULL with a message naming the file. */
bex_policy *bex_policy_load(const char *path);
int bex_policy_save(const bex_policy *policy, const char *path);

/* phi as the config says, for states with these statistics. NULL with a message. */
bex_feature *bex_policy_phi(const bex_policy_config *config, const bex_normaliser *normaliser);

static inline bool bex_policy_uses_history(const bex_policy *p) {
    return p->dit.o.N > 0;
}

#endif
