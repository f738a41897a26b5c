/* cli/cmd_eval.c - `bex eval`: a policy beside the demonstrations that were held out from it, no world
 * needed. */
#include "cli/command.h"
#include "cli/data_options.h"
#include "cli/deploy_options.h"
#include "cli/options.h"

#include "agent/imitation/label_shares.h"
#include "agent/imitation/open_loop.h"
#include "base/config.h"
#include "base/error.h"
#include "base/path.h"
#include "host/json.h"
#include "policy/deploy.h"
#include "run/checkpoint.h"
#include "run/train.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

static const char *data;
static bex_data_flags in;
static long long windows = 512, chunks = 8;
static bool best, json;

static const bex_option options[] = {
    {"data", BEX_OPTION_TEXT, &data, "FILE",
     "any demonstrations; the run's own: those held out of them", 0, 0},
    {"windows", BEX_OPTION_INTEGER, &windows, "N", "held-out states to act from", 1, 1e6},
    {"chunks", BEX_OPTION_INTEGER, &chunks, "N", "chunks drawn at each", 2, 256},
    {"best", BEX_OPTION_FLAG, &best, NULL, "the run's best checkpoint, not its newest", 0, 0},
    {"json", BEX_OPTION_FLAG, &json, NULL, "print results as JSON", 0, 0},
    BEX_DATA_OPTIONS(in),
};
static const bex_usage usage = {
    .command = "eval",
    .synopsis = "RUN [options] | POLICY --data FILE [options]",
    .about =
        "How well a policy repeats demonstrations it was not trained on: chunks it draws at their states\n"
        "beside what the demonstrator did there, root mean square over action dims in the world's units.\n"
        "A RUN knows what was held out from it; with --data any policy is put beside all episodes of any\n"
        "file of the same states and actions. A policy with a history is also shown another one than the\n"
        "coverage is of, one with a coverage token has it hidden, and one that follows futures\n"
        "(diffusion.show_waypoints) is shown the demonstrator's: figures that do not change tell that it\n"
        "does not look. A legend and a verdict stand below the figures. Of a RUN that learned by coverage\n"
        "it also tells what the coverage input is about, as shares of its variance: docs/agents/be.md.",
    .example = "bex eval runs/be\n"
               "bex eval policy.safetensors --data held-out.hdf5\n"
               "bex eval runs/be --windows 2048 --json",
    .options = options,
    .count = sizeof options / sizeof *options,
    .settings = bex_deploy_sections,
};

static char judged[BEX_PATH_SIZE + 100]; // what the policy is put beside, in words

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

/* ---- the verdict ---- */

// the error of one chunk as a share of that of the mean action; of the mean of several
static double share_of(const bex_open_loop *r, bex_open_loop_kind kind) {
    return r->all[kind] / r->all[BEX_OPEN_LOOP_NOTHING];
}

static void verdict(char *out, size_t size, const bex_open_loop *r) {
    double mean = share_of(r, BEX_OPEN_LOOP_MEAN), nearest = share_of(r, BEX_OPEN_LOOP_NEAREST);
    if (!(r->all[BEX_OPEN_LOOP_NOTHING] > 0))
        snprintf(out, size, "the demonstrator's actions never change: nothing to judge by");
    else if (mean >= 0.98)
        snprintf(out, size,
                 "NO BETTER THAN THE MEAN ACTION: what was learned does not carry over to "
                 "these demonstrations. More "
                 "updates or episodes; or these states are in other units or another order "
                 "(bex show, bex data show)");
    else if (mean > 0.8 && nearest > 0.8)
        snprintf(
            out, size,
            "a little better than the mean action (%.0f %% of its error): early, or hard to repeat",
            100 * mean);
    else
        snprintf(out, size,
                 "better than the mean action: %.0f %% of its error with the mean of its "
                 "chunks, %.0f %% with the nearest "
                 "of them",
                 100 * mean, 100 * nearest);
}

// does it look at its history, and at the coverage? "" if it has none
static void attention(char *out, size_t size, const bex_open_loop *r, const bool *there) {
    int used = 0;
    out[0] = 0;
    for (int v = 1; v < 3; v++) {
        if (!there[v]) continue;
        double more = r[v].all[BEX_OPEN_LOOP_ONE] / r[0].all[BEX_OPEN_LOOP_ONE] - 1;
        used += snprintf(out + used, size - (size_t)used, "%s%s %s by %.1f %%", used ? "; " : "",
                         variants[v].name, more >= 0 ? "raises the error of a chunk" : "lowers it",
                         100 * fabs(more));
    }
}

static void print_legend(void) {
    printf(
        "  mean action: always the demonstrations' mean, what has to be beaten. a "
        "chunk: one draw. mean of %lld: of that\n"
        "  many draws. nearest: the nearest of them as a whole; far below `a chunk` "
        "where there are several ways to\n"
        "  act. two chunks apart: how much draws differ; 0 is a policy that always does the same.\n",
        chunks);
}

static void print_shares(const bex_label_shares *s) {
    printf(
        "  the coverage input at %d places, %d futures each, after %d pasts. Shares of its variance: "
        "%.0f %% the state,\n"
        "  %.0f %% the past, %.0f %% both together; %.0f %% which future covers more whatever the past, "
        "%.0f %% which covers\n"
        "  more given this past. %.0f %% of the pasts have the usual best future of a place; at %.0f %% "
        "of the places not all have.\n",
        s->places, s->futures, s->histories, 100 * s->state, 100 * s->history, 100 * s->both,
        100 * s->future, 100 * s->news, 100 * s->agree, 100 * s->decisions);
}

