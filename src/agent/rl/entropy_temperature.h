/* agent/rl/entropy_temperature.h - alpha, the weight of entropy against reward, learned so that the policy
 * keeps an entropy of `target`:
 *
 *   alpha = e^x,  L(x) = alpha (H - target),  dL/dx = alpha (H - target),  one Adam step on x */
#ifndef BEX_AGENT_RL_ENTROPY_TEMPERATURE_H
#define BEX_AGENT_RL_ENTROPY_TEMPERATURE_H

#include "nn/adam.h"

typedef struct bex_entropy_temperature {
    bex_params *params; // log_temperature (1)
    double target;      // entropy, nats
} bex_entropy_temperature;

void bex_entropy_temperature_init(bex_entropy_temperature *t, double alpha, double target);
void bex_entropy_temperature_fini(bex_entropy_temperature *t); // zeroed memory is fine

double bex_entropy_temperature_value(const bex_entropy_temperature *t);

/* The policy had this mean entropy on a minibatch; it must be finite. */
void bex_entropy_temperature_step(bex_entropy_temperature *t, double entropy, double lr);

#endif
