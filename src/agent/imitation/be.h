/* agent/imitation/be.h - Behavioral Exploration: "be" of the registry. docs/agents/be.md.
 *
 * Learns from demonstrations: the actions that follow a state, given a history of other states and how much
 * the demonstrated future adds to its coverage. The policy has tokens of the state, of model.history states
 * and of the coverage. In the file: bex_imitation (imitation.h) with a labeller that knows phi; [coverage] is
 * its configuration.
 * Making it reads every row and labels some 4,000 windows (all with coverage.novelty), on all threads. */
#ifndef BEX_AGENT_IMITATION_BE_H
#define BEX_AGENT_IMITATION_BE_H

#include "agent/agent.h"

extern const bex_agent_class bex_agent_be;

#endif
