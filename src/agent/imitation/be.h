/* agent/imitation/be.h */
#ifndef BEX_AGENT_IMITATION_BE_H
#define BEX_AGENT_IMITATION_BE_H

#include "agent/agent.h"

extern const bex_agent_class bex_agent_be;

#endif
