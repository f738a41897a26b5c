/* agent/skills/pretraining.h - skills from demonstrations alone: what the trainings of supe and hilp share.
 *
 *   an update    `train.batch` samples, each by a row of the demonstrations from which enough rows follow;
 *   the
 *                method's loss on them by lanes; targets follow; one Adam step, lr constant
 *   evaluation   the same loss on samples of held-out episodes, the same ones each time
 *   files        model.safetensors (agent/skills/skill_file.h), state.safetensors: moments, targets
 *
 * A method is a struct with bex_pretraining at its head and a table of functions. Sample i of an update
 * draws from a stream of its own, (seed, step, i): the same bits for any number of threads, and for any
 * number of lanes but for the order of sums. */
#ifndef BEX_AGENT_SKILLS_PRETRAINING_H
#define BEX_AGENT_SKILLS_PRETRAINING_H

#include "agent/agent.h"
#include "agent/skills/skill_file.h"
#include "nn/lanes.h"

typedef struct bex_pretraining bex_pretraining;

/* Samples of one lane. */
typedef struct bex_pretraining_samples {
    const bex_dataset *data;
    int n;
    const int *row; // (n) where each begins
    bex_rng *rng;   // (n) its own
    uint64_t step;  // of training; of an evaluation, 0
    double factor;  // of the loss: 1 / samples of all lanes
    bool learn;     // else nothing is recorded
} bex_pretraining_samples;

typedef struct bex_pretraining_method {
    const char *const *columns; // parts of the loss, ended by NULL

    /* Register everything; with targets, a second time in a block of their own. */
    void (*add)(bex_pretraining *a, bex_params *params, bool targets);

    /* The loss of a lane's samples, times s->factor, and its parts; records for a->params if s->learn. */
    bex_tensor *(*loss)(bex_pretraining *a, bex_tape *tape, const bex_pretraining_samples *s,
                        double parts[]);
    void (*describe)(const bex_pretraining *a, FILE *out);
} bex_pretraining_method;

struct bex_pretraining {
    bex_agent agent;
    const bex_pretraining_method *method;
    bex_train_config config;
    bex_skill_about about;
    int follow;     // rows that must follow a sample's first in its episode
    double lr, tau; // Adam's; rate at which targets follow, 0: there are none
    bex_dataset *train, *held;
    int *start[2], starts[2]; // rows where samples may begin: of train, of held
    bex_params *params, *targets;
    bex_lanes *lanes;
    double (*parts)[BEX_AGENT_COLUMNS]; // (lanes)
    double low[2], high[2];             // of all states' first and last value: which demonstrations
};

/* Fill a zeroed struct whose about, follow, lr and tau are set but for O, A: the data is taken over.
 * Negative with a message; bex_pretraining_free either way. */
int bex_pretraining_init(bex_pretraining *a, const bex_agent_class *class,
                         const bex_pretraining_method *method, const bex_train_config *config,
                         bex_dataset *data, long long state);

/* Of the class. settle: what env.name says must be a world. */
int bex_pretraining_settle(bex_train_config *config);
void bex_pretraining_free(bex_agent *agent);
int bex_pretraining_update(bex_agent *agent, int64_t step, bex_update *out);
int bex_pretraining_evaluate(bex_agent *agent, bex_evaluation *out);
int bex_pretraining_save(const bex_agent *agent, const char *folder);
int bex_pretraining_load(bex_agent *agent, const char *folder);
void bex_pretraining_describe(const bex_agent *agent, FILE *out);
#define BEX_PRETRAINING_FUNCTIONS                                                                  \
    .needs = BEX_NEEDS_DATA, .settle = bex_pretraining_settle, .free = bex_pretraining_free,       \
    .update = bex_pretraining_update, .evaluate = bex_pretraining_evaluate,                        \
    .save = bex_pretraining_save, .load = bex_pretraining_load,                                    \
    .describe = bex_pretraining_describe

#endif
