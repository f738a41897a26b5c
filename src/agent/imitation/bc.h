/* agent/imitation/bc.h */
#ifndef BEX_AGENT_IMITATION_BC_H
#define BEX_AGENT_IMITATION_BC_H

#include "agent/agent.h"

extern const bex_agent_class bex_agent_bc;

#endif
