/* explore/source.h - who acts in `bex explore`: one row of a table for each kind of agent. */
#ifndef BEX_EXPLORE_SOURCE_H
#define BEX_EXPLORE_SOURCE_H

#include "agent/actors/actor.h"
#include "base/path.h"
#include "base/rng.h"
#include "env/env.h"
#include "host/json.h"
#include "policy/memory.h"

/* What the user asked for. */
typedef struct bex_explore_request {
    const char *protocol, *env, *maze, *start, *out, *save_history, *demonstrations;
    const char *env_keys; // all that was said of the world: bex_world_options.keys; NULL: nothing
    /* (deploy_count) "deploy.key=value": over the agent's own; the history rule is for all */
    const char *const *deploy;
    int deploy_count;
    long long trials, episodes, steps; // of a trial: steps 0, or episodes 0
    long long episode_length, splits, seed, history_states;
    const char *resume; // goes on with the exploration in this directory
    double save_every;  // seconds
    bool json, force;
    bool until;       // a trial ends as soon as the world's own task is done
    const char *tell; // agent/actors/told.h
    // a trained policy
    const char *run;
    const char *model; // --resume: the file RUN led to at first; NULL: where RUN leads
    bool best;
    // an agent that learns while it explores
    const char *agent, *data,
        *obs_keys; // obs_keys: of data, as data.obs_keys; NULL: the reader's choice
    const struct bex_learner_config *online; // never NULL
    // retrieval
    const char *retrieval, *choose, *phi, *phi_dims;
    long long k, chunk, future, phi_features, phi_seed;
    double bandwidth, bin, lambda;
    bool phi_raw;
} bex_explore_request;

typedef struct bex_explore_source {
    const char *name;
    bool (*wanted)(const bex_explore_request *q);
    /* keys: q->env_keys behind what the agent needs of a world of this class. Negative with a message. NULL:
     * as asked. */
    int (*suit)(const bex_explore_request *q, const bex_env_class *class, char *keys, size_t size);
    /* *state: shared by all actors. Negative with a message, the caller's fault or not (base/error.h). */
    int (*open)(void **state, const bex_explore_request *q, const bex_world *world);
    bex_actor *(*actor)(void *state, bex_rng rng); // of one trial; NULL with a message
    bex_memory *(*memory)(bex_actor *actor);       // the actor's own; NULL: it has none
    json_t *(*describe)(const void *state, const bex_explore_request *q); // for results.json
    const char *(*file)(const void *state);    // what it acts by; the state's own
    const char *(*history)(const void *state); // the rule in force (policy/memory.h); NULL: none
    void (*close)(void *state);                // after its actors; NULL is fine
} bex_explore_source;

/* The file of weights that RUN leads to, or did at first (request.model). Negative with a message. */
int bex_explore_model(char path[BEX_PATH_SIZE], const bex_explore_request *q);

const char *bex_explore_history(const bex_explore_source *s,
                                const void *state); // "none" where there is none

/* Agents without a network that plans: a setting of acting other than the history rule is refused. */
int bex_explore_only_history(const bex_explore_request *q, const char *who);

extern const bex_explore_source bex_explore_gaussian, bex_explore_learner, bex_explore_policy,
    bex_explore_retrieval;

#endif
