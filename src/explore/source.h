/* explore/source.h - who acts in `bex explore`: one row of a table for each kind of agent. */
#ifndef BEX_EXPLORE_SOURCE_H
#define BEX_EXPLORE_SOURCE_H

#include "agent/actors/actor.h"
#include "base/rng.h"
#include "env/env.h"
#include "host/json.h"
#include "policy/memory.h"

/* What the user asked for. */
typedef struct bex_explore_request {
    const char *protocol, *env, *maze, *start, *out, *history, *save_history, *demonstrations;
    long long trials, episodes, steps; // of a trial: steps 0, or episodes 0
    long long episode_length, splits, seed, history_states;
    const char *resume; // goes on with the exploration in this directory
    double save_every;  // seconds
    bool json, force;
    // a trained policy
    const char *run, *exp;
    const char *model; // --resume: the file RUN led to at first; NULL: where RUN leads
    double guidance, noise, temperature;     // negative: the policy's own
    long long candidates, commit, act, ddim; // 0: the policy's own
    bool best;
    // retrieval
    const char *retrieval, *choose, *phi, *phi_dims;
    long long k, chunk, future, phi_features, phi_seed;
    double bandwidth, bin, lambda;
    bool phi_raw;
} bex_explore_request;

typedef struct bex_explore_source {
    const char *name;
    bool (*wanted)(const bex_explore_request *q);
    /* *state: shared by all actors. Negative with a message, the caller's fault or not (base/error.h). */
    int (*open)(void **state, const bex_explore_request *q, const bex_world *world);
    /* One trial's actor, NULL with a message. history: rule and size as asked for. */
    bex_actor *(*actor)(void *state, const bex_memory_options *history, bex_rng rng);
    bex_memory *(*memory)(bex_actor *actor); // the actor's own; NULL: none
    json_t *(*describe)(const void *state, const bex_explore_request *q); // for results.json
    const char *(*file)(const void *state); // what it acts by; the state's own
    void (*close)(void *state);             // after its actors; NULL is fine
} bex_explore_source;

extern const bex_explore_source bex_explore_policy, bex_explore_retrieval;

#endif
