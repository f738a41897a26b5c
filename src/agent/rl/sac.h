/* agent/rl/sac.h - soft actor-critic in a world: "sac" of the registry. docs/agents/sac.md.
 *
 * bex_online (online.h) acts, remembers and is judged; here is what it learns: `sac.updates` minibatches of
 * the replay after each step of the instances, by actor_critic.h. Minibatches and noise have their own
 * streams. */
#ifndef BEX_AGENT_RL_SAC_H
#define BEX_AGENT_RL_SAC_H

#include "agent/rl/actor_critic.h"
#include "agent/rl/online.h"

extern const bex_agent_class bex_agent_sac;

typedef struct bex_sac {
    bex_online online;
    bex_actor_critic *learner;
    bex_arena *arena; // of acting
} bex_sac;

#endif
