/* policy/planner.h - a state and a past to a chunk of actions. How a plan is made:
 *
 *   PROPOSE           n candidate chunks are denoised from noise; the one whose future, together with the
 *                     past, has the coverage nearest the target is chosen (policy/choice.h); n = 1: the
 *                     network alone
 *   CONTINUE_NOISE    the chosen future is still followed (deploy.commit): one chunk, denoised from its noise
 *   CONTINUE_ROUTE    the same with diffusion.show_waypoints: one chunk, the waypoints of the chosen future
 *                     shown
 *
 * With diffusion.show_waypoints a proposed chunk, once chosen, is denoised a second time with its waypoints
 * shown: actions that follow them (policy/route.h). What continues, noise and route, is kept here from plan
 * to plan of an episode; given noise and a history of the caller's, a plan is a function of its arguments and
 * leaves nothing behind.
 *
 * With a time to be done by (in->until) candidates are denoised in portions, as many as fit: the best of them
 * is taken. Where the future is a route, the plans that continue it go on with the search, from where the
 * body has come to, until all candidates have been proposed; a better future takes the place of the first.
 * How many fit depends on the machine, so that then the same seed need not give the same actions.
 *
 * Nothing is allocated after new. The policy is borrowed and never written. One thread at a time. */
#ifndef BEX_POLICY_PLANNER_H
#define BEX_POLICY_PLANNER_H

#include "base/clock.h"
#include "policy/past.h"
#include "policy/policy.h"

typedef struct bex_planner bex_planner;

/* deploy: the settings, within their table's ranges (policy/policy_config.h). The tape is the stream's, and
 * must outlive the planner. NULL with a message: settings that do not fit this policy. */
bex_planner *bex_planner_new(const bex_policy *policy, const bex_deploy_config *deploy,
                             bex_tape *tape);
void bex_planner_free(bex_planner *p); // NULL is fine

/* Settings that need no other memory take effect with the next plan; true: these do need another planner. */
bool bex_planner_set(bex_planner *p, const bex_deploy_config *deploy);

void bex_planner_set_clock(bex_planner *p,
                           bex_clock now); // that in->until is of; bex_seconds at first
void bex_planner_forget(bex_planner *p);   // an episode begins: nothing to continue

typedef struct bex_plan_input {
    const bex_real *state;    // (O) world's units, finite
    const bex_real *features; // what is seen there (bex_policy_see), where the policy has cameras
    const bex_real *noise;    // (candidates, K, columns) to denoise from; NULL: drawn from rng
    int64_t step;             // of the episode
    int task, scene;
    bex_rng *rng;
    double
        until; // by the planner's clock: candidates are made as long as time is left; 0: all of them
} bex_plan_input;

/* actions (K,A), world's units. Negative with a message. */
int bex_planner_plan(bex_planner *p, bex_past *past, bex_target exp, const bex_plan_input *in,
                     bex_real *actions);

/* What the last plan chose from; n 0: it did not choose. x (n, K, columns) in network units, of which `best`
 * was taken; with diffusion.show_waypoints its actions are those that follow it. Until the next plan. */
typedef struct bex_plan_choice {
    const bex_choice *choice;
    const bex_real *x;
    int n, best;
} bex_plan_choice;
const bex_plan_choice *bex_planner_choice(const bex_planner *p);
void bex_planner_forget_choice(bex_planner *p); // no plan was made since

/* The choice that is being followed. It outlives the plans that continue it. */
typedef struct bex_plan_report {
    int64_t step;               // of the episode, when it was made; -1: none
    int wanted, made, possible; // candidates: asked for, made in time, of those supported ones
    double asked, expected;     // the coverage input: the target, that of the chosen future
    double rank[2];             // both as quantiles of the training values
    const bex_real *waypoint;   // (K,W) of the chosen future, the world's units
    const bex_real *from;       // (O) the state it was chosen in
} bex_plan_report;
const bex_plan_report *bex_planner_report(const bex_planner *p);

/* What the states since then came to: bex_choice_value_of. */
double bex_planner_reached(bex_planner *p, const bex_real *states, int n);

bool bex_planner_chooses(const bex_planner *p);
int bex_planner_candidates(const bex_planner *p);

#endif
