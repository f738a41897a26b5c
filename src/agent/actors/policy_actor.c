#include "agent/actors/policy_actor.h"

#include "base/error.h"

#include <stdlib.h>

typedef struct {
    bex_actor actor;
    bex_control *control;
} policy_actor;

static int begin(bex_actor *a) {
    return bex_control_begin(((policy_actor *)a)->control);
}

static int act(bex_actor *a, const bex_observation *obs, bex_real *action) {
    return bex_control_act(((policy_actor *)a)->control, obs, action);
}

static int end(bex_actor *a) {
    return bex_control_end(((policy_actor *)a)->control);
}

static int recall(bex_actor *a, const bex_episode *e) {
    return bex_control_recall(((policy_actor *)a)->control, e->obs, e->steps);
}

static void destroy(bex_actor *a) {
    if (!a) return;
    bex_control_free(((policy_actor *)a)->control);
    free(a);
}

static const bex_actor_class class = {
    .name = "policy", .begin = begin, .act = act, .end = end, .recall = recall, .free = destroy};

bex_actor *bex_policy_actor_new(const bex_policy *policy, const bex_deploy_config *deploy,
                                bex_rng rng) {
    policy_actor *a = calloc(1, sizeof *a);
    if (!a) return bex_fail("out of memory"), NULL;
    a->actor.class = &class;
    a->control = bex_control_new(policy, deploy, bex_rng_u64(&rng));
    if (a->control) return &a->actor;
    free(a);
    return NULL;
}

bex_memory *bex_policy_actor_memory(bex_actor *actor) {
    return bex_control_memory(((policy_actor *)actor)->control);
}

const bex_control *bex_policy_actor_control(const bex_actor *actor) {
    return ((const policy_actor *)actor)->control;
}
