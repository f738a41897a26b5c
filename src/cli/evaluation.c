/* cli/evaluation.c - policy and demonstrations found, put beside each other, said as JSON. */
#include "cli/evaluation.h"

#include "base/config.h"
#include "base/error.h"
#include "policy/deploy.h"
#include "run/checkpoint.h"
#include "run/train.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

typedef struct {
    bool other_history, no_coverage, led, other_pictures;
} variant;

const char *const bex_evaluation_names[] = {"as trained", "another history", "coverage hidden",
                                            "shown its future", "another picture"};
static const variant variants[BEX_EVALUATION_VARIANTS] = {
    [BEX_EVALUATION_OTHER_HISTORY] = {.other_history = true},
    [BEX_EVALUATION_NO_COVERAGE] = {.no_coverage = true},
    [BEX_EVALUATION_LED] = {.led = true},
    [BEX_EVALUATION_OTHER_PICTURES] = {.other_pictures = true}};

static bool applies(const variant *v, const bex_policy *p) {
    return !(v->other_history && !p->dit.o.N) && !(v->no_coverage && !p->dit.o.coverage) &&
           !(v->led && p->config.diffusion.show_waypoints == 0) &&
           !(v->other_pictures && !p->vision.o.cameras);
}

/* ---- the demonstrations ---- */

