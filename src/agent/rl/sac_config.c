/* agent/rl/sac_config.c - the table. */
#include "agent/rl/sac_config.h"

#define S bex_sac_config
static const char *const objectives[] = {"least", "mean", NULL};
const bex_config_row bex_sac_rows[] = {
    BEX_CONFIG_TEXT(S, actor, "256,256", "hidden widths of the actor, by commas"),
    BEX_CONFIG_TEXT(S, critic, "256,256", "hidden widths of the critics"),
    BEX_CONFIG_INTEGER(S, critics, "2", 1, 64, "members of the ensemble"),
    BEX_CONFIG_INTEGER(S, subset, "2", 1, 64, "members whose least target value is learned from"),
    BEX_CONFIG_BOOL(S, layernorm, "false", "in the critics"),
    BEX_CONFIG_BOOL(S, entropy_backup, "true", "entropy counts in target values"),
    BEX_CONFIG_CHOICE(S, objective, "least", objectives, "of the critics, what the actor raises"),
    BEX_CONFIG_NUMBER(S, discount, "0.99", 0, 1, "of the next state's value"),
    BEX_CONFIG_NUMBER(S, tau, "0.005", 0, 1, "rate at which targets follow, each critic step"),
    BEX_CONFIG_NUMBER(S, actor_lr, "3e-4", 0, 1, "Adam"),
    BEX_CONFIG_NUMBER(S, critic_lr, "3e-4", 0, 1, "Adam"),
    BEX_CONFIG_NUMBER(S, temperature_lr, "3e-4", 0, 1, "Adam; 0: a fixed temperature"),
    BEX_CONFIG_NUMBER(S, temperature, "1", 1e-9, 1e6, "weight of the entropy to begin with"),
    BEX_CONFIG_NUMBER(S, entropy, "-0.5", -20, 2, "target entropy, nats per action dimension"),
    BEX_CONFIG_INTEGER(S, replay, "1000000", 1, 1e8, "transitions kept"),
    BEX_CONFIG_INTEGER(S, start, "5000", 1, 1e9, "steps of random actions before learning"),
    BEX_CONFIG_INTEGER(S, updates, "1", 1, 1e4, "critic steps, each time all instances have moved"),
    BEX_CONFIG_INTEGER(S, actor_every, "1", 1, 1e4, "critic steps for one of the actor"),
    BEX_CONFIG_INTEGER(S, evaluate_episodes, "8", 1, 4096, "deterministic ones, an evaluation"),
    BEX_CONFIG_END,
};
