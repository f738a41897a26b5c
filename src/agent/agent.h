/* agent/agent.h - a learner as the training loop sees it (run/train.h): update, evaluate, save, load. One
 * file a method; the table of methods is agent/registry.h. */
#ifndef BEX_AGENT_AGENT_H
#define BEX_AGENT_AGENT_H

#include "agent/train_config.h"
#include "data/dataset.h"
#include "env/env.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct bex_agent bex_agent;

enum { BEX_AGENT_COLUMNS = 8 };

/* What one update reports; NaN: nothing to say this time. */
typedef struct bex_update {
    double loss, grad_norm, lr;
    long long samples;   // windows or transitions learned from
    double data_seconds; // waiting for windows and labels, or for worlds, summed over lanes
    double lane_seconds; // all work, summed over lanes
    double more[BEX_AGENT_COLUMNS]; // agent->columns
} bex_update;

/* What an evaluation reports. */
typedef struct bex_evaluation {
    double score; // lower is better: held-out loss, or the return with its sign turned; NaN: none
    double more[BEX_AGENT_COLUMNS]; // agent->judged
} bex_evaluation;

/* What an agent may learn from. One that needs a world is judged in it. */
enum { BEX_NEEDS_DATA = 1, BEX_NEEDS_WORLD = 2 };

/* Those that its class needs, the others NULL. */
typedef struct bex_sources {
    bex_dataset *data;
    bex_world *world;
    const char
        *cache; // a file beside the run for what is computed once of all pictures; NULL: in memory
} bex_sources;

void bex_sources_fini(bex_sources *sources);

struct bex_st_file;
struct bex_policy;
struct bex_open_loop;
struct bex_open_loop_options;

typedef struct bex_agent_class {
    unsigned needs; // BEX_NEEDS_DATA | BEX_NEEDS_WORLD
    bool widens;    // its states get vision.columns, from what is seen; they are 0 when it is made
    bool spreads;   // lanes may go to several ranks (base/ranks.h): all a lane tells is its result

    /* What the method decides of the configuration, e.g. which tokens there are: before anything is made of
     * it, and before it is written down. Twice is as good as once. NULL: nothing. Negative with a message. */
    int (*settle)(bex_train_config *config);

    /* Learn from the sources, which are the agent's from now on, whatever comes of it: data is kept in the
     * agent's own units, not twice. The configuration is settled. NULL with a message. */
    bex_agent *(*new)(const bex_train_config *config, bex_sources *sources);
    void (*free)(bex_agent *agent);

    /* Update number `step` (0, 1, ...): a function of the state and `step` alone, so that a resumed
     * run repeats it bit for bit. Negative with a message if loss or gradient is not finite: the
     * parameters are then unchanged. */
    int (*update)(bex_agent *agent, int64_t step, bex_update *out);

    /* On held-out episodes, the same windows and noise each time; in a world, the same starts. */
    int (*evaluate)(bex_agent *agent, bex_evaluation *out);

    /* model.safetensors and state.safetensors in an existing folder. */
    int (*save)(const bex_agent *agent, const char *folder);
    int (*load)(bex_agent *agent, const char *folder);

    /* Sizes, parameter count, FLOPs of a step: `bex train --dry-run` and the start of a run. */
    void (*describe)(const bex_agent *agent, FILE *out);

    /* A policy beside the demonstrations that this agent holds out: agent/imitation/open_loop.h. NULL: it
     * repeats no demonstrations. */
    int (*open_loop)(bex_agent *agent, const struct bex_policy *policy,
                     const struct bex_open_loop_options *options, struct bex_open_loop *out);
} bex_agent_class;

struct bex_agent {
    const bex_agent_class *class;
    const char *const *columns; // what bex_update and bex_evaluation have more of, ended by NULL;
    const char *const *judged;  // NULL: nothing. The agent's own, as long as it lives
};

/* What most classes' load is: model.safetensors and state.safetensors of a folder, in this order, each
 * opened, handed over and closed; messages name the file. */
typedef int bex_agent_read_fn(bex_agent *agent, const struct bex_st_file *file);
int bex_agent_load(bex_agent *agent, const char *folder, bex_agent_read_fn *model,
                   bex_agent_read_fn *state);

/* The class the config asks for. */
const bex_agent_class *bex_agent_class_of(const bex_train_config *config);

/* class->settle, where there is one. */
int bex_agent_settle(bex_train_config *config);

/* The agent the config, settled or not, asks for. The sources are taken over and left empty, whatever comes
 * of it; they must be those its class needs. NULL with a message. */
bex_agent *bex_agent_new(const bex_train_config *config, bex_sources *sources);

#endif
