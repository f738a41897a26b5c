/* policy/policy_config.h - what a policy is, as configuration: network, diffusion, coverage, defaults of
 * deployment. Stored as text with the weights; everything else about a run is the trainer's. */
#ifndef BEX_POLICY_POLICY_CONFIG_H
#define BEX_POLICY_POLICY_CONFIG_H

#include "base/config.h"

/* The network of the pictures: learned with the rest, or as it was found. */
typedef enum { BEX_ENCODER_LEARNED, BEX_ENCODER_FROZEN } bex_encoder_use;

typedef struct bex_model_config {
    char agent[16]; // older files: the learner, whose name said which tokens. "" once settled
    int mode;       // bex_dit_mode
    int pool;       // bex_dit_pool
    long long width, heads, blocks, feedforward, time_width, chunk;
    long long history;                    // states of the past, a token each; 0: none
    bool coverage, timestep, task, scene; // a token each
    bool features;                        // tokens of states hold phi(s) beside s
    bool waypoints; // each action is denoised together with a state of the future
    double reach; // of waypoints: the deviations in F steps that count as 1; 0: they are positions
    double dropout;
    int encoder;       // bex_encoder_use
    long long horizon; // steps that the timestep token counts as 1
} bex_model_config;

/* A second network, for how to go where the first one says. */
typedef struct bex_follower_config {
    long long width; // 0: none; one network denoises waypoints and actions
    long long heads, blocks, feedforward;
} bex_follower_config;

typedef struct bex_diffusion_config {
    long long steps;
    int predicts;          // bex_predicts
    double show_waypoints; // share of windows that see theirs without noise; above 0: routes
} bex_diffusion_config;

typedef struct bex_coverage_config {
    int phi; // index into bex_phi_kinds
    char
        dims[BEX_CONFIG_TEXT_SIZE]; // base/columns.h: "0,1"; "" all; numbers once the data is known
    long long features, hidden, future, bank, seed;
    long long support; // demonstrated states by which candidate futures are judged; 0: none
    double bandwidth, lambda, cell;
    bool standardise, truncate, novelty;
    int normalise;          // bex_normalise
    long long alternatives; // futures that one is ranked among
    double past_weight;     // states that one of the history counts for
    char here[64];          // dims that make two states nearly the same; "": dims
} bex_coverage_config;

typedef struct bex_deploy_config {
    char exp[32], history[BEX_CONFIG_TEXT_SIZE];
    double guidance, noise, temperature;
    long long action_steps; // actions of a chunk that are executed; 0: all
    long long candidates;   // futures of which the nearest to exp is taken; 1: the network alone
    long long commit;       // actions for which the chosen one is followed; 0: until the next plan
    long long denoising_steps;
    double farthest; // standard deviations from the mean at which a state is no reading
} bex_deploy_config;

/* Pictures: what they are (from [data], stored with the policy), and the network that sees them. */
typedef struct bex_vision_config {
    char images[160];        // cameras, by commas, as the demonstrations name them; "" none
    long long height, width; // pixels the network sees
    int flip;                // bex_flip
    int network;             // 0: ResNet-18, 1: ResNet-34
    long long channels;      // of the first stage
    bool shared;             // one network for all cameras
    int pool;                // bex_resnet_pool
    long long columns;       // of the state, made from what a frozen network sees (policy/seen.h)
} bex_vision_config;

typedef struct bex_policy_config {
    bex_model_config model;
    bex_follower_config follower;
    bex_vision_config vision;
    bex_diffusion_config diffusion;
    bex_coverage_config coverage;
    bex_deploy_config deploy;
} bex_policy_config;

extern const char *const bex_phi_kinds[]; // NULL-terminated names of coverage/feature.h

/* The rows of the sections, and the sections themselves for a config that holds bex_policy_config
 * `at` bytes from its start: a trainer composes them with its own. */
extern const bex_config_row bex_model_rows[], bex_follower_rows[], bex_vision_rows[],
    bex_diffusion_rows[], bex_coverage_rows[], bex_deploy_rows[];
extern const char *const bex_flip_names[]; // by bex_flip, NULL-terminated
#define BEX_POLICY_SECTION_ROWS(at)                                                                \
    {"model", bex_model_rows, (at) + offsetof(bex_policy_config, model), "the network"},           \
        {"follower", bex_follower_rows, (at) + offsetof(bex_policy_config, follower),              \
         "a second network, for the actions that follow waypoints"},                               \
        {"vision", bex_vision_rows, (at) + offsetof(bex_policy_config, vision),                    \
         "the network of the pictures (data.images)"},                                             \
        {"diffusion", bex_diffusion_rows, (at) + offsetof(bex_policy_config, diffusion), "noise"}, \
        {"coverage", bex_coverage_rows, (at) + offsetof(bex_policy_config, coverage),              \
         "what counts as explored (be)"},                                                          \
    {                                                                                              \
        "deploy", bex_deploy_rows, (at) + offsetof(bex_policy_config, deploy),                     \
            "defaults of acting; each can be changed later"                                        \
    }

/* bex_policy_config alone. */
extern const bex_config_schema bex_policy_schema;

/* What policies with these tokens are called: "be" (history and coverage), "bc-history" (history), "bc". */
const char *bex_model_name(const bex_model_config *m);

/* The tokens of that name; be and bc-history keep their history, which must not be 0. Negative with a
 * message. */
int bex_model_set_tokens(bex_model_config *m, const char *name);

/* After a file was read: what keys of before say, in those of today. Negative with a message. */
int bex_policy_config_settle(bex_policy_config *config);

/* How many cameras vision.images names. */
int bex_vision_cameras(const bex_vision_config *v);
#endif
