/* cli/cmd_export.c - `bex export`: a policy as it is deployed, one file without what only its training
 * needs. */
#include "cli/command.h"
#include "cli/options.h"

#include "base/config.h"
#include "base/error.h"
#include "base/path.h"
#include "policy/deploy.h"
#include "policy/policy.h"
#include "run/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *out;
static bool best, half, force;

static const bex_option options[] = {
    {"out", BEX_OPTION_TEXT, &out, "FILE", "the policy (also -o FILE)", 0, 0},
    {"best", BEX_OPTION_FLAG, &best, NULL, "the run's best checkpoint, not its newest", 0, 0},
    {"half", BEX_OPTION_FLAG, &half, NULL,
     "weights rounded to 16 bits, half the size: nearly the same actions", 0, 0},
    {"force", BEX_OPTION_FLAG, &force, NULL, "replace the file if it is there", 0, 0},
};
static const bex_usage usage = {
    .command = "export",
    .synopsis = "RUN --out FILE [options] [--deploy.KEY=VALUE ...]",
    .about =
        "A trained policy as one file to put on a robot or to publish. RUN: a run, a checkpoint or a\n"
        "model file. The same policy, bit for bit: a checkpoint keeps both the weights of the last\n"
        "update and, with train.ema, their running average; here is only what acts. --deploy.KEY=VALUE\n"
        "sets its defaults of acting, which are often found out after training.\n"
        "Whatever takes a policy takes the file; training goes on from the run, not from it.",
    .example =
        "bex export runs/be --out policy.safetensors\n"
        "bex export runs/be --out policy.safetensors --half --deploy.exp=q:1 --deploy.candidates=8\n"
        "bex act policy.safetensors --in states.safetensors --out actions.safetensors",
    .options = options,
    .count = sizeof options / sizeof *options,
};

static double megabytes(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 ? (double)st.st_size / 1e6 : 0;
}

// the network is as it was trained: of the configuration only how to act may change
static int deploy(bex_deploy_config *d, const char **overrides, int count) {
    for (int i = 0; i < count; i++) {
        const char *setting = overrides[i] + strspn(overrides[i], "-");
        if (strncmp(setting, "deploy.", strlen("deploy.")) != 0)
            return bex_fail("--%s: only deploy.* can be set here, the rest is trained", setting);
    }
    return bex_deploy_apply(d, overrides, count);
}

static int export(const char *run, const char **overrides, int count) {
    char path[BEX_PATH_SIZE];
    if (!force && access(out, F_OK) == 0) {
        bex_fail("'%s' exists", out);
        return bex_fail_hint("--force replaces it");
    }
    if (bex_checkpoint_model(path, sizeof path, run, best) < 0) return -1;
    double before = megabytes(path); // out may be the file itself
    bex_policy *p = bex_policy_load(path);
    bex_deploy_config acts = p ? p->config.deploy : (bex_deploy_config){0};
    int code = p ? deploy(&acts, overrides, count) : -1;
    if (!code) code = bex_deploy_check(p, &acts); // what a session would refuse is refused here
    if (!code) p->config.deploy = acts;
    if (!code) code = (half ? bex_policy_save_half : bex_policy_save)(p, out);
    bex_policy_free(p);
    if (!code) printf("%s: %.1f MB, of %s, %.1f MB\n", out, megabytes(out), path, before);
    return code;
}

int bex_cmd_export(int argc, char **argv) {
    const char **overrides = calloc((size_t)argc + 1, sizeof *overrides), *run = NULL;
    int count = bex_config_take_overrides(&argc, argv, overrides), code = BEX_EXIT_OK;
    int given = bex_options_parse(&usage, argc, argv, &run, 1);
    bex_policy_config tried; // mistakes are told before anything is read
    bex_config_defaults(&bex_policy_schema, &tried);
    if (given < 0) {
        code = given == BEX_OPTIONS_HELP ? BEX_EXIT_OK : BEX_EXIT_USAGE;
    } else if (!given || !out) {
        bex_fail(!given ? "which policy? (RUN, a checkpoint or a model)"
                        : "where to? (--out FILE)");
        code = bex_command_fail(&usage, BEX_EXIT_USAGE);
    } else if (deploy(&tried.deploy, overrides, count) < 0) {
        code = bex_command_fail(&usage, BEX_EXIT_USAGE);
    } else if (export(run, overrides, count) < 0) {
        code = bex_command_fail(&usage, BEX_EXIT_FAILED);
    }
    free(overrides);
    return code;
}
