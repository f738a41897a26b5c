/* agent/rl/actor_critic.h - the learner under SAC and every method that stands on it: a tanh-Gaussian actor,
 * an ensemble of critics with targets, a temperature, and one gradient step of each on a minibatch.
 *
 *   critics      y = r + gamma m [ min_{j in M} Qt_j(s',u') - (alpha log pi(u'|s')) ],  u' ~ pi(.|s')
 *                L = mean over the E critics and B transitions of (Q_e(s,u) - y)^2;  Qt += tau (Q - Qt)
 *   actor        L = mean [ alpha log pi(u|s) - agg_e Q_e(s,u) ],  u ~ pi(.|s), agg = min or mean
 *   temperature  agent/rl/entropy_temperature.h, with H = -mean log pi of the actor's step
 *
 * The entropy term of y is there with `entropy_backup`. Adam without decay. A minibatch is cut into lanes;
 * everything random in it (rows, noise, the subset M) is drawn before: a step is a function of the state
 * and the minibatch, the same bits for any number of threads, and allocates nothing from the second on.
 *
 *     bex_actor_critic_new(&ac, &options);
 *     bex_replay_buffer_draw(&replay, &rng, &ac->batch, 0, B);        the caller's: any source of transitions
 *     bex_actor_critic_noise(ac, &rng);
 *     bex_actor_critic_learn_critics(ac, &report);  bex_actor_critic_learn_actor(ac, &report); */
#ifndef BEX_AGENT_RL_ACTOR_CRITIC_H
#define BEX_AGENT_RL_ACTOR_CRITIC_H

#include "agent/rl/entropy_temperature.h"
#include "agent/rl/replay_buffer.h"
#include "model/critics.h"
#include "model/tanh_gaussian.h"
#include "nn/lanes.h"

typedef struct bex_actor_critic_options {
    int O, A, batch;
    int actor_hidden[BEX_MLP_LAYERS];      // widths, ending in 0
    int critic_hidden[BEX_MLP_LAYERS - 1]; // widths, ending in 0
    int critics, subset;                   // E and |M|
    bool layernorm;                        // in the critics
    bool entropy_backup;
    bool mean_objective; // agg: mean of the critics instead of the least
    double discount, tau;
    double actor_lr, critic_lr, temperature_lr;
    double clip;                 // largest gradient norm of actor and of critics; 0: none
    double temperature, entropy; // alpha to begin with; target entropy, nats
    int lanes, threads;
    uint64_t seed; // of the initial weights
} bex_actor_critic_options;

typedef struct bex_actor_critic {
    bex_actor_critic_options o;
    bex_params *params; // the actor's
    bex_tanh_gaussian actor;
    bex_critics critics;
    bex_entropy_temperature temperature;
    bex_lanes *lanes;
    bex_transitions batch;        // the minibatch, n = o.batch: for the caller to fill
    bex_real *noise, *noise_next; // (B,A) standard normal, behind u and u'
    int *subset;                  // (E) of which the first |M| are M
    double *sum;                  // (lanes) of Q, or of log pi
} bex_actor_critic;

/* What the two steps report; each fills its part. */
typedef struct bex_actor_critic_report {
    double critic_loss, critic_norm, q; // q: mean of Q_e(s,u)
    double actor_loss, actor_norm, entropy;
} bex_actor_critic_report;

/* 0, or negative with a message: sizes that do not fit, memory. */
int bex_actor_critic_new(bex_actor_critic **out, const bex_actor_critic_options *options);
void bex_actor_critic_free(bex_actor_critic *ac); // NULL is fine

/* Draw noise, noise_next and the subset. */
void bex_actor_critic_noise(bex_actor_critic *ac, bex_rng *rng);

/* One step on the minibatch. Negative with a message if loss or gradient is not finite: the
 * parameters are then unchanged. */
int bex_actor_critic_learn_critics(bex_actor_critic *ac, bex_actor_critic_report *report);
int bex_actor_critic_learn_actor(bex_actor_critic *ac, bex_actor_critic_report *report);

/* act (n,A) for states obs (n,O): drawn, or the most likely ones with rng NULL. One arena, one thread;
 * allocates nothing once the arena is large enough. */
void bex_actor_critic_act(const bex_actor_critic *ac, bex_arena *arena, const bex_real *obs, int n,
                          bex_rng *rng, bex_real *act);

/* All that learning changes, under "actor.", "critics.", "targets." and "temperature."; must outlive the
 * save. The actor alone, as a policy file has it: bex_params_add_values(ac->params, w). */
void bex_actor_critic_save(const bex_actor_critic *ac, bex_st_writer *w);
int bex_actor_critic_load(bex_actor_critic *ac, const bex_st_file *f);

#endif
