/* agent/imitation/bc.c - behavioural cloning: the same network with a state token only, or with a history and
 * no coverage (bc-history). docs/agents/bc.md. */
#include "agent/imitation/bc.h"

#include "agent/imitation/imitation.h"

static bex_agent *make(const bex_train_config *config, bex_dataset *data) {
    bex_imitation *a = bex_imitation_new(&bex_agent_bc, config, data);
    if (!a) return NULL;
    if (bex_imitation_normalise(a) == 0) return &a->agent;
    bex_imitation_free(&a->agent);
    return NULL;
}

const bex_agent_class bex_agent_bc = {.name = "bc", .new = make, BEX_IMITATION_FUNCTIONS};
