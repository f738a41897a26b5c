/* agent/rl/rnd.c - Online RND: RLPD's SAC on what is experienced alone, drawn by novelty.
 * docs/agents/rnd.md. */
#include "agent/rl/learner.h"

const bex_learner_method bex_learner_rnd = {.name = "rnd",
                                            .title = "Online RND",
                                            .about = "SAC and random network distillation",
                                            .bonus = 2};
