/* tests/agent/learner.h - an agent that learns from walks.h, for tests of imitation. */
#ifndef BEX_TESTS_AGENT_LEARNER_H
#define BEX_TESTS_AGENT_LEARNER_H

#include "agent/imitation/imitation.h"
#include "data/subset.h"

#include "agent/walks.h"

static bex_dataset *walks;

// for an agent to take
static inline bex_dataset *copy_of_walks(void) {
    int all[WALKS];
    for (int i = 0; i < WALKS; i++) all[i] = i;
    bex_dataset *d = bex_dataset_subset(walks, all, WALKS);
    assert_non_null(d);
    return d;
}

static inline bex_agent *agent_of(const char *settings) {
    bex_train_config c = walk_config(settings);
    bex_agent *a = bex_agent_new(&c, &(bex_sources){.data = copy_of_walks()});
    if (!a) fail_msg("%s: %s", settings, bex_error());
    return a;
}

static inline double update(bex_agent *a, int64_t step) {
    bex_update u;
    if (a->class->update(a, step, &u) < 0) fail_msg("step %lld: %s", (long long)step, bex_error());
    return u.loss;
}

static inline bex_evaluation evaluation(bex_agent *a) {
    bex_evaluation e;
    if (a->class->evaluate(a, &e) < 0) fail_msg("%s", bex_error());
    return e;
}

static inline bex_params *params_of(bex_agent *a) {
    return ((bex_imitation *)a)->policy->params;
}

#endif
