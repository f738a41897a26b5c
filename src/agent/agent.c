/* agent/agent.c - the table of methods. */
#include "agent/agent.h"

#include "agent/imitation/bc.h"
#include "agent/imitation/be.h"
#include "agent/rl/sac.h"

const bex_agent_class *bex_agent_class_of(const bex_train_config *config) {
    static const bex_agent_class *const classes[] = {
        [BEX_AGENT_BE] = &bex_agent_be,
        [BEX_AGENT_BC] = &bex_agent_bc,
        [BEX_AGENT_BC_HISTORY] = &bex_agent_bc,
        [BEX_AGENT_SAC] = &bex_agent_sac,
    };
    return classes[config->policy.model.agent];
}
