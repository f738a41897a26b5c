/* agent/rl/learner_config.h - [online]: what an agent that learns while it explores can be told. A
 * protocol's file has this section beside its own; --online.key=value counts more. */
#ifndef BEX_AGENT_RL_LEARNER_CONFIG_H
#define BEX_AGENT_RL_LEARNER_CONFIG_H

#include "base/config.h"

typedef enum { BEX_LABEL_LEAST, BEX_LABEL_PREDICTED } bex_label;
typedef enum {
    BEX_REWARD_NONE,  // -1 a step, whatever happens: no goal
    BEX_REWARD_GOAL,  // -1 a step, 0 and an end where a goal is found
    BEX_REWARD_TASKS, // goals found in the state that was reached, at each step
    BEX_REWARD_WORLD, // the world's own, and its ends
} bex_reward;

typedef struct bex_learner_config {
    char warmup[24]; // steps, or "whole"
    long long updates, batch, critics, subset, state, features;
    char actor[48], critic[48], novelty[48], model[48]; // hidden widths, by commas
    double bonus, discount, tau, lr, temperature, entropy;
    int label, reward; // bex_label, bex_reward
} bex_learner_config;

extern const bex_config_row bex_learner_rows[];
extern const bex_config_schema bex_learner_schema; // [online] of a bex_learner_config

#endif
