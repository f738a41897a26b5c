/* agent/skills/supe_skills.h - SUPE's skills from demonstrations: "supe" of the registry, an autoencoder of
 * segments (model/segment_vae.h). docs/agents/supe.md. */
#ifndef BEX_AGENT_SKILLS_SUPE_SKILLS_H
#define BEX_AGENT_SKILLS_SUPE_SKILLS_H

#include "agent/agent.h"
#include "agent/skills/skill_file.h"
#include "model/segment_vae.h"

extern const bex_agent_class bex_agent_supe;

/* The network such a file holds. */
bex_segment_vae_options bex_supe_network(const bex_skill_about *about);

#endif
