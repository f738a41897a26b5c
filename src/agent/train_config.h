/* agent/train_config.h - everything a training run can be told: the policy's sections, data, optimisation. */
#ifndef BEX_AGENT_TRAIN_CONFIG_H
#define BEX_AGENT_TRAIN_CONFIG_H

#include "policy/policy_config.h"

typedef struct bex_data_config {
    char path[160], format[16], split[16], keys[160], filter[64];
    long long limit;
    double held_out;
    bool drop_constant;
} bex_data_config;

typedef struct bex_optimiser_config {
    long long steps, batch, samples_per_history, lanes, threads, micro, warmup, seed, overfit;
    double lr, beta1, beta2, decay, clip, ema;
    double hide;            // probability that the coverage token is the null token
    long long trajectories; // episodes of a training history, at most
    double repeat;          // probability of a history of 1 to 3 distinct states
    long long log_every, evaluate_every, evaluate_windows, save_every, keep;
} bex_optimiser_config;

typedef struct bex_train_config {
    bex_data_config data;
    bex_policy_config policy;
    bex_optimiser_config train;
} bex_train_config;

extern const bex_config_schema bex_train_schema;

#endif
