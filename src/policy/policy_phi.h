/* policy/policy_phi.h - the coverage features a configuration asks for. */
#ifndef BEX_POLICY_POLICY_PHI_H
#define BEX_POLICY_POLICY_PHI_H

#include "coverage/feature.h"
#include "policy/normaliser.h"
#include "policy/policy_config.h"

/* phi as the config says, for states with these statistics. NULL with a message. */
bex_feature *bex_policy_phi(const bex_policy_config *config, const bex_normaliser *normaliser);

#endif
