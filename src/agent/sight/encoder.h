/* agent/sight/encoder.h - the network of pictures alone: "encoder" of the registry. docs/images.md.
 *
 * Learns from demonstrations: the columns of the state (object poses, joints: data.keys chooses) from the
 * pictures of
 * the same moment.  loss = mean over windows and columns of (head(features) - (s - mean) / std)^2;  head:
 * one linear
 * layer over all cameras' features. 1 is what knows nothing. Its model.safetensors is what train.encoder
 * takes. */
#ifndef BEX_AGENT_SIGHT_ENCODER_H
#define BEX_AGENT_SIGHT_ENCODER_H

#include "agent/agent.h"

extern const bex_agent_class bex_agent_encoder;

#endif
