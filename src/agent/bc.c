/* agent/bc.c - behavioural cloning: the same network with a state token only, or with a history and no
 * coverage (bc-history). docs/agents/bc.md. */
#include "agent/bc.h"

#include "agent/imitation.h"

static bex_agent *make(const bex_train_config *config, const bex_dataset *data) {
    bex_imitation *a = bex_imitation_new(&bex_agent_bc, config, data);
    return a ? &a->agent : NULL;
}

const bex_agent_class bex_agent_bc = {.name = "bc", .new = make, BEX_IMITATION_FUNCTIONS};
