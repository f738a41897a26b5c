/* policy/deploy.h - settings of acting, by name: the one table [deploy] of policy_config.c for sessions,
 * commands and files.
 *
 *     bex_deploy_config d = policy->config.deploy;     the policy's own defaults
 *     bex_deploy_set(&d, "candidates", "64");          negative with a message: unknown, or out of range
 *     bex_deploy_check(policy, &d);                    what no table can know: does it fit this policy? */
#ifndef BEX_POLICY_DEPLOY_H
#define BEX_POLICY_DEPLOY_H

#include "policy/policy.h"

extern const bex_config_section bex_deploy_sections[1]; // [deploy] alone, of a bex_deploy_config
extern const bex_config_schema bex_deploy_schema;

/* value as a config file would give it. Negative with a message: d is as it was. */
int bex_deploy_set(bex_deploy_config *d, const char *key, const char *value);
int bex_deploy_get(const bex_deploy_config *d, const char *key, char value[BEX_CONFIG_TEXT_SIZE]);

/* n overrides "deploy.key=value", with or without dashes. Negative with a message. */
int bex_deploy_apply(bex_deploy_config *d, const char *const *overrides, int n);

/* Negative with a message where this policy cannot act so. */
int bex_deploy_check(const bex_policy *policy, const bex_deploy_config *d);

/* Actions executed of a chunk with these settings. */
int bex_deploy_actions(const bex_policy *policy, const bex_deploy_config *d);

#endif
