/* agent/rl/online.h - an agent in a world: what every method shares that learns while it acts.
 *
 *   update n    every instance takes one step by the method's act (uniform actions before `start` of them
 *               have been taken), which goes into the replay; then the method learns
 *   evaluation  the first episode of each instance of a batch of its own, most likely actions
 *   files       model.safetensors and the learner's part of state.safetensors are the method's; replay and
 *               rollout are saved here, so that a loaded agent goes on bit for bit
 *
 * A method is a struct with bex_online at its head, a table of five functions and, in its class,
 * BEX_ONLINE_FUNCTIONS. An update is a function of the state and n alone: act and learn get streams of their
 * own. */
#ifndef BEX_AGENT_RL_ONLINE_H
#define BEX_AGENT_RL_ONLINE_H

#include "agent/agent.h"
#include "agent/rl/replay_buffer.h"
#include "agent/rl/rollout.h"

typedef struct bex_online bex_online;

typedef struct bex_online_method {
    /* of an update, ended by NULL; two more follow, of episodes that ended */
    const char *const *columns;
    void (*free)(bex_online *a);

    /* act (n,A) for states obs (n,O): drawn, or the most likely ones with rng NULL. */
    void (*act)(bex_online *a, const bex_real *obs, int n, bex_rng *rng, bex_real *act);

    /* After a step of the world, once the replay holds `start`: loss, grad_norm, samples and its columns of
     * `out`, the others being NaN. Negative with a message, the parameters then unchanged. */
    int (*learn)(bex_online *a, bex_rng rng, bex_update *out);

    /* The model file; what learning changes, to a state file and back. */
    int (*save_model)(const bex_online *a, const char *path);
    void (*save)(const bex_online *a, bex_st_writer *state);
    int (*load)(bex_online *a, const bex_st_file *state);

    void (*describe)(const bex_online *a, FILE *out);
} bex_online_method;

typedef struct bex_online_options {
    int replay;            // transitions kept
    long long start;       // steps of random actions before learning
    int evaluate_episodes; // of an evaluation
    double lr;             // that updates report
} bex_online_options;

struct bex_online {
    bex_agent agent;
    const bex_online_method *method;
    bex_online_options o;
    bex_train_config config;
    bex_world *world; // owned
    bex_rollout *rollout;
    bex_env_batch *judge; // of evaluations
    bex_replay_buffer replay;
    bool *judged;                     // (episodes) whose first episode is over
    char names[BEX_ENV_MEASURES][40]; // "eval_" + a measure
    const char *columns[BEX_AGENT_COLUMNS + 1], *judged_columns[BEX_AGENT_COLUMNS + 1];
};

/* Fill a zeroed struct; the world is taken over. Negative with a message; bex_online_free either way. */
int bex_online_init(bex_online *a, const bex_agent_class *class, const bex_online_method *method,
                    const bex_online_options *o, const bex_train_config *config, bex_world *world);

/* The functions of bex_agent_class. free() begins with the method's, then frees the struct itself. */
void bex_online_free(bex_agent *agent);
int bex_online_update(bex_agent *agent, int64_t step, bex_update *out);
int bex_online_evaluate(bex_agent *agent, bex_evaluation *out);
int bex_online_save(const bex_agent *agent, const char *folder);
int bex_online_load(bex_agent *agent, const char *folder);
void bex_online_describe(const bex_agent *agent, FILE *out);
#define BEX_ONLINE_FUNCTIONS                                                                       \
    .free = bex_online_free, .update = bex_online_update, .evaluate = bex_online_evaluate,         \
    .save = bex_online_save, .load = bex_online_load, .describe = bex_online_describe

#endif
