/* cli/cmd_eval.c - `bex eval`: a policy beside the demonstrations that were held out from it, no world
 * needed. */
#include "cli/command.h"
#include "cli/deploy_options.h"
#include "cli/options.h"

#include "agent/imitation/open_loop.h"
#include "base/config.h"
#include "base/error.h"
#include "base/path.h"
#include "host/json.h"
#include "policy/deploy.h"
#include "run/checkpoint.h"
#include "run/train.h"

#include <stdio.h>

static const char *data;
static long long windows = 512, chunks = 8;
static bool best, json;

static const bex_option options[] = {
    {"data", BEX_OPTION_TEXT, &data, "FILE",
     "the demonstrations, where the run's config does not find them", 0, 0},
    {"windows", BEX_OPTION_INTEGER, &windows, "N", "held-out states to act from", 1, 1e6},
    {"chunks", BEX_OPTION_INTEGER, &chunks, "N", "chunks drawn at each", 2, 256},
    {"best", BEX_OPTION_FLAG, &best, NULL, "the run's best checkpoint, not its newest", 0, 0},
    {"json", BEX_OPTION_FLAG, &json, NULL, "print results as JSON", 0, 0},
};
static const bex_usage usage = {
    .command = "eval",
    .synopsis = "RUN [options]",
    .about =
        "How well a policy repeats demonstrations it was not trained on: chunks it draws at held-out\n"
        "states beside what the demonstrator did there, root mean square over action dims in the\n"
        "world's units. RUN has a config.ini and a policy. A policy with a history is also shown\n"
        "another one than the coverage is of, one with a coverage token has it hidden, and one that\n"
        "follows futures (diffusion.show_waypoints) is shown the demonstrator's: figures that do not change\n"
        "tell that it does not look.",
    .example = "bex eval runs/be\n"
               "bex eval runs/be --windows 2048 --json",
    .options = options,
    .count = sizeof options / sizeof *options,
    .settings = bex_deploy_sections,
};

typedef struct {
    const char *name;
    bool other_history, no_coverage, led;
} variant;

static const variant variants[] = {{"as trained", false, false, false},
                                   {"another history", true, false, false},
                                   {"coverage hidden", false, true, false},
                                   {"shown its future", false, false, true}};
enum { VARIANTS = sizeof variants / sizeof *variants };

static bool applies(const variant *v, const bex_policy *p) {
    return !(v->other_history && !p->dit.o.N) && !(v->no_coverage && !p->dit.o.coverage) &&
           !(v->led && p->config.diffusion.show_waypoints == 0);
}

static json_t *figures(const double *at) {
    json_t *o = json_object();
    for (int kind = 0; kind < BEX_OPEN_LOOP_KINDS; kind++)
        json_object_set_new(o, bex_open_loop_names[kind], json_real(at[kind]));
    return o;
}

static void print_json(const bex_open_loop *r, const bool *there) {
    json_t *all = json_object(), *steps = json_array();
    for (int v = 0; v < VARIANTS; v++)
        if (there[v]) json_object_set_new(all, variants[v].name, figures(r[v].all));
    for (int k = 0; k < r->K; k++) json_array_append_new(steps, figures(r->at[k]));
    json_t *j = json_pack("{s:i, s:I, s:o, s:o}", "windows", r->windows, "chunks",
                          (json_int_t)chunks, "error", all, "by_step", steps);
    bex_json_print(j);
    json_decref(j);
}

