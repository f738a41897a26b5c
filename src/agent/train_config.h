/* agent/train_config.h - everything a training run can be told: the policy's sections, data, world,
 * optimisation, and what each agent brings (agent/registry.h). */
#ifndef BEX_AGENT_TRAIN_CONFIG_H
#define BEX_AGENT_TRAIN_CONFIG_H

#include "agent/registry.h"
#include "policy/policy_config.h"

typedef struct bex_data_config {
    char path[160], format[16], split_at[48], obs_keys[160], filter[64], position[16];
    char images[160]; // cameras by commas, or "all"; "": none
    long long image_size, image_memory;
    int flip; // bex_flip
    long long limit, episode_length;
    double held_out, jump;
    bool drop_constant;
    double least_deviation; // of a state dim, in its unit
} bex_data_config;

typedef struct bex_optimiser_config {
    int agent; // index into BEX_AGENTS (agent/registry.h)
    long long steps, batch, samples_per_history, lanes, threads, micro, warmup, seed, overfit;
    double lr, beta1, beta2, decay, clip, ema;
    double coverage_dropout; // probability that the coverage token is the null token
    long long
        samples_per_place;     // windows from nearly the same state, of those that share a history
    double best;               // share of windows that are the best of their alternatives
    double near;               // share of places near a state of the history
    long long trajectories;    // episodes of a training history, at most
    double repeat;             // probability of a history of 1 to 3 distinct states
    char encoder[160];         // weights of the pictures' network to begin with; "": none
    double crop, blur, colour; // bex_augmentation
    long long log_every, evaluate_every, evaluate_windows, save_every, keep;
} bex_optimiser_config;

/* The world an agent learns in. */
typedef struct bex_env_config {
    char name[48], maze[160];
    long long instances, time_limit;
    bool dense;
    char keys[512]; // the world's other options: bex_world_options.keys
} bex_env_config;

typedef struct bex_train_config {
    bex_data_config data;
    bex_env_config env;
    bex_policy_config policy;
    bex_optimiser_config train;
#define MEMBER(member, type, rows, help) type member;
    BEX_AGENT_SECTIONS(MEMBER)
#undef MEMBER
    unsigned char
        marks[192]; // which rows are auto (base/config.h), until suggest/ has settled them
} bex_train_config;

extern const bex_config_schema bex_train_schema;

/* The sections that a resumed run cannot change: a part of bex_train_schema. */
extern const bex_config_schema bex_train_fixed_schema;

/* The name of who learns. */
const char *bex_train_agent(const bex_train_config *config);

/* "256,256" -> widths, ended by 0; at most `most` with it. 0, or negative with a message. */
int bex_widths_parse(int *widths, int most, const char *text);

#endif
