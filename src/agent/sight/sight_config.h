/* agent/sight/sight_config.h - the pictures' network of a configuration, for whoever learns with it. */
#ifndef BEX_AGENT_SIGHT_SIGHT_CONFIG_H
#define BEX_AGENT_SIGHT_SIGHT_CONFIG_H

#include "agent/train_config.h"
#include "data/dataset.h"
#include "model/vision.h"

/* [vision] of what the demonstrations have: names, size and turn of their pictures, or none. Negative with a
 * message. */
int bex_sight_take_cameras(bex_train_config *config, const bex_dataset *data);

/* Weights from train.encoder, if it names any, into the block of `vision`. Negative with a message. */
int bex_sight_load(const bex_train_config *config, bex_params *params, const bex_vision *vision);

#endif
