/* agent/imitation/bc.h - behavioural cloning: "bc" and "bc-history" of the registry. docs/agents/bc.md.
 *
 * Learns from demonstrations: the actions that follow a state (bc), or a state and a history of others
 * (bc-history).
 * The same network, loss and files as be, without the token of the coverage: bex_imitation (imitation.h) and
 * nothing else. It knows no coverage; the name alone decides whether there is a history. */
#ifndef BEX_AGENT_IMITATION_BC_H
#define BEX_AGENT_IMITATION_BC_H

#include "agent/agent.h"

extern const bex_agent_class bex_agent_bc;

#endif
