/* agent/imitation/imitation.h - what be and bc share: windows of demonstrations, the denoising loss, its
 * update.
 *
 *   per window:  k ~ U{0..99}, eps ~ N(0,I)      x_k = sqrt(a_k) actions + sqrt(1 - a_k) eps
 *   loss = 1/(B A) sum over windows, chunk steps and action dims of mask (told - eps)^2
 *                                                         diffusion.predicts = chunk: mask (told - actions)^2
 *
 * i.e. summed over the K chunk steps, averaged over windows and action dims: about K for a network that
 * predicts nothing. A step's windows are a function of (seed, step); its noise of (seed, step, lane). */
#ifndef BEX_AGENT_IMITATION_IMITATION_H
#define BEX_AGENT_IMITATION_IMITATION_H

#include "agent/agent.h"
#include "coverage/prefix.h"
#include "data/window.h"
#include "nn/adam.h"
#include "nn/lanes.h"
#include "nn/schedule.h"
#include "policy/policy.h"

/* Of an evaluation, beside the held-out loss: the same loss otherwise, NaN where there is none. As large as
 * held_out, and the policy does not use what it is given. */
enum {
    BEX_OTHER_HISTORY, // shown another history than the one coverage is of
    BEX_NO_COVERAGE,   // the coverage is hidden
};

/* Demonstrations in network units, and how to draw from them. */
typedef struct bex_imitation_part {
    bex_dataset *data;          // its rows only until bex_imitation_normalise
    bex_real *states, *actions; // (rows,dit.o.O), (rows,A) normalised
    bex_windows *windows;
    bex_prefix *prefix; // be only
    bex_real
        *own; // (rows) be with coverage.novelty: the part of the label the future has by itself
} bex_imitation_part;

typedef struct bex_imitation bex_imitation;

/* A group of windows that share a history, and where their coverage input goes. */
typedef struct bex_imitation_group {
    const bex_imitation_part *part;
    int groups, S, N;
    const int *history;       // (groups,N) rows
    const bex_window *window; // (groups,S)
} bex_imitation_group;

struct bex_imitation {
    bex_agent agent;
    bex_train_config config;
    bex_policy *policy;
    bex_lanes *lanes;
    bex_schedule schedule;
    bex_adam adam;
    bex_imitation_part train, held;      // held.data NULL: nothing held out
    double *data_seconds, *lane_seconds; // (lanes)
    /* be: value (groups,S) = the coverage input of each window. NULL: no coverage token. */
    int (*label)(const bex_imitation *a, bex_arena *arena, const bex_imitation_group *g,
                 bex_real *value);
};

/* Everything but the label and the last step of the set-up; the class is the method's own. `data` is taken
 * over, whatever comes of it. NULL with a message. */
bex_imitation *bex_imitation_new(const bex_agent_class *class, const bex_train_config *config,
                                 bex_dataset *data);

/* The last step: rows become states and actions, where they lie, so that they are in memory once. Before it
 * no update; after it nobody sees rows in the world's units. Negative with a message. */
int bex_imitation_normalise(bex_imitation *a);

/* The functions of bex_agent_class. */
void bex_imitation_free(bex_agent *agent);
int bex_imitation_update(bex_agent *agent, int64_t step, bex_update *out);
int bex_imitation_evaluate(bex_agent *agent, bex_evaluation *out);
int bex_imitation_save(const bex_agent *agent, const char *folder);
int bex_imitation_load(bex_agent *agent, const char *folder);
void bex_imitation_describe(const bex_agent *agent, FILE *out);
#define BEX_IMITATION_FUNCTIONS                                                                    \
    .demonstrations = true, .spreads = true, .free = bex_imitation_free,                           \
    .update = bex_imitation_update, .evaluate = bex_imitation_evaluate,                            \
    .save = bex_imitation_save, .load = bex_imitation_load, .describe = bex_imitation_describe

#endif
