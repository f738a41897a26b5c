/* agent/agent.h - a learner as the training loop sees it (exp/train.h): update, evaluate, save, load. One
 * file a method; the table of methods is in agent.c. */
#ifndef BEX_AGENT_AGENT_H
#define BEX_AGENT_AGENT_H

#include "agent/train_config.h"
#include "data/dataset.h"

#include <stdint.h>
#include <stdio.h>

typedef struct bex_agent bex_agent;

/* What one update reports. */
typedef struct bex_update {
    double loss, grad_norm, lr;
    double data_seconds; // waiting for windows and labels, summed over lanes
    double lane_seconds; // all work, summed over lanes
} bex_update;

/* Held-out losses, on the same windows and noise each time; NaN where there is none. Those below
 * tell whether the policy uses what it is given: as large as held_out, and it does not. */
typedef struct bex_evaluation {
    double held_out;
    double other_history; // the network is shown another history than the one coverage is of
    double no_coverage;   // the coverage is hidden
} bex_evaluation;

typedef struct bex_agent_class {
    const char *name;

    /* Learn from `data` (borrowed). NULL with a message. */
    bex_agent *(*new)(const bex_train_config *config, const bex_dataset *data);
    void (*free)(bex_agent *agent);

    /* Update number `step` (0, 1, ...): a function of the state and `step` alone, so that a resumed
     * run repeats it bit for bit. Negative with a message if loss or gradient is not finite: the
     * parameters are then unchanged. */
    int (*update)(bex_agent *agent, int64_t step, bex_update *out);

    int (*evaluate)(bex_agent *agent, bex_evaluation *out);

    /* model.safetensors and state.safetensors in an existing folder. */
    int (*save)(const bex_agent *agent, const char *folder);
    int (*load)(bex_agent *agent, const char *folder);

    /* Sizes, parameter count, FLOPs of a step: `bex train --dry-run` and the start of a run. */
    void (*describe)(const bex_agent *agent, FILE *out);
} bex_agent_class;

struct bex_agent {
    const bex_agent_class *class;
};

/* The class the config asks for. */
const bex_agent_class *bex_agent_class_of(const bex_train_config *config);

#endif
