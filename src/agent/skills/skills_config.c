/* agent/skills/skills_config.c - the tables. */
#include "agent/skills/skills_config.h"

#define S bex_supe_config
const bex_config_row bex_supe_rows[] = {
    BEX_CONFIG_INTEGER(S, skill, "8", 1, 256, "numbers that name a skill",
                       .advice =
                           "8; raise when segments differ in more ways than so many numbers tell"),
    BEX_CONFIG_INTEGER(S, steps, "4", 1, 64, "of a segment, and for which a skill is held",
                       .advice = "4; raise when one decision should last longer"),
    BEX_CONFIG_INTEGER(S, hidden, "256", 1, 4096, "width of every layer",
                       .advice = "256; raise when the loss stays high"),
    BEX_CONFIG_NUMBER(S, divergence, "0.1", 0, 1e6, "weight of KL(encoder, prior)",
                      .advice =
                          "0.1; raise when skills drawn at random do not act like demonstrations"),
    BEX_CONFIG_NUMBER(S, lr, "3e-4", 0, 1, "Adam, constant",
                      .advice = "3e-4; lower when the loss swings"),
    BEX_CONFIG_INTEGER(S, state, "0", 0, 65536, "first entries of an observation used; 0: all",
                       .advice = "0; fewer to leave out the end of an observation, such as a goal"),
    BEX_CONFIG_END,
};
#undef S

#define S bex_hilp_config
const bex_config_row bex_hilp_rows[] = {
    BEX_CONFIG_INTEGER(S, skill, "32", 1, 256, "dimensions of the Hilbert space",
                       .advice =
                           "32; raise when distances in the data have more directions than that"),
    BEX_CONFIG_INTEGER(S, steps, "4", 1, 64, "for which a skill is held when it explores",
                       .advice = "4; as supe.steps"),
    BEX_CONFIG_TEXT(S, hidden, "512,512,512", "hidden widths of every network, by commas",
                    .advice = "512,512,512; no need to change it"),
    BEX_CONFIG_NUMBER(S, discount, "0.99", 0, 0.999999,
                      "of distances, skill values and goals ahead",
                      .advice = "0.99; raise when states are hundreds of steps apart"),
    BEX_CONFIG_NUMBER(S, tau, "0.005", 0, 1, "rate at which targets follow, each step",
                      .advice = "0.005; no need to change it"),
    BEX_CONFIG_NUMBER(S, lr, "3e-4", 0, 1, "Adam, constant",
                      .advice = "3e-4; lower when the loss swings"),
    BEX_CONFIG_NUMBER(S, representation_expectile, "0.95", 0, 1, "of distances",
                      .advice = "0.95; lower where the world is random"),
    BEX_CONFIG_NUMBER(S, value_expectile, "0.9", 0, 1, "of skill values",
                      .advice = "0.9; lower where the world is random"),
    BEX_CONFIG_NUMBER(S, sharpness, "10", 0, 1e3, "of the actor's weights: e^(sharpness advantage)",
                      .advice = "10; lower when the actor copies a few transitions only"),
    BEX_CONFIG_NUMBER(S, random_goals, "0.375", 0, 1, "share of goals that are any state",
                      .advice = "0.375; raise when far states are never goals"),
    BEX_CONFIG_INTEGER(
        S, directions, "0", 0, 1e6,
        "0: skills drawn anew each step; N: the same N forever, as HILP's code of 2024",
        .advice = "0; N to repeat HILP's code of 2024"),
    BEX_CONFIG_INTEGER(S, state, "0", 0, 65536, "first entries of an observation used; 0: all",
                       .advice = "0; as supe.state"),
    BEX_CONFIG_END,
};