static json_t *shares_as_json(const bex_label_shares *s) {
    return json_pack("{s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "places", s->places,
                     "futures", s->futures, "histories", s->histories, "state", s->state, "history",
                     s->history, "both", s->both, "future", s->future, "news", s->news, "agree",
                     s->agree, "decisions", s->decisions);
}

static void print_json(const bex_open_loop *r, const bool *there, const bex_label_shares *shares) {
    json_t *all = json_object(), *steps = json_array();
    for (int v = 0; v < VARIANTS; v++)
        if (there[v]) json_object_set_new(all, variants[v].name, figures(r[v].all));
    for (int k = 0; k < r->K; k++) json_array_append_new(steps, figures(r->at[k]));
    char text[400];
    verdict(text, sizeof text, r);
    json_t *legend = json_pack("{s:s, s:s, s:s, s:s, s:s}", "nothing", "always the mean action",
                               "one", "a chunk", "mean", "the mean of the chunks", "nearest",
                               "the nearest chunk", "spread", "two chunks apart");
    json_t *j = json_pack("{s:s, s:i, s:I, s:o, s:o, s:s, s:o}", "of", judged, "windows",
                          r->windows, "chunks", (json_int_t)chunks, "error", all, "by_step", steps,
                          "verdict", text, "legend", legend);
    if (shares) json_object_set_new(j, "coverage_input", shares_as_json(shares));
    bex_json_print(j);
    json_decref(j);
}

static void print_text(const bex_open_loop *r, const bool *there, const bex_label_shares *shares) {
    char text[400];
    printf("%s: %d windows, %lld chunks at each; errors of actions, root mean square\n", judged,
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
    printf("\n\n");
    print_legend();
    attention(text, sizeof text, r, there);
    if (*text) printf("  %s\n", text);
    if (shares) print_shares(shares);
    verdict(text, sizeof text, r);
    printf("verdict: %s\n", text);
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
    // of its own demonstrations; too few places to tell is no fault
    bex_label_shares shares;
    bool told = !code && policy->dit.o.coverage &&
                bex_label_shares_of((const bex_imitation *)agent, &shares) == 0;
    if (!code)
        bex_error_clear(), (json ? print_json : print_text)(results, there, told ? &shares : NULL);
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

static bool is_run(const char *path) {
    char config[BEX_PATH_SIZE];
    struct stat st;
    return bex_path_join(config, path, "config.ini") == 0 && stat(config, &st) == 0;
}

// the run's own demonstrations, of which it knows what was held out. *agent NULL without a message: those
// of --data are
// others
static int beside_own(bex_agent **agent, const char *run, const bex_policy *policy) {
    bex_train_config c;
    bex_sources sources;
    *agent = NULL;
    if (configure(&c, run) < 0 || bex_train_sources(&sources, &c) < 0) return -1;
    if (data && sources.data &&
        (sources.data->O != policy->O || sources.data->A != policy->A ||
         sources.data->episodes < 2))
        return bex_sources_fini(&sources), 0;
    if (!(*agent = bex_agent_new(&c, &sources))) return -1;
    snprintf(judged, sizeof judged, "held out of its own demonstrations");
    if (!data || bex_imitation_trained_on(*agent, policy)) return 0;
    (*agent)->class->free(*agent);
    *agent = NULL;
    return 0;
}

static int beside_any(bex_agent **agent, const char *path) {
    bex_load_options o;
    if (bex_data_flags_resolve(&o, &in) < 0) return bex_misused();
    bex_dataset *d = bex_dataset_load(data, &o);
    bex_policy *own = d ? bex_policy_load(path) : NULL;
    if (!own) return bex_dataset_free(d), -1;
    snprintf(judged, sizeof judged, "all %d episodes of %s", d->episodes, data);
    *agent = bex_imitation_beside(own, d);
    return *agent ? 0 : bex_fail_in("%s", data);
}

static int find_demonstrations(bex_agent **agent, const char *given, const char *path,
                               const bex_policy *policy) {
    *agent = NULL;
    if (!data && !is_run(given)) {
        bex_fail("'%s' is no run: it does not know its demonstrations", given);
        return bex_fail_hint("--data FILE names some");
    }
    bool own_way = !in.format && !in.keys && !in.split_at && !in.length && !in.filter && !in.limit;
    if (is_run(given) && own_way && beside_own(agent, given, policy) < 0) {
        if (!data) return -1;
        bex_error_clear(); // a file its run's configuration cannot read: on its own then
    }
    return *agent ? 0 : beside_any(agent, path);
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
    bex_deploy_config deploy;
    char path[BEX_PATH_SIZE];
    bex_policy *policy = NULL;
    bex_agent *agent = NULL;
    int code = bex_checkpoint_model(path, sizeof path, run, best);
    if (!code && !(policy = bex_policy_load(path))) code = -1;
    if (!code) {
        deploy = policy->config.deploy;
        code = bex_deploy_apply(&deploy, (const char *const *)asked.text, asked.count);
    }
    if (!code) code = bex_deploy_check(policy, &deploy);
    if (!code) code = find_demonstrations(&agent, run, path, policy);
    if (!code) code = evaluate(agent, policy, &deploy);
    if (agent) agent->class->free(agent);
    bex_policy_free(policy);
    bex_deploy_options_fini(&asked);
    return code ? bex_command_fail(&usage, BEX_EXIT_FAILED) : BEX_EXIT_OK;
}
