/* agent/rl/sac.h - soft actor-critic in a world: act, remember, learn. docs/agents/sac.md.
 *
 * Update n: every instance of the world takes one step, then `sac.updates` minibatches are learned from. A
 * function of the state and n alone; instances, minibatches and noise have their own streams. */
#ifndef BEX_AGENT_RL_SAC_H
#define BEX_AGENT_RL_SAC_H

#include "agent/agent.h"
#include "agent/rl/actor_critic.h"
#include "agent/rl/rollout.h"

extern const bex_agent_class bex_agent_sac;

typedef struct bex_sac {
    bex_agent agent;
    bex_train_config config;
    bex_world *world; // owned
    bex_rollout *rollout;
    bex_env_batch *judge; // of evaluations
    bex_replay_buffer replay;
    bex_actor_critic *learner;
    bex_arena *arena;                 // of acting
    bool *judged;                     // (episodes) whose first episode is over
    char names[BEX_ENV_MEASURES][40]; // "eval_" + a measure
    const char *judged_columns[BEX_AGENT_COLUMNS + 1];
} bex_sac;

#endif