static int configure(bex_train_config *c, const char *run, const char *data) {
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
static int beside_own(bex_agent **agent, bex_evaluated *e, const char *run, const char *data,
                      const bex_policy *policy) {
    bex_train_config c;
    bex_sources sources;
    *agent = NULL;
    if (configure(&c, run, data) < 0 || bex_train_sources(&sources, &c) < 0) return -1;
    if (data && sources.data &&
        (sources.data->O != policy->O || sources.data->A != policy->A ||
         sources.data->episodes < 2))
        return bex_sources_fini(&sources), 0;
    if (!(*agent = bex_agent_new(&c, &sources))) return -1;
    snprintf(e->of, sizeof e->of, "held out of its own demonstrations");
    // with nothing held out, the file that was asked for is taken whole
    if (!data ||
        (((const bex_imitation *)*agent)->held.data && bex_imitation_trained_on(*agent, policy)))
        return 0;
    (*agent)->class->free(*agent);
    *agent = NULL;
    return 0;
}

// pictures are read as the policy wants them, unless the caller says another thing
static void read_as_trained(bex_load_options *o, const bex_data_flags *in,
                            const bex_vision_config *v) {
    if (!in->images) o->images = v->images[0] ? v->images : NULL;
    if (!in->image_size && v->height == v->width) o->pictures.size = (int)v->height;
    if (!in->flip) o->pictures.flip = (bex_flip)v->flip;
}

static int beside_any(bex_agent **agent, bex_evaluated *e, const char *data,
                      const bex_data_flags *in, const char *path) {
    bex_load_options o;
    if (bex_data_flags_resolve(&o, in) < 0) return bex_misused();
    bex_policy *own = bex_policy_load(path);
    if (!own) return -1;
    read_as_trained(&o, in, &own->config.vision);
    bex_dataset *d = bex_dataset_load(data, &o);
    if (!d) return bex_policy_free(own), -1;
    snprintf(e->of, sizeof e->of, "all %d episodes of %s", d->episodes, data);
    *agent = bex_imitation_beside(own, d);
    return *agent ? 0 : bex_fail_in("%s", data);
}

static int find_demonstrations(bex_agent **agent, bex_evaluated *e, const char *given,
                               const char *path, const bex_policy *policy,
                               const bex_evaluation_options *o) {
    const bex_data_flags *in = &o->in;
    *agent = NULL;
    if (!o->data && !is_run(given)) {
        bex_fail("'%s' is no run: it does not know its demonstrations", given);
        return bex_fail_hint("--data FILE names some");
    }
    bool own_way =
        !in->format && !in->keys && !in->split_at && !in->length && !in->filter && !in->limit;
    if (is_run(given) && own_way && beside_own(agent, e, given, o->data, policy) < 0) {
        if (!o->data) return -1;
        bex_error_clear(); // a file its run's configuration cannot read: on its own then
    }
    return *agent ? 0 : beside_any(agent, e, o->data, in, path);
}

static int evaluate(bex_evaluated *e, bex_agent *agent, const bex_policy *policy,
                    const bex_deploy_config *deploy, long long windows) {
    int code = 0;
    for (int v = 0; v < BEX_EVALUATION_VARIANTS && !code; v++) {
        bex_open_loop_options o = {.windows = (int)windows,
                                   .chunks = e->chunks,
                                   .deploy = deploy,
                                   .other_history = variants[v].other_history,
                                   .no_coverage = variants[v].no_coverage,
                                   .other_pictures = variants[v].other_pictures,
                                   .led = variants[v].led};
        e->there[v] = applies(&variants[v], policy);
        if (e->there[v]) code = agent->class->open_loop(agent, policy, &o, &e->result[v]);
    }
    // of its own demonstrations; too few places to tell is no fault
    e->told = !code && policy->dit.o.coverage &&
              bex_label_shares_of((const bex_imitation *)agent, &e->shares) == 0;
    if (!code) bex_error_clear();
    return code;
}

int bex_evaluated_make(bex_evaluated *e, const char *given, const bex_evaluation_options *o) {
    *e = (bex_evaluated){.chunks = (int)o->chunks};
    bex_deploy_config deploy;
    char path[BEX_PATH_SIZE];
    bex_policy *policy = NULL;
    bex_agent *agent = NULL;
    int code = bex_checkpoint_model(path, sizeof path, given, o->best);
    if (!code && !(policy = bex_policy_load(path))) code = -1;
    if (!code) deploy = policy->config.deploy;
    if (!code && o->deploy)
        code = bex_deploy_apply(&deploy, (const char *const *)o->deploy->text, o->deploy->count);
    if (!code) code = bex_deploy_check(policy, &deploy);
    if (!code) code = find_demonstrations(&agent, e, given, path, policy, o);
    if (!code) code = evaluate(e, agent, policy, &deploy, o->windows);
    if (agent) agent->class->free(agent);
    bex_policy_free(policy);
    return code;
}

void bex_evaluated_fini(bex_evaluated *e) {
    for (int v = 0; v < BEX_EVALUATION_VARIANTS; v++) bex_open_loop_fini(&e->result[v]);
}

/* ---- what it says ---- */

// the error of one chunk as a share of that of the mean action; of the mean of several
static double share_of(const bex_open_loop *r, bex_open_loop_kind kind) {
    return r->all[kind] / r->all[BEX_OPEN_LOOP_NOTHING];
}

void bex_evaluated_verdict(char *out, size_t size, const bex_evaluated *e) {
    const bex_open_loop *r = &e->result[0];
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

static json_t *figures(const double *at) {
    json_t *o = json_object();
    for (int kind = 0; kind < BEX_OPEN_LOOP_KINDS; kind++)
        json_object_set_new(o, bex_open_loop_names[kind], json_real(at[kind]));
    return o;
}

static json_t *shares_as_json(const bex_label_shares *s) {
    return json_pack("{s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "places", s->places,
                     "futures", s->futures, "histories", s->histories, "state", s->state, "history",
                     s->history, "both", s->both, "future", s->future, "news", s->news, "agree",
                     s->agree, "decisions", s->decisions);
}

static json_t *episodes_as_json(const bex_evaluated *e) {
    json_t *all = json_array();
    for (int i = 0; i < e->result[0].episodes; i++) {
        const bex_open_loop_episode *of = &e->result[0].episode[i];
        json_t *error = json_object();
        char identity[24];
        snprintf(identity, sizeof identity, "%016" PRIx64, of->identity);
        for (int v = 0; v < BEX_EVALUATION_VARIANTS; v++)
            if (e->there[v])
                json_object_set_new(error, bex_evaluation_names[v],
                                    figures(e->result[v].episode[i].all));
        json_array_append_new(all, json_pack("{s:s, s:f, s:o}", "identity", identity, "steps",
                                             of->steps, "error", error));
    }
    return all;
}

json_t *bex_evaluated_json(const bex_evaluated *e) {
    const bex_open_loop *r = e->result;
    json_t *all = json_object(), *steps = json_array();
    for (int v = 0; v < BEX_EVALUATION_VARIANTS; v++)
        if (e->there[v]) json_object_set_new(all, bex_evaluation_names[v], figures(r[v].all));
    for (int k = 0; k < r->K; k++) json_array_append_new(steps, figures(r->at[k]));
    char text[400];
    bex_evaluated_verdict(text, sizeof text, e);
    json_t *legend = json_pack("{s:s, s:s, s:s, s:s, s:s}", "nothing", "always the mean action",
                               "one", "a chunk", "mean", "the mean of the chunks", "nearest",
                               "the nearest chunk", "spread", "two chunks apart");
    json_t *j = json_pack("{s:s, s:i, s:i, s:o, s:o, s:s, s:o, s:o}", "of", e->of, "windows",
                          r->windows, "chunks", e->chunks, "error", all, "by_step", steps,
                          "verdict", text, "legend", legend, "episodes", episodes_as_json(e));
    if (e->told) json_object_set_new(j, "coverage_input", shares_as_json(&e->shares));
    return j;
}
