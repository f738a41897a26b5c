/* agent/imitation/bc.c - behavioural cloning: the same network with a state token only, or with a history and
 * no coverage (bc-history). docs/agents/bc.md. */
#include "agent/imitation/bc.h"

#include "agent/imitation/imitation.h"

static bex_agent *make(const bex_train_config *config, bex_sources *sources) {
    return bex_imitation_new(&bex_agent_bc, config, sources, NULL);
}

const bex_agent_class bex_agent_bc = {.new = make, BEX_IMITATION_FUNCTIONS};
