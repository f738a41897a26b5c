/* agent/rl/sac_config.h - [sac]: what soft actor-critic can be told. */
#ifndef BEX_AGENT_RL_SAC_CONFIG_H
#define BEX_AGENT_RL_SAC_CONFIG_H

#include "base/config.h"

typedef struct bex_sac_config {
    char actor[48], critic[48]; // hidden widths, by commas
    long long critics, subset;
    bool layernorm, entropy_backup;
    int objective; // bex_sac_objective
    double discount, tau, actor_lr, critic_lr, temperature_lr;
    double temperature, entropy; // entropy: target, nats per action dimension
    long long replay, start, updates, actor_every, evaluate_episodes;
} bex_sac_config;

typedef enum { BEX_SAC_LEAST, BEX_SAC_MEAN } bex_sac_objective;

extern const bex_config_row bex_sac_rows[];

#endif
