/* policy/deploy.c - [deploy] by name. */
#include "policy/deploy.h"

#include "base/error.h"
#include "coverage/target.h"
#include "policy/memory.h"

#include <stdio.h>
#include <string.h>

const bex_config_section bex_deploy_sections[1] = {
    {"deploy", bex_deploy_rows, 0, "how the policy acts"}};
const bex_config_schema bex_deploy_schema = {.sections = bex_deploy_sections, .count = 1};

// what the table cannot check: texts with a form of their own
static int check_texts(const bex_deploy_config *d) {
    bex_target exp;
    bex_memory_kind kind;
    const char *file;
    if (bex_target_parse(&exp, d->exp) < 0) return -1;
    return bex_memory_parse(&kind, &file, d->history);
}

static int set(bex_deploy_config *d, const char *override) {
    bex_deploy_config next = *d;
    if (bex_config_set(&bex_deploy_schema, &next, override) < 0 || check_texts(&next) < 0)
        return -1;
    *d = next;
    return 0;
}

int bex_deploy_set(bex_deploy_config *d, const char *key, const char *value) {
    char text[2 * BEX_CONFIG_TEXT_SIZE];
    if (strchr(key, '=')) return bex_fail("unknown key 'deploy.%.60s'", key);
    int n = snprintf(text, sizeof text, "deploy.%s=%s", key, value);
    if (n < 0 || n >= (int)sizeof text)
        return bex_fail("deploy.%.60s: a value of %zu bytes is too long", key, strlen(value));
    return set(d, text);
}

int bex_deploy_get(const bex_deploy_config *d, const char *key, char value[BEX_CONFIG_TEXT_SIZE]) {
    return bex_config_get(&bex_deploy_schema, d, "deploy", key, value);
}

int bex_deploy_apply(bex_deploy_config *d, const char *const *overrides, int n) {
    for (int i = 0; i < n; i++)
        if (set(d, overrides[i]) < 0) return -1;
    return 0;
}

// a policy's own number may exceed its chunk: then it plays all of it
int bex_deploy_check(const bex_policy *p, const bex_deploy_config *d) {
    if (d->action_steps > p->chunk.K && d->action_steps != p->config.deploy.action_steps)
        return bex_fail("deploy.action_steps = %lld: a chunk has %d actions", d->action_steps,
                        p->chunk.K);
    if (d->denoising_steps > p->schedule.steps)
        return bex_fail("deploy.denoising_steps = %lld: the policy has %d", d->denoising_steps,
                        p->schedule.steps);
    if (d->candidates > 1 && (!p->chunk.W || !p->condition))
        return bex_fail("deploy.candidates = %lld needs a be policy with model.waypoints",
                        d->candidates);
    return 0;
}

int bex_deploy_actions(const bex_policy *p, const bex_deploy_config *d) {
    return d->action_steps > 0 && d->action_steps < p->chunk.K ? (int)d->action_steps : p->chunk.K;
}
