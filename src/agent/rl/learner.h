/* agent/rl/learner.h - an agent that learns while it explores: what Online RND, ExPLORe, HILP and SUPE
 * share. One trial is one learner (bex_learner_actor_new); what all trials share is a bex_learner, read only.
 *
 *   decide       every H steps of the world: u, before `warmup` steps the method's proposal, then u ~ pi(.|s)
 *   act          H steps by the method's low level told u; H = 1: u is the action
 *   remember     (s_t, u, R = sum_k gamma^k r_{t+k}, mask, s_{t+H}); where an episode's end cuts the last
 *                one short, R is of the last H steps of the episode
 *   learn        H times: `updates` critic steps on minibatches, half of them demonstrations where the
 *                method has them, and one step of actor and temperature on the last (agent/rl/actor_critic.h)
 *                  reward  what came + bonus(s,u); of demonstrations: the least there is, or r_hat(s,u),
 *                          + bonus
 *                  mask    what came; of demonstrations: sigmoid(m_hat(s,u))
 *                  bonus   c error(s,u), model/novelty.h, as of this moment
 *   then         reward model on the last online half; RND: one step on the newest transition, from
 *                2 warmup on
 *
 * What is random comes from streams named by the trial and the step, so an episode that was played is told
 * to a learner by playing it again on the recorded states; and save and load let it go on from where it
 * was. A trial is one thread. Facts and sources: docs/agents/rnd.md. */
#ifndef BEX_AGENT_RL_LEARNER_H
#define BEX_AGENT_RL_LEARNER_H

#include "agent/actors/actor.h"
#include "agent/rl/actor_critic.h"
#include "agent/rl/learner_config.h"
#include "agent/rl/prior_data.h"
#include "agent/skills/skill_file.h"
#include "env/env.h"

typedef struct bex_learner_method {
    const char *name;  // "rnd": first member, base/nearest.h
    const char *title; // in reports
    const char *about;
    bool data;   // learns from demonstrations too
    bool skills; // decides for several steps, by skills of a file
    bool once;   // a chunk is at most once in an update
    double bonus;

    /* ---- of methods with skills; others: NULL, u is the action ---- */

    /* Networks of a file, whose head has been read. NULL with a message. */
    void *(*open)(const bex_st_file *f, const bex_skill_about *about);
    void (*close)(void *skills);
    bex_prior_read_fn *read; // also of methods with data alone; payload: skills

    /* u (U) in (-1,1) for state s, as proposed before learning; NULL: uniform. */
    void (*propose)(const void *skills, bex_arena *arena, const bex_real *s, bex_rng *rng,
                    bex_real *u);

    /* action (A) for s, told u. */
    void (*act)(const void *skills, bex_arena *arena, const bex_real *s, const bex_real *u,
                bex_rng *rng, bex_real *action);
} bex_learner_method;

/* Immutable once made; its trials may run in different threads. */
typedef struct bex_learner {
    const bex_learner_method *method;
    bex_learner_config config;
    const bex_world *world;
    void *skills;
    bex_dataset *data; // owned
    bex_prior_data prior;
    int S, U, H;         // state, decision, steps of it
    long long start;     // steps before learning
    long long budget;    // steps of a trial
    double bonus, least; // c; the least reward of a decision
    int actor[BEX_MLP_LAYERS], critic[BEX_MLP_LAYERS], novelty[BEX_MLP_LAYERS],
        model[BEX_MLP_LAYERS]; // widths
} bex_learner;

/* The methods by name: i-th, NULL behind the last; NULL with a message: unknown. */
const bex_learner_method *bex_learner_method_at(int i);
const bex_learner_method *bex_learner_method_named(const char *name);

/* skills: a file of the method's pretraining, NULL where it needs none. data: taken over, NULL where it
 * needs none. budget: steps of a trial. NULL with a message. */
bex_learner *bex_learner_new(const bex_learner_method *method, const bex_learner_config *config,
                             const bex_world *world, const char *skills, bex_dataset *data,
                             long long budget);
void bex_learner_free(bex_learner *x); // after its actors; NULL is fine

/* One trial. NULL with a message. */
bex_actor *bex_learner_actor_new(const bex_learner *x, bex_rng rng);

/* What a trial learns with: for tests. */
const bex_actor_critic *bex_learner_networks(const bex_actor *actor);

extern const bex_learner_method bex_learner_rnd, bex_learner_explore, bex_learner_supe,
    bex_learner_hilp;

#endif
