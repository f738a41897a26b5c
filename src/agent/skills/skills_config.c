/* agent/skills/skills_config.c - the tables. */
#include "agent/skills/skills_config.h"

#define S bex_supe_config
const bex_config_row bex_supe_rows[] = {
    BEX_CONFIG_INTEGER(S, skill, "8", 1, 256, "numbers that name a skill"),
    BEX_CONFIG_INTEGER(S, steps, "4", 1, 64, "of a segment, and for which a skill is held"),
    BEX_CONFIG_INTEGER(S, hidden, "256", 1, 4096, "width of every layer"),
    BEX_CONFIG_NUMBER(S, divergence, "0.1", 0, 1e6, "weight of KL(encoder, prior)"),
    BEX_CONFIG_NUMBER(S, lr, "3e-4", 0, 1, "Adam, constant"),
    BEX_CONFIG_INTEGER(S, state, "0", 0, 65536, "first entries of an observation used; 0: all"),
    BEX_CONFIG_END,
};
#undef S

#define S bex_hilp_config
const bex_config_row bex_hilp_rows[] = {
    BEX_CONFIG_INTEGER(S, skill, "32", 1, 256, "dimensions of the Hilbert space"),
    BEX_CONFIG_INTEGER(S, steps, "4", 1, 64, "for which a skill is held when it explores"),
    BEX_CONFIG_TEXT(S, hidden, "512,512,512", "hidden widths of every network, by commas"),
    BEX_CONFIG_NUMBER(S, discount, "0.99", 0, 0.999999,
                      "of distances, skill values and goals ahead"),
    BEX_CONFIG_NUMBER(S, tau, "0.005", 0, 1, "rate at which targets follow, each step"),
    BEX_CONFIG_NUMBER(S, lr, "3e-4", 0, 1, "Adam, constant"),
    BEX_CONFIG_NUMBER(S, representation_expectile, "0.95", 0, 1, "of distances"),
    BEX_CONFIG_NUMBER(S, value_expectile, "0.9", 0, 1, "of skill values"),
    BEX_CONFIG_NUMBER(S, sharpness, "10", 0, 1e3,
                      "of the actor's weights: e^(sharpness advantage)"),
    BEX_CONFIG_NUMBER(S, random_goals, "0.375", 0, 1, "share of goals that are any state"),
    BEX_CONFIG_INTEGER(
        S, directions, "0", 0, 1e6,
        "0: skills drawn anew each step; N: the same N forever, as HILP's code of 2024"),
    BEX_CONFIG_INTEGER(S, state, "0", 0, 65536, "first entries of an observation used; 0: all"),
    BEX_CONFIG_END,
};
