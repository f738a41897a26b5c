#include "agent/actors/policy_actor.h"

#include "base/error.h"

#include <stdlib.h>

typedef struct {
    bex_actor actor;
    bex_control *control;
    const bex_told *told; // borrowed; NULL: label 0 of either
    bex_rng rng;
    uint64_t episode; // begun so far
} policy_actor;

// what is told in an episode depends on its number alone, so that one can be recalled without a draw
static int tell(policy_actor *p) {
    if (!p->told) return 0;
    bex_rng rng = bex_rng_split(p->rng, "told", p->episode++);
    int n = p->told->tasks, task = n > 1 ? (int)bex_rng_below(&rng, (uint64_t)n) : 0;
    return bex_control_set_task(p->control, n ? p->told->task[task] : 0, p->told->scene);
}

static int begin(bex_actor *a) {
    policy_actor *p = (policy_actor *)a;
    return tell(p) < 0 ? -1 : bex_control_begin(p->control);
}

static int act(bex_actor *a, const bex_observation *obs, bex_real *action) {
    return bex_control_act(((policy_actor *)a)->control, obs, action);
}

static bool looks(const bex_actor *a) {
    return bex_control_looks(((const policy_actor *)a)->control);
}

static int end(bex_actor *a) {
    return bex_control_end(((policy_actor *)a)->control);
}

static int recall(bex_actor *a, const bex_episode *e) {
    policy_actor *p = (policy_actor *)a;
    p->episode++;
    return bex_control_recall(p->control, e->obs, e->steps, e->O);
}

static void destroy(bex_actor *a) {
    if (!a) return;
    bex_control_free(((policy_actor *)a)->control);
    free(a);
}

static const bex_actor_class class = {.name = "policy",
                                      .begin = begin,
                                      .act = act,
                                      .looks = looks,
                                      .end = end,
                                      .recall = recall,
                                      .free = destroy};

bex_actor *bex_policy_actor_new(const bex_policy *policy, const bex_deploy_config *deploy,
                                const bex_told *told, bex_rng rng) {
    policy_actor *a = calloc(1, sizeof *a);
    if (!a) return bex_fail("out of memory"), NULL;
    a->actor.class = &class;
    a->told = told, a->rng = rng;
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
