/* env/ant/ant_controller.h - the network that walks an ant towards a point, read from a safetensors file.
 *
 *   in (29) -> [fc0 -> ReLU -> fc1 -> ReLU ...] -> mean (8), log_std (8);  action = tanh(mean + std eps)
 *
 *   in: what world `ant` observes (env/ant/ant.h): qpos[2:15], qvel, direction to the point. D4RL's data has
 *   the direction scaled to norm BEX_ANT_DIRECTION whatever the distance.
 *   tensors: fcI.weight, fcI.bias for I = 0, 1, ..; mean.weight (8,W), mean.bias, log_std.weight,
 *   log_std.bias. Weights are (out,in) as PyTorch's; log_std is clipped to [-20, 2].
 *
 * Immutable once loaded; any number of threads may use one. */
#ifndef BEX_ENV_ANT_ANT_CONTROLLER_H
#define BEX_ENV_ANT_ANT_CONTROLLER_H

#include "base/real.h"
#include "base/rng.h"

#include <stddef.h>

#define BEX_ANT_DIRECTION 10.0

typedef struct bex_ant_controller bex_ant_controller;

/* NULL with a message naming file and tensor. */
bex_ant_controller *bex_ant_controller_load(const char *path);
void bex_ant_controller_free(bex_ant_controller *c); // NULL is fine

/* Reals of scratch for M rows at once. */
size_t bex_ant_controller_scratch(const bex_ant_controller *c, int M);

/* mean (M,8), deviation (M,8) of the normal before tanh, for in (M,29). A row's numbers do not depend on
 * the others. No allocation. */
void bex_ant_controller_run(const bex_ant_controller *c, bex_real *mean, bex_real *deviation,
                            const bex_real *in, int M, bex_real *scratch);

/* act (8) = tanh(mean + deviation eps), eps from rng; then, if noise > 0, + N(0, noise^2), clipped to
 * [-1, 1]: D4RL's noisy data has 0.2. */
void bex_ant_controller_sample(bex_real *act, const bex_real *mean, const bex_real *deviation,
                               double noise, bex_rng *rng);

#endif
