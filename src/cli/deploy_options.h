/* cli/deploy_options.h - settings of acting on a command line: --deploy.KEY=VALUE, or for short --KEY VALUE
 * and --KEY=VALUE, for every key of [deploy]. The table is policy_config.c's: a new setting needs nothing
 * here.
 *
 *     bex_deploy_options d;
 *     if (bex_deploy_options_take(&d, &argc, argv) < 0) ...   before bex_options_parse, which sees the rest
 *     bex_deploy_apply(&config, d.text, d.count);              over the policy's own
 *     bex_deploy_options_fini(&d); */
#ifndef BEX_CLI_DEPLOY_OPTIONS_H
#define BEX_CLI_DEPLOY_OPTIONS_H

typedef struct bex_deploy_options {
    char **text; // (count) "deploy.key=value", owned
    int count;
} bex_deploy_options;

/* Moves them out of argv, closing the gaps; what stands after "--" is left. Negative with a message: a key
 * without a value, a value that the table refuses, an unknown key. */
int bex_deploy_options_take(bex_deploy_options *d, int *argc, char **argv);

/* One more, before those there are: it gives way to them. */
int bex_deploy_options_default(bex_deploy_options *d, const char *key, const char *value);

void bex_deploy_options_fini(bex_deploy_options *d);

#endif
