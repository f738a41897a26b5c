/* agent/registry.h - every method that can be trained, once. A new one is its own files and a row here: its
 * name, its class (declared in its header, which agent.c includes), and the sections of the configuration it
 * brings. */
#ifndef BEX_AGENT_REGISTRY_H
#define BEX_AGENT_REGISTRY_H

#include "agent/rl/sac_config.h"
#include "agent/skills/skills_config.h"

/* X(name in [train] agent, class) */
#define BEX_AGENTS(X)                                                                              \
    X("be", bex_agent_be)                                                                          \
    X("bc", bex_agent_bc)                                                                          \
    X("bc-history", bex_agent_bc)                                                                  \
    X("encoder", bex_agent_encoder)                                                                \
    X("sac", bex_agent_sac)                                                                        \
    X("supe", bex_agent_supe)                                                                      \
    X("hilp", bex_agent_hilp)

/* X(section and member of bex_train_config, type, rows, help) */
#define BEX_AGENT_SECTIONS(X)                                                                      \
    X(sac, bex_sac_config, bex_sac_rows, "actor, critics, replay (sac)")                           \
    X(supe, bex_supe_config, bex_supe_rows, "skills by an autoencoder of segments (supe)")         \
    X(hilp, bex_hilp_config, bex_hilp_rows, "skills as directions of a Hilbert space (hilp)")

#endif
