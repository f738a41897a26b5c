/* agent/rl/learner_config.c - the table: defaults are those of AntMaze (docs/agents/rnd.md). */
#include "agent/rl/learner_config.h"

#define S bex_learner_config
static const char *const labels[] = {"least", "predicted", NULL};
static const char *const rewards[] = {"none", "goal", "tasks", "world", NULL};
const bex_config_row bex_learner_rows[] = {
    BEX_CONFIG_TEXT(S, warmup, "5000", "steps before learning; whole: nothing is learned"),
    BEX_CONFIG_INTEGER(S, updates, "20", 1, 1000, "critic steps for a step of the world"),
    BEX_CONFIG_INTEGER(S, batch, "256", 2, 65536, "transitions of a critic step"),
    BEX_CONFIG_INTEGER(S, critics, "10", 1, 64, "members of the ensemble"),
    BEX_CONFIG_INTEGER(S, subset, "1", 1, 64, "members whose least target value is learned from"),
    BEX_CONFIG_TEXT(S, actor, "256,256,256", "hidden widths of the actor, by commas"),
    BEX_CONFIG_TEXT(S, critic, "256,256,256", "hidden widths of the critics"),
    BEX_CONFIG_TEXT(S, novelty, "256,256,256", "hidden widths of RND's two networks"),
    BEX_CONFIG_INTEGER(S, features, "256", 1, 8192, "outputs of RND's two networks"),
    BEX_CONFIG_TEXT(S, model, "256,256,256", "hidden widths of the reward and mask networks"),
    BEX_CONFIG_NUMBER(S, bonus, "-1", -1, 1e6, "weight of novelty; -1: the method's own, 2 or 8"),
    BEX_CONFIG_CHOICE(S, label, "least", labels,
                      "rewards of demonstrations: the least there is, or as learned online"),
    BEX_CONFIG_CHOICE(
        S, reward, "none", rewards,
        "none: -1 a step; goal: -1 until one is found; tasks: found ones; world: its own"),
    BEX_CONFIG_INTEGER(S, state, "0", 0, 65536, "first entries of an observation used; 0: all"),
    BEX_CONFIG_NUMBER(S, discount, "0.99", 0, 1, "of the next decision's value"),
    BEX_CONFIG_NUMBER(S, tau, "0.005", 0, 1, "rate at which targets follow, each critic step"),
    BEX_CONFIG_NUMBER(S, lr, "3e-4", 0, 1, "Adam, of every network"),
    BEX_CONFIG_NUMBER(S, temperature, "0.05", 1e-9, 1e6, "weight of the entropy to begin with"),
    BEX_CONFIG_NUMBER(S, entropy, "-0.5", -20, 2, "target entropy, nats per action dimension"),
    BEX_CONFIG_END,
};
static const bex_config_section sections[] = {
    {"online", bex_learner_rows, 0, "learning while exploring"}};
const bex_config_schema bex_learner_schema = {.sections = sections, .count = 1};
