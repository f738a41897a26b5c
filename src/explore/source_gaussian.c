/* explore/source_gaussian.c - `bex explore RUN` of an agent that learned in a world (sac): its actor, drawing
 * actions. */
#include "explore/source.h"

#include "agent/rl/gaussian_actor.h"
#include "base/error.h"
#include "base/path.h"

#include <stdlib.h>

typedef struct state {
    bex_gaussian_policy *policy;
    char path[BEX_PATH_SIZE];
} state;

// a RUN that leads to no file is told of by the source of policies
static bool wanted(const bex_explore_request *q) {
    char path[BEX_PATH_SIZE];
    return q->run && bex_explore_model(path, q) == 0 && bex_gaussian_policy_is(path);
}

static void close_state(void *payload) {
    state *s = payload;
    if (!s) return;
    bex_gaussian_policy_free(s->policy);
    free(s);
}

static int open_policy(state *s, const bex_explore_request *q, const bex_world *world) {
    if (bex_explore_only_history(q, "an agent that learned in a world") < 0) return -1;
    if (bex_explore_model(s->path, q) < 0) return -1;
    s->policy = bex_gaussian_policy_load(s->path);
    if (!s->policy) return -1;
    if (s->policy->O == world->spec.state && s->policy->A == world->A) return 0;
    return bex_fail("'%s' expects %d observation and %d action values, %s has %d and %d", q->run,
                    s->policy->O, s->policy->A, world->name, world->spec.state, world->A);
}

static int open_state(void **out, const bex_explore_request *q, const bex_world *world) {
    state *s = calloc(1, sizeof *s);
    if (!s) return bex_fail("out of memory");
    int code = open_policy(s, q, world);
    *out = s;
    if (code < 0) close_state(s), *out = NULL;
    return code;
}

static bex_actor *new_actor(void *payload, bex_rng rng) {
    return bex_gaussian_actor_new(((state *)payload)->policy, rng);
}

static json_t *describe(const void *payload, const bex_explore_request *q) {
    const bex_gaussian_policy *p = ((const state *)payload)->policy;
    return json_pack("{s:s, s:s, s:s, s:s}", "name", p->agent, "run", q->run, "history", "none",
                     "learned_in", p->world);
}

static const char *file(const void *payload) {
    return ((const state *)payload)->path;
}

const bex_explore_source bex_explore_gaussian = {
    .name = "gaussian",
    .wanted = wanted,
    .open = open_state,
    .actor = new_actor,
    .describe = describe,
    .file = file,
    .close = close_state,
};
