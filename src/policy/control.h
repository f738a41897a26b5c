/* policy/control.h - one control stream of a policy: states in, actions out, episode after episode.
 *
 *   begin            a new episode; its history states are drawn at its first state
 *   act              the next action of the chunk, planning when it is used up
 *   end              the episode's states join the memory (policy/memory.h)
 *
 * What a stream remembers is policy/past.h; how a plan is made is policy/planner.h; here are episodes, steps,
 * the queue of actions and the random streams. After `new` nothing allocates but end, set and the file calls.
 * What depends on the history alone is computed once per episode; with candidates, begin reads the whole
 * memory for its coverage.
 * All randomness is (seed, episode, plan): the same states give the same actions. A dropped episode counts:
 * the next one is not its repetition.
 *
 * The policy is shared and never written; a stream belongs to one thread at a time. */
#ifndef BEX_POLICY_CONTROL_H
#define BEX_POLICY_CONTROL_H

#include "base/observation.h"
#include "policy/planner.h"
#include "policy/policy.h"

typedef struct bex_control bex_control;

/* deploy: how to act, NULL: the policy's own defaults; whoever wants other settings copies
 * policy->config.deploy and changes the copy (bex_deploy_set). The policy must outlive the stream. NULL with
 * a message. */
bex_control *bex_control_new(const bex_policy *policy, const bex_deploy_config *deploy,
                             uint64_t seed);
void bex_control_free(bex_control *c); // NULL is fine

/* One setting by its name and text, e.g. "candidates", "64", from the next plan on; history rules empty the
 * memory and may change only between episodes. Negative with a message: all settings are as they were. */
int bex_control_set(bex_control *c, const char *key, const char *value);
const bex_deploy_config *bex_control_deploy(const bex_control *c); // as in force

/* 0, or negative with a message. begin while an episode runs drops that episode. */
int bex_control_begin(bex_control *c);
int bex_control_end(bex_control *c);

/* Between episodes: one that this stream played before it was made anew. It counts as the next, and its
 * states join the memory, the first O of `stride` numbers a row: the stream goes on as the old one would
 * have. */
int bex_control_recall(bex_control *c, const bex_real *states, int rows, int stride);

/* obs: a state (O) and a picture of each of the policy's cameras, of any size (all of one); action (A); both
 * in the world's units. A state that is not finite, or too far off to be one (bex_normaliser_check), or a
 * picture of a camera the policy does not have, is refused, the caller's fault, and changes nothing. */
int bex_control_act(bex_control *c, const bex_observation *obs, bex_real *action);
/* Will the next act look at the pictures of its observation? Only one that plans does. */
bool bex_control_looks(const bex_control *c);

/* A state between plans, for callers that play chunks themselves: remembered, and one control step. After a
 * plan the first one is the step after the plan's. */
int bex_control_observe(bex_control *c, const bex_observation *obs);

/* A whole chunk (K,A) for this observation, for callers that play it themselves: what act had left of its
 * chunk is dropped. Time moves on by what is observed until the next plan, or by K if nothing is. */
int bex_control_plan(bex_control *c, const bex_observation *obs, bex_real *chunk);

/* The policy as a function, in or out of an episode: a chunk (K,A) from an observation, a history (N,O) and
 * noise (candidates, K, chunk.columns) to denoise from. NULL: the stream's own, of which there is a history
 * once an episode has seen a state. A history equal to the one before is not encoded again. */
int bex_control_plan_from(bex_control *c, const bex_observation *obs, const bex_real *history,
                          const bex_real *noise, bex_real *chunk);

/* row (O) of this moment: the state given, and behind it what is seen (policy/seen.h). Negative as
 * plan_from. */
int bex_control_row(bex_control *c, const bex_observation *obs, bex_real *row);

int bex_control_set_task(bex_control *c, int task, int scene); // 0 where there is no such token
/* Seconds that act and plan may take, 0: any. A search for a future is cut, and goes on in later plans where
 * it can (policy/planner.h). */
void bex_control_set_deadline(bex_control *c, double seconds);
void bex_control_set_clock(bex_control *c,
                           bex_clock now); // that it is measured by; bex_seconds at first

int bex_control_set_step(bex_control *c, long long step); // of the episode, for the timestep token
int bex_control_set_seed(bex_control *c, uint64_t seed);  // between episodes; counts from 0 again
long long bex_control_plans(const bex_control *c);        // plans so far, of all episodes
double bex_control_target(const bex_control *c); // the coverage input in use; NAN without coverage

/* What the last act or plan of the episode chose from, until the next call; NULL if it did not choose. */
const bex_plan_choice *bex_control_choice(const bex_control *c);

/* The future that is being followed; NULL: none was chosen in this episode. What the states since came to, as
 * a coverage input; how many control steps that were. */
const bex_plan_report *bex_control_report(const bex_control *c);
double bex_control_reached(bex_control *c, int *steps);

bex_memory *bex_control_memory(bex_control *c); // to save, load, inspect; NULL without history
int bex_control_chunk(const bex_control *c);    // K

#endif
