/* agent/rl/reward_model.h - what reward and end a pair (s,u) brings, learned online, so that demonstrations
 * without rewards can be learned from.
 *
 *   r_hat(s,u)  mean squared error to the rewards that came, bonus excluded
 *   m_hat(s,u)  a logit; cross entropy to the masks that came: 0 where the world ended the episode
 *
 * Two networks of their own, Adam. One thread; allocates nothing once its arena is large enough. */
#ifndef BEX_AGENT_RL_REWARD_MODEL_H
#define BEX_AGENT_RL_REWARD_MODEL_H

#include "base/arena.h"
#include "model/mlp.h"
#include "nn/safetensors.h"

typedef struct bex_reward_model {
    bex_params *params;
    bex_mlp reward, mask;
} bex_reward_model;

/* hidden: widths ending in 0. 0, or negative with a message. */
int bex_reward_model_init(bex_reward_model *m, int in, const int *hidden, bex_rng rng);
void bex_reward_model_fini(bex_reward_model *m); // zeroed memory is fine

/* One step of both on n rows x (n,in). Negative with a message if the loss is not finite. */
int bex_reward_model_learn(bex_reward_model *m, bex_arena *arena, const bex_real *x,
                           const bex_real *reward, const bex_real *mask, int n, double lr);

/* r_hat and sigmoid(m_hat) of n rows; either may be NULL. */
void bex_reward_model_tell(const bex_reward_model *m, bex_arena *arena, const bex_real *x, int n,
                           bex_real *reward, bex_real *mask);

#endif
