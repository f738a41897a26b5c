/* explore/fit.h - does a world show what a policy was trained on? What is known of both is held
 * together: scene, names of columns, cameras, size of pictures. */
#ifndef BEX_EXPLORE_FIT_H
#define BEX_EXPLORE_FIT_H

#include "env/env.h"
#include "policy/policy.h"

/* Lines for bex_world_options.keys under which the world shows that, "" where a class has no such
 * choice. `more` (NULL: none) comes behind them and wins. Negative with a message: too long. */
int bex_fit_keys(char *keys, size_t size, const bex_policy *policy, const bex_env_class *class,
                 const char *more);

/* Negative with a message that calls the policy `run` and names the first difference. */
int bex_fit_check(const bex_policy *policy, const char *run, const bex_world *world);

#endif
