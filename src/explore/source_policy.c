/* explore/source_policy.c - `bex explore RUN`: a trained policy, one control stream a trial. */
#include "explore/source.h"

#include "agent/actors/policy_actor.h"
#include "base/error.h"
#include "run/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct state {
    const bex_explore_request *q;
    bex_policy *policy;
    bex_control_options control;
    char path[1100];
} state;

static bool wanted(const bex_explore_request *q) {
    return q->run;
}

static void close_state(void *payload) {
    state *s = payload;
    if (!s) return;
    bex_policy_free(s->policy);
    free(s);
}

static int open_policy(state *s, const bex_world *world) {
    const bex_explore_request *q = s->q;
    if (q->model)
        snprintf(s->path, sizeof s->path, "%s", q->model);
    else if (bex_checkpoint_model(s->path, sizeof s->path, q->run, q->best) < 0)
        return -1;
    s->policy = bex_policy_load(s->path);
    if (!s->policy) return -1;
    if (s->policy->O != world->O || s->policy->A != world->A) {
        return bex_fail("'%s' expects %d observation and %d action values, %s has %d and %d",
                        q->run, s->policy->O, s->policy->A, world->name, world->O, world->A);
    }
    s->control = BEX_CONTROL_INIT;
    s->control.exp = q->exp;
    s->control.history = q->history;
    s->control.act = (int)q->act;
    s->control.ddim = (int)q->ddim;
    s->control.candidates = (int)q->candidates;
    s->control.commit = (int)q->commit;
    if (q->guidance >= 0) s->control.guidance = q->guidance;
    if (q->noise >= 0) s->control.noise = q->noise;
    if (q->temperature >= 0) s->control.temperature = q->temperature;
    return 0;
}

static int open_state(void **out, const bex_explore_request *q, const bex_world *world) {
    state *s = calloc(1, sizeof *s);
    if (!s) return bex_fail("out of memory");
    s->q = q;
    int code = open_policy(s, world);
    *out = s;
    if (code < 0) close_state(s), *out = NULL;
    return code;
}

static bex_actor *new_actor(void *payload, const bex_memory_options *history, bex_rng rng) {
    state *s = payload;
    (void)history; // its size is the policy's own
    return bex_policy_actor_new(s->policy, &s->control, rng);
}

static long long in_force(long long asked, long long own) {
    return asked ? asked : own;
}

static json_t *number_in_force(double asked, double own) {
    return json_real(asked >= 0 ? asked : own);
}

// every setting as it was in force, the policy's own defaults included
static json_t *describe(const void *payload, const bex_explore_request *q) {
    const state *s = payload;
    const bex_policy_config *c = &s->policy->config;
    json_t *d = json_pack("{s:s, s:s, s:s}", "name", bex_model_name(&c->model), "run", q->run,
                          "history", q->history);
    long long act = in_force(q->act, c->deploy.act);
    json_object_set_new(d, "act", json_integer(act && act < c->model.chunk ? act : c->model.chunk));
    json_object_set_new(d, "noise", number_in_force(q->noise, c->deploy.noise));
    json_object_set_new(d, "temperature", number_in_force(q->temperature, c->deploy.temperature));
    json_object_set_new(d, "ddim", json_integer(in_force(q->ddim, c->diffusion.ddim)));
    if (d && s->policy->dit.o.coverage) {
        json_object_set_new(d, "exp", json_string(q->exp ? q->exp : c->deploy.exp));
        json_object_set_new(d, "candidates",
                            json_integer(in_force(q->candidates, c->deploy.candidates)));
        json_object_set_new(d, "commit", json_integer(in_force(q->commit, c->deploy.commit)));
        json_object_set_new(d, "guidance", number_in_force(q->guidance, c->deploy.guidance));
    }
    return d;
}

static const char *file(const void *payload) {
    return ((const state *)payload)->path;
}

const bex_explore_source bex_explore_policy = {
    "policy", wanted, open_state, new_actor, bex_policy_actor_history, describe, file, close_state,
};
