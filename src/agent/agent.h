/* agent/agent.h - a learner as the training loop sees it (run/train.h): update, evaluate, save, load. One
 * file a method; the table of methods is in agent.c. */
#ifndef BEX_AGENT_AGENT_H
#define BEX_AGENT_AGENT_H

#include "agent/train_config.h"
#include "data/dataset.h"

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
    double score;                   // held-out loss: lower is better; NaN without any
    double more[BEX_AGENT_COLUMNS]; // agent->judged
} bex_evaluation;

typedef struct bex_agent_class {
    const char *name;
    bool demonstrations; // learns from a data set
    bool
        spreads; // its lanes may go to several ranks (base/ranks.h): all a lane tells is its result

    /* Learn from `data` (NULL without demonstrations), which is the agent's from now on: it is kept in
     * the agent's own units, not twice. NULL with a message, the data freed. */
    bex_agent *(*new)(const bex_train_config *config, bex_dataset *data);
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
} bex_agent_class;

struct bex_agent {
    const bex_agent_class *class;
    const char *const *columns; // what bex_update and bex_evaluation have more of, ended by NULL;
    const char *const *judged;  // NULL: nothing. The agent's own, as long as it lives
};

/* The class the config asks for. */
const bex_agent_class *bex_agent_class_of(const bex_train_config *config);

#endif