static void print_text(const bex_open_loop *r, const bool *there) {
    printf("%d held-out windows, %lld chunks at each; errors of actions, root mean square\n",
           r->windows, chunks);
    printf(
        "                   mean action   a chunk   mean of %-3lld   nearest   two chunks apart\n",
        chunks);
    for (int v = 0; v < VARIANTS; v++)
        if (there[v])
            printf("  %-16s %11.4f   %7.4f   %11.4f   %7.4f   %16.4f\n", variants[v].name,
                   r[v].all[BEX_OPEN_LOOP_NOTHING], r[v].all[BEX_OPEN_LOOP_ONE],
                   r[v].all[BEX_OPEN_LOOP_MEAN], r[v].all[BEX_OPEN_LOOP_NEAREST],
                   r[v].all[BEX_OPEN_LOOP_SPREAD]);
    printf("  action of the chunk:");
    for (int k = 0; k < r->K; k++) printf(" %7d", k + 1);
    printf("\n  mean of %-3lld        :", chunks);
    for (int k = 0; k < r->K; k++) printf(" %7.4f", r->at[k][BEX_OPEN_LOOP_MEAN]);
    printf("\n");
}

static int evaluate(bex_agent *agent, const bex_policy *policy, const bex_deploy_config *deploy) {
    bex_open_loop results[VARIANTS] = {0};
    bool there[VARIANTS];
    int code = 0;
    for (int v = 0; v < VARIANTS && !code; v++) {
        bex_open_loop_options o = {.windows = (int)windows,
                                   .chunks = (int)chunks,
                                   .deploy = deploy,
                                   .other_history = variants[v].other_history,
                                   .no_coverage = variants[v].no_coverage,
                                   .led = variants[v].led};
        there[v] = applies(&variants[v], policy);
        if (there[v]) code = agent->class->open_loop(agent, policy, &o, &results[v]);
    }
    if (!code) (json ? print_json : print_text)(results, there);
    for (int v = 0; v < VARIANTS; v++) bex_open_loop_fini(&results[v]);
    return code;
}

static int configure(bex_train_config *c, const char *run) {
    char text[BEX_PATH_SIZE];
    bex_config_defaults(&bex_train_schema, c);
    if (bex_path_join(text, run, "config.ini") < 0) return -1;
    if (bex_config_load(&bex_train_schema, c, text) < 0) return -1;
    if (bex_path_print(text, "data.path=%s", data ? data : "") < 0) return -1;
    if (data && bex_config_set(&bex_train_schema, c, text) < 0) return -1;
    if (bex_agent_class_of(c)->open_loop) return 0;
    return bex_fail("'%s' has learned from no demonstrations", run);
}

int bex_cmd_eval(int argc, char **argv) {
    const char *run = NULL;
    bex_deploy_options asked;
    if (bex_deploy_options_take(&asked, &argc, argv) < 0)
        return bex_command_fail(&usage, BEX_EXIT_USAGE);
    int given = bex_options_parse(&usage, argc, argv, &run, 1);
    if (given < 0) return given == BEX_OPTIONS_HELP ? BEX_EXIT_OK : BEX_EXIT_USAGE;
    if (given == 0) {
        bex_fail("which run?");
        return bex_command_fail(&usage, BEX_EXIT_USAGE);
    }
    bex_train_config c;
    bex_deploy_config deploy;
    char path[BEX_PATH_SIZE];
    bex_policy *policy = NULL;
    bex_agent *agent = NULL;
    bex_sources sources;
    int code = configure(&c, run);
    if (!code) code = bex_checkpoint_model(path, sizeof path, run, best);
    if (!code && !(policy = bex_policy_load(path))) code = -1;
    if (!code) {
        deploy = policy->config.deploy;
        code = bex_deploy_apply(&deploy, (const char *const *)asked.text, asked.count);
    }
    if (!code) code = bex_deploy_check(policy, &deploy);
    if (!code) code = bex_train_sources(&sources, &c);
    if (!code && !(agent = bex_agent_new(&c, &sources))) code = -1;
    if (!code) code = evaluate(agent, policy, &deploy);
    if (agent) agent->class->free(agent);
    bex_policy_free(policy);
    bex_deploy_options_fini(&asked);
    return code ? bex_command_fail(&usage, BEX_EXIT_FAILED) : BEX_EXIT_OK;
}
