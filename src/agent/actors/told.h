/* agent/actors/told.h - what a policy with inputs of scene and task is told in a world: the world's labels by
 * name (env/env.h), as the policy's numbers for them (policy/labels.h).
 *
 *   rule     the task of an episode
 *   given    the world's own
 *   scene    one of the world's at random, anew each episode
 *   any      one of all the policy knows at random, anew each episode
 *
 * The scene is always the world's. Policies without such inputs are told nothing, whatever the rule. */
#ifndef BEX_AGENT_ACTORS_TOLD_H
#define BEX_AGENT_ACTORS_TOLD_H

#include "env/env.h"
#include "policy/policy.h"

typedef struct bex_told {
    int scene;        // 0 for policies without
    int *task;        // (tasks) the labels that one is drawn from
    int tasks;        // 0: no such input
    const char *rule; // a constant
} bex_told;

/* Negative with a message, the caller's fault (base/error.h): no such rule, a label that the policy does not
 * know, a world without labels. Needs fini either way. */
int bex_told_init(bex_told *told, const bex_policy *policy, const bex_world *world,
                  const char *rule);
void bex_told_fini(bex_told *told);

#endif
