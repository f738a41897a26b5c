/* agent/skills/hilp_skills.h - HILP's skills from demonstrations: "hilp" of the registry, a Hilbert space
 * of states and an actor that moves along its directions (model/hilbert.h). docs/agents/hilp.md. */
#ifndef BEX_AGENT_SKILLS_HILP_SKILLS_H
#define BEX_AGENT_SKILLS_HILP_SKILLS_H

#include "agent/agent.h"
#include "agent/skills/skill_file.h"
#include "model/hilbert.h"

extern const bex_agent_class bex_agent_hilp;

/* The networks such a file holds; what only the losses need is left 0. */
bex_hilbert_options bex_hilp_network(const bex_skill_about *about);

#endif
