/* explore/source_policy.c - `bex explore RUN`: a trained policy, one control stream per trial. */
#include "explore/source.h"

#include "agent/actors/policy_actor.h"
#include "base/error.h"
#include "base/path.h"
#include "explore/fit.h"
#include "policy/deploy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct state {
    bex_policy *policy;
    bex_deploy_config deploy;
    bex_told told;
    char path[BEX_PATH_SIZE];
} state;

static bool wanted(const bex_explore_request *q) {
    return q->run;
}

static void close_state(void *payload) {
    state *s = payload;
    if (!s) return;
    bex_told_fini(&s->told);
    bex_policy_free(s->policy);
    free(s);
}

static int load_policy(state *s, const bex_explore_request *q) {
    if (bex_explore_model(s->path, q) < 0) return -1;
    s->policy = bex_policy_load(s->path);
    return s->policy ? 0 : -1;
}

// the world that shows what the policy knows, unless told otherwise
static int suit(const bex_explore_request *q, const bex_env_class *class, char *keys, size_t size) {
    state s = {.policy = NULL};
    int code = load_policy(&s, q);
    if (code == 0) code = bex_fit_keys(keys, size, s.policy, class, q->env_keys);
    bex_policy_free(s.policy);
    return code;
}

static int open_policy(state *s, const bex_explore_request *q, const bex_world *world) {
    if (load_policy(s, q) < 0) return -1;
    if (bex_fit_check(s->policy, q->run, world) < 0) return -1;
    if (bex_told_init(&s->told, s->policy, world, q->tell) < 0) return -1;
    s->deploy = s->policy->config.deploy;
    // a simulator has no false readings, only states that nobody demonstrated
    s->deploy.farthest = BEX_FARTHEST;
    if (bex_deploy_apply(&s->deploy, q->deploy, q->deploy_count) < 0 ||
        bex_deploy_check(s->policy, &s->deploy) < 0)
        return bex_misused();
    // as they will be in force
    s->deploy.action_steps = bex_deploy_actions(s->policy, &s->deploy);
    return 0;
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
    state *s = payload;
    return bex_policy_actor_new(s->policy, &s->deploy, &s->told, rng);
}

// settings that only a policy with a coverage token heeds
static bool of_coverage(const char *key) {
    static const char *const keys[] = {"exp", "guidance", "candidates", "commit"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(key, keys[i])) return true;
    return false;
}

static json_t *value_of(const bex_config_row *row, const bex_deploy_config *d) {
    const char *at = (const char *)d + row->offset;
    if (row->type == BEX_CONFIG_IS_INTEGER)
        return json_integer(*(const long long *)(const void *)at);
    if (row->type == BEX_CONFIG_IS_NUMBER) return json_real(*(const double *)(const void *)at);
    return json_string(at);
}

// every setting as it was in force, by name, and all of them as text that can be read back
static json_t *describe(const void *payload, const bex_explore_request *q) {
    const state *s = payload;
    char *text = bex_config_text(&bex_deploy_schema, &s->deploy);
    json_t *d = json_pack("{s:s, s:s, s:s}", "name", bex_model_name(&s->policy->config.model),
                          "run", q->run, "deploy", text);
    for (const bex_config_row *row = bex_deploy_rows; d && row->name; row++)
        if (s->policy->dit.o.coverage || !of_coverage(row->name))
            json_object_set_new(d, row->name, value_of(row, &s->deploy));
    if (d && s->told.tasks) json_object_set_new(d, "told", json_string(s->told.rule));
    free(text);
    return d;
}

static const char *file(const void *payload) {
    return ((const state *)payload)->path;
}

static const char *history(const void *payload) {
    return ((const state *)payload)->deploy.history;
}

const bex_explore_source bex_explore_policy = {
    .name = "policy",
    .wanted = wanted,
    .suit = suit,
    .open = open_state,
    .actor = new_actor,
    .memory = bex_policy_actor_memory,
    .describe = describe,
    .file = file,
    .history = history,
    .close = close_state,
};
