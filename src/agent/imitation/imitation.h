/* agent/imitation/imitation.h - what be and bc share: windows of demonstrations, the denoising loss, its
 * update.
 *
 *   per window:  k ~ U{0..99}, eps ~ N(0,I)      x_k = sqrt(a_k) actions + sqrt(1 - a_k) eps
 *   loss = 1/(B columns) sum over windows, chunk steps and columns of mask (told - eps)^2
 *                                                         diffusion.predicts = chunk: mask (told - actions)^2
 *
 * i.e. summed over the K chunk steps, averaged over windows and action dims: about K for a network that
 * predicts nothing. A step's windows are a function of (seed, step); its noise of (seed, step, lane). */
#ifndef BEX_AGENT_IMITATION_IMITATION_H
#define BEX_AGENT_IMITATION_IMITATION_H

#include "agent/agent.h"
#include "agent/sight/features.h"
#include "agent/sight/prefetch.h"
#include "data/training_history.h"
#include "data/window.h"
#include "nn/adam.h"
#include "nn/lanes.h"
#include "nn/schedule.h"
#include "policy/policy.h"

/* What an evaluation judges beside the held-out loss. Each is the held-out loss with something taken away or
 * of other windows; those that an agent has stand in metrics.csv in this order. As large as held_out, and the
 * policy does not use what it is given. */
typedef enum {
    BEX_JUDGED_OTHER_HISTORY,  // shown another history than the one coverage is of
    BEX_JUDGED_NO_COVERAGE,    // the coverage is hidden
    BEX_JUDGED_OTHER_PICTURES, // shown the pictures of another window
    BEX_JUDGED_NEAR,           // nothing taken away; windows near a state of their history (ranks)
    BEX_JUDGED_NEAR_OTHER_HISTORY, // the same shown another history
    BEX_JUDGED_FOLLOWER, // of the follower (policy/policy.h); all others are of the network that proposes
    BEX_JUDGED_KINDS
} bex_judged;

/* Groups of windows; those of a group share a history. */
typedef struct bex_window_groups {
    int groups, S, N;
    const int *history;       // (groups,N) rows
    const bex_window *window; // (groups,S)
} bex_window_groups;

/* The windows of training groups: drawn, not given. What is drawn is a function of (t, index, place). */
typedef struct bex_window_draw {
    int groups, S, N;
    const int *history; // (groups,N) rows
    const int *index;   // (groups) of the group, for its streams
    uint64_t t;         // step
} bex_window_draw;

/* Who tells the coverage of windows of one part of the demonstrations. A method's own object with this at its
 * head. */
typedef struct bex_labeller bex_labeller;
struct bex_labeller {
    /* value (groups,S): the coverage input of each window. Scratch from the arena; any number of threads.
     * Negative with a message. */
    int (*label)(const bex_labeller *labeller, bex_arena *arena, const bex_window_groups *g,
                 bex_real *value);
    /* NULL: windows are drawn by themselves (data/window.h). Else window, value (groups,S): drawn together
     * with their coverage inputs; best (groups,S): 1 where a window was drawn for its coverage, which is not
     * to be hidden then. */
    int (*draw)(const bex_labeller *labeller, bex_arena *arena, const bex_window_draw *d,
                bex_window *window, bex_real *value, unsigned char *best);
    /* Windows near a state of their history, for an evaluation; NULL: there is no such thing. */
    void (*draw_near)(const bex_labeller *labeller, const bex_window_draw *d, bex_window *window);
    void (*free)(bex_labeller *labeller);
    size_t bytes; // it keeps: for measurements
};

/* Demonstrations in network units, and how to draw from them. */
typedef struct bex_imitation_part {
    bex_dataset *data;          // its rows only until the agent is made
    bex_real *states, *actions; // (rows,dit.o.O), (rows,A) normalised
    int *frames;                // (rows) of data->pictures; NULL: no pictures
    bex_features *features;     // of all frames, of a frozen network; NULL: pictures are seen anew
    uint64_t *identity;         // (episodes) bex_dataset_identity; NULL: not of this part
    bex_windows *windows;
    bex_training_history history;
    bex_labeller *labeller; // owned; NULL: no coverage token
} bex_imitation_part;

typedef struct bex_imitation {
    bex_agent agent;
    bex_train_config config;
    bex_policy *policy;
    bex_lanes *lanes;
    bex_schedule schedule;
    bex_adam adam;
    bex_imitation_part train, held;           // held.data NULL: nothing held out
    bex_prefetch *prefetch;                   // of the pictures of updates; NULL: none are seen
    int *frames;                              // (batch) of an update, for it
    bex_arena *frames_arena;                  // in which its windows are drawn
    const char *judged[BEX_JUDGED_KINDS + 1]; // names of the columns this agent has, ended by NULL
    int column[BEX_JUDGED_KINDS];             // of bex_evaluation.more; -1: it has none
    double *data_seconds, *lane_seconds;      // (lanes)
} bex_imitation;

/* What a method adds, e.g. labellers, once policy, parts and windows are there and while rows are in the
 * world's units.
 * Negative with a message. */
typedef int bex_imitation_prepare_fn(bex_imitation *a);

/* An agent of the method's class: set-up, then `prepare` (NULL: nothing to add), then rows become states and
 * actions, where they lie, so that they are in memory once. The sources are taken over, whatever comes of it.
 * NULL with a message. */
bex_agent *bex_imitation_new(const bex_agent_class *class, const bex_train_config *config,
                             bex_sources *sources, bex_imitation_prepare_fn *prepare);

/* A policy that has been trained, beside demonstrations that it need not have been trained on, all of which
 * are held out: for open_loop (open_loop.h) alone. Both are taken over, whatever comes of it. NULL with a
 * message: other sizes, other columns, episodes without a whole chunk or future. */
bex_agent *bex_imitation_beside(struct bex_policy *policy, bex_dataset *data);

/* Was the policy trained on this agent's demonstrations, as far as their statistics tell? */
bool bex_imitation_trained_on(const bex_agent *agent, const struct bex_policy *policy);

/* The functions of bex_agent_class. */
int bex_imitation_settle(bex_train_config *config);
void bex_imitation_free(bex_agent *agent);
int bex_imitation_update(bex_agent *agent, int64_t step, bex_update *out);
int bex_imitation_evaluate(bex_agent *agent, bex_evaluation *out);
int bex_imitation_save(const bex_agent *agent, const char *folder);
int bex_imitation_load(bex_agent *agent, const char *folder);
void bex_imitation_describe(const bex_agent *agent, FILE *out);
int bex_imitation_open_loop(bex_agent *agent, const bex_policy *policy,
                            const struct bex_open_loop_options *options, struct bex_open_loop *out);
#define BEX_IMITATION_FUNCTIONS                                                                    \
    .needs = BEX_NEEDS_DATA, .widens = true, .spreads = true, .settle = bex_imitation_settle,      \
    .free = bex_imitation_free, .update = bex_imitation_update,                                    \
    .evaluate = bex_imitation_evaluate, .save = bex_imitation_save, .load = bex_imitation_load,    \
    .describe = bex_imitation_describe, .open_loop = bex_imitation_open_loop

#endif
