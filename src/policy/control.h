/* policy/control.h - one control stream of a policy: states in, actions out, episode after episode.
 *
 *   begin            a new episode; its history states are drawn at its first state
 *   plan             state (+ coverage target, history) -> encoder -> DDIM -> K actions
 *   act              the next action of the chunk, planning when it is used up
 *   end              the episode's states join the history (policy/memory.h)
 *
 * After `new` nothing allocates but end and the file calls; the network's passes take step memory that
 * `new` has sized, so one that runs out of it (base/arena.h) is left only by a guard of the caller's.
 * What depends on the history alone, its keys and values in every encoder block (prefix mode) and the
 * coverage target, is computed once an episode; with candidates, begin reads the whole memory for its
 * coverage. All randomness is (seed, episode, plan): the same states give the same actions. A dropped
 * episode counts: the next one is not its repetition.
 *
 * The policy is shared and never written; a stream belongs to one thread at a time. */
#ifndef BEX_POLICY_CONTROL_H
#define BEX_POLICY_CONTROL_H

#include "coverage/target.h"
#include "policy/choice.h"
#include "policy/memory.h"
#include "policy/policy.h"

typedef struct bex_control bex_control;

/* Text and numbers as the config's [deploy] section; NULL, NAN or 0 where the policy's own holds. */
typedef struct bex_control_options {
    const char *exp;     // "q:0.95", "z:2", "raw:1e-3"
    const char *history; // "uniform", "first", "last3", "file:PATH"
    double guidance;     // weight of the coverage; NAN: the policy's
    double noise;        // of actions, [-1,1] units; NAN: the policy's
    double temperature;  // of the noise actions are denoised from; NAN: the policy's
    int act;             // actions played of a chunk; 0: the policy's
    int candidates;      // proposed futures to choose from; 0: the policy's
    int commit;          // actions for which the chosen one is followed; 0: the policy's
    int ddim;            // denoising steps; 0: the policy's
    int episode_most;    // states of an episode kept for the history; 0: 4096
    uint64_t seed;
    int task, scene; // labels, where the policy has such tokens
} bex_control_options;
#define BEX_CONTROL_INIT ((bex_control_options){.guidance = NAN, .noise = NAN, .temperature = NAN})

/* The policy must outlive the stream. NULL with a message. */
bex_control *bex_control_new(const bex_policy *policy, const bex_control_options *options);
void bex_control_free(bex_control *c); // NULL is fine

/* 0, or negative with a message. begin while an episode runs drops that episode. */
int bex_control_begin(bex_control *c);
int bex_control_end(bex_control *c);

/* Between episodes: one that this stream played before it was made anew. It counts as the next, and its
 * states (rows,O) join the history: the stream goes on as the old one would have. */
int bex_control_recall(bex_control *c, const bex_real *states, int rows);

/* state (O), action (A), both in the world's units. A state that is not finite, or too far off to be one
 * (bex_normaliser_check), is refused, the caller's fault, and changes nothing. */
int bex_control_act(bex_control *c, const bex_real *state, bex_real *action);

/* A whole chunk (K,A) for this state, for callers that play it themselves: time moves on by K, and
 * what act had left of its chunk is dropped. */
int bex_control_plan(bex_control *c, const bex_real *state, bex_real *chunk);

/* The same from a given history (H,O) and noise (K,A): the policy as a function, in or out of an episode.
 * NULL: the stream's own, of which there is a history once an episode has seen a state. A history equal
 * to the one before is not encoded again. */
int bex_control_plan_from(bex_control *c, const bex_real *state, const bex_real *history,
                          const bex_real *noise, bex_real *chunk);

int bex_control_set_exp(bex_control *c, const char *exp);      // from the next plan on
int bex_control_set_task(bex_control *c, int task, int scene); // 0 where there is no such token
int bex_control_set_step(bex_control *c, long long step); // of the episode, for the timestep token
int bex_control_set_seed(bex_control *c, uint64_t seed);  // between episodes; counts from 0 again
long long bex_control_plans(const bex_control *c);        // plans so far, of all episodes
double bex_control_target(const bex_control *c); // the coverage input in use; NAN without coverage

/* What the last act or plan of the episode chose from, NULL if it did not choose anew: proposals x (n, K, dit.o.A) in network
 * units, of which `best` was taken; with a lead its actions are those it was followed by. Until the next call. */
typedef struct bex_control_chosen {
    const bex_choice *choice;
    const bex_real *x;
    int n, best;
} bex_control_chosen;
const bex_control_chosen *bex_control_choice(const bex_control *c);

bex_memory *bex_control_history(bex_control *c); // to save, load, inspect; NULL without history
int bex_control_chunk(const bex_control *c);     // K

#endif
