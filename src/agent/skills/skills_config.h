/* agent/skills/skills_config.h - [supe] and [hilp]: what the pretraining of skills can be told. */
#ifndef BEX_AGENT_SKILLS_SKILLS_CONFIG_H
#define BEX_AGENT_SKILLS_SKILLS_CONFIG_H

#include "base/config.h"

typedef struct bex_supe_config {
    long long skill, steps, hidden, state;
    double divergence, lr;
} bex_supe_config;

typedef struct bex_hilp_config {
    long long skill, steps, state, directions;
    char hidden[48]; // widths, by commas
    double discount, tau, lr, representation_expectile, value_expectile, sharpness, random_goals;
} bex_hilp_config;

extern const bex_config_row bex_supe_rows[], bex_hilp_rows[];

#endif
