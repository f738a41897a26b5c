/* cli/cmd_show.c - `bex show THING`: what a policy, a run, an exploration or a file is. */
#include "cli/command.h"
#include "cli/options.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/path.h"
#include "data/recording.h"
#include "host/json.h"
#include "nn/safetensors.h"
#include "policy/control.h"
#include "policy/deploy.h"
#include "policy/policy.h"
#include "run/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { EPISODES = 2, LEAST = 40, MOST = 400 };
static const double SECONDS = 4; // that the latency may take

static bool json, fast, best;
static double deadline;
static const bex_option options[] = {
    {"deadline", BEX_OPTION_NUMBER, &deadline, "S",
     "seconds an action may take: the search for a future is cut; 0: none", 0, 3600},
    {"fast", BEX_OPTION_FLAG, &fast, NULL, "do not measure the latency", 0, 0},
    {"best", BEX_OPTION_FLAG, &best, NULL, "the run's best checkpoint, not its newest", 0, 0},
    {"json", BEX_OPTION_FLAG, &json, NULL, "print JSON", 0, 0},
};
static const bex_usage usage = {
    .command = "show",
    .synopsis = "POLICY|RUN|FILE [options]",
    .about =
        "What a thing is. Of a policy: its sizes, what each value of a state and an action is, with ranges,\n"
        "its defaults of acting, how long an action takes on this machine with exactly\n"
        "those settings, and how it was trained; of a run also how it was judged. Files of demonstrations\n"
        "and recordings are shown as by bex data show, explorations as by bex report.",
    .example = "bex show runs/be\n"
               "bex show policy.safetensors --deadline 0.05\n"
               "bex show policy.safetensors --json",
    .options = options,
    .count = sizeof options / sizeof *options,
};

/* ---- latency as deployed ---- */

typedef struct {
    int plans, calls;
    double p50, p99, max, call; // of plans; mean of all calls
    int missed;                 // calls beyond the deadline
    double made;                // candidates of a search when the next one begins, mean
} latency;

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// candidates of searches: of one that is over when another begins
typedef struct {
    int searches, made; // made: of the last one
    double all;
    int64_t step; // when it began
} search_count;

static void count_search(search_count *s, const bex_plan_report *r) {
    if (!r) return;
    // a search that goes on makes more; a new one begins with fewer, or elsewhere after all were made
    bool another =
        !s->searches || r->made < s->made || (r->step != s->step && s->made >= r->wanted);
    if (another) s->all += s->made, s->searches++;
    s->made = r->made, s->step = r->step;
}

// act, control step by control step, from states that wander about the demonstrations' mean
static int measure(latency *l, const bex_policy *p) {
    size_t O = (size_t)p->O, picture = bex_vision_picture(&p->vision);
    bex_control *c = bex_control_new(p, NULL, 0);
    bex_observation now = {0};
    unsigned char *noise = malloc(picture + 1); // what is in a picture does not matter to speed
    bex_real *state = calloc(O, sizeof *state), *action = calloc((size_t)p->A, sizeof *action);
    double *seconds = calloc(MOST, sizeof *seconds), begin = bex_seconds(), all = 0;
    int code = c && state && action && seconds && noise ? 0 : -1, n = 0;
    bex_rng g = bex_rng_seed(1);
    search_count searches = {0};
    if (code == 0) bex_control_set_deadline(c, deadline);
    for (size_t i = 0; !code && i < picture; i++) noise[i] = (unsigned char)bex_rng_below(&g, 256);
    now.state = state;
    for (int i = 0; i < p->vision.o.cameras; i++) now.image[i] = noise;
    // noise is far from any demonstration
    if (!code && p->seen.columns) code = bex_control_set(c, "farthest", "1000000");
    for (int e = 0; code == 0 && e < EPISODES; e++) {
        code = bex_control_begin(c);
        memcpy(state, p->normaliser.mean, O * sizeof *state);
        for (int t = 0; code == 0 && n < MOST * (e + 1) / EPISODES &&
                        (t < LEAST || bex_seconds() - begin < SECONDS * (e + 1) / EPISODES);
             t++) {
            for (size_t j = 0; j < O; j++)
                state[j] += R(0.02 * bex_rng_normal(&g)) * p->normaliser.std[j];
            long long plans = bex_control_plans(c);
            double start = bex_seconds();
            code = bex_control_act(c, &now, action);
            double took = bex_seconds() - start;
            all += took, l->calls++, l->missed += deadline > 0 && took > deadline;
            if (bex_control_plans(c) != plans) seconds[n++] = took;
            count_search(&searches, bex_control_report(c));
        }
        if (code == 0) code = bex_control_end(c);
    }
    if (code == 0 && n) {
        qsort(seconds, (size_t)n, sizeof *seconds, ascending);
        l->plans = n;
        l->p50 = seconds[(n - 1) / 2], l->p99 = seconds[(int)ceil(0.99 * n) - 1];
        l->max = seconds[n - 1], l->call = all / l->calls;
        l->made = searches.searches ? (searches.all + searches.made) / searches.searches : 0;
    }
    bex_control_free(c);
    free(state), free(action), free(seconds), free(noise);
    return code;
}

/* ---- a policy ---- */

static bool counts(const bex_policy *p, int j) {
    for (int i = 0; i < p->coverage_count; i++)
        if (p->coverage_dims[i] == j) return true;
    return p->dit.o.coverage && !p->coverage_count;
}

static void print_columns(const bex_policy *p) {
    const bex_normaliser *n = &p->normaliser;
    printf("\n  state   %-30s %12s %12s\n", "name", "mean", "std");
    for (int j = 0; j < p->O; j++)
        printf("  %s %4d  %-30s %12.5g %12.5g%s\n", counts(p, j) ? "->" : "  ", j,
               p->columns.count ? p->columns.name[j] : "", (double)n->mean[j], (double)n->std[j],
               n->std[j] > 0 ? "" : "  ignored: it was constant");
    if (p->seen.columns)
        printf("  seen[0] to seen[%d] are made from pictures: callers give the first %d columns\n",
               p->seen.columns - 1, p->given);
    if (p->dit.o.coverage) printf("  -> counts as explored (coverage.dims)\n");
    if (!p->columns.count)
        printf("  (no names: made before files carried them, or from a file without)\n");
    printf("\n  action  %12s %12s\n", "least", "most");
    for (int j = 0; j < p->A; j++)
        printf("  %7d %12.5g %12.5g\n", j, (double)n->low[j], (double)n->high[j]);
}

static void print_deploy(const bex_policy *p) {
    char value[BEX_CONFIG_TEXT_SIZE];
    printf("\n  acts by (each can be changed when a session opens, or later)\n");
    for (const bex_config_row *row = bex_deploy_rows; row->name; row++)
        if (!row->retired && bex_deploy_get(&p->config.deploy, row->name, value) == 0)
            printf("    %-16s %-12s %s\n", row->name, value, row->help);
}

static void print_latency(const latency *l, const bex_policy *p) {
    const bex_deploy_config *d = &p->config.deploy;
    printf("\n  latency   one thread of this machine, as it acts: %lld candidate%s, %d "
           "of %d actions a plan, commit %lld\n",
           d->candidates, d->candidates > 1 ? "s" : "", bex_deploy_actions(p, d), p->chunk.K,
           d->commit);
    printf("    %d plans   p50 %.2f ms, p99 %.2f ms, max %.2f ms; mean of all %d calls %.2f ms\n",
           l->plans, 1e3 * l->p50, 1e3 * l->p99, 1e3 * l->max, l->calls, 1e3 * l->call);
    if (deadline > 0)
        printf("    deadline %.4g ms: %d of %d calls took longer", 1e3 * deadline, l->missed,
               l->calls);
    if (deadline > 0 && l->made > 0)
        printf("; %.1f of %lld candidates a search", l->made, d->candidates);
    if (deadline > 0) printf("\n");
    if (d->candidates > 1 && !(deadline > 0))
        printf("    a loop with less time sets a deadline: the search is cut and goes on "
               "later (--deadline, docs/deploy.md)\n");
}

static void print_labels(const char *what, const bex_labels *l) {
    if (l->count) printf("\n  %s, by number\n", what);
    for (int i = 0; i < l->count; i++) printf("    %5d   %s\n", i, l->name[i]);
}

static void print_policy(const bex_policy *p, const latency *l) {
    const bex_dit_options *n = &p->dit.o;
    printf("  policy    %s: state %d, action %d, %zu parameters\n",
           bex_model_name(&p->config.model), p->given, p->A, bex_params_total(p->params));
    printf("  sees      the state%s%s", p->config.model.features ? " with phi" : "",
           n->N ? "" : " alone");
    if (n->cameras) printf(", pictures of %d camera%s", n->cameras, n->cameras > 1 ? "s" : "");
    if (n->N) printf(", %d states of earlier episodes", n->N);
    printf("%s%s%s\n", n->coverage ? ", a coverage" : "", n->tasks ? ", a task" : "",
           n->scenes ? ", a scene" : "");
    if (n->cameras)
        printf("  cameras   %s: %d x %d pixels, RGB, as the demonstrations hold them\n",
               p->config.vision.images, p->vision.o.width, p->vision.o.height);
    printf("  gives     %d actions at once%s\n", n->K, p->chunk.W ? ", and where they lead" : "");
    if (n->coverage) printf("  future    %lld steps\n", p->config.coverage.future);
    print_labels("scenes", &p->scene_names);
    print_labels("tasks", &p->task_names);
    print_columns(p);
    print_deploy(p);
    if (l) print_latency(l, p);
}

static json_t *policy_json(const bex_policy *p, const latency *l) {
    json_t *cameras = json_array(), *state = json_array(), *action = json_array(),
           *deploy = json_object();
    char value[BEX_CONFIG_TEXT_SIZE];
    for (int j = 0; j < p->O; j++)
        json_array_append_new(state,
                              json_pack("{s:s?, s:f, s:f, s:b}", "name",
                                        p->columns.count ? p->columns.name[j] : NULL, "mean",
                                        (double)p->normaliser.mean[j], "std",
                                        (double)p->normaliser.std[j], "counts", counts(p, j)));
    char images[sizeof p->config.vision.images];
    memcpy(images, p->config.vision.images, sizeof images);
    for (char *rest = images, *name; (name = strtok_r(rest, ",", &rest));)
        json_array_append_new(cameras, json_string(name));
    for (int j = 0; j < p->A; j++)
        json_array_append_new(action, json_pack("{s:f, s:f}", "least", (double)p->normaliser.low[j],
                                                "most", (double)p->normaliser.high[j]));
    for (const bex_config_row *row = bex_deploy_rows; row->name; row++)
        if (bex_deploy_get(&p->config.deploy, row->name, value) == 0)
            json_object_set_new(deploy, row->name, json_string(value));
    json_t *j =
        json_pack("{s:s, s:I, s:i, s:i, s:o, s:o, s:o, s:i, s:o, s:[ii]}", "policy",
                  bex_model_name(&p->config.model), "parameters",
                  (json_int_t)bex_params_total(p->params), "chunk", p->chunk.K, "history",
                  p->dit.o.N, "state", state, "action", action, "deploy", deploy, "given", p->given,
                  "cameras", cameras, "image_size", p->vision.o.height, p->vision.o.width);
    if (l)
        json_object_set_new(j, "latency",
                            json_pack("{s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:i, s:f}", "plans",
                                      l->plans, "calls", l->calls, "p50", l->p50, "p99", l->p99,
                                      "max", l->max, "mean_call", l->call, "deadline", deadline,
                                      "missed", l->missed, "candidates", l->made));
    return j;
}

/* ---- a run ---- */

// the last line of metrics.csv beside its head: "step 20000, loss 1.2, held_out 1.3"
static void print_metrics(const char *run) {
    char path[BEX_PATH_SIZE], head[1024] = "", line[1024], last[1024] = "";
    if (bex_path_join(path, run, "metrics.csv") < 0) return;
    FILE *f = fopen(path, "r");
    if (!f) return;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\r\n")] = 0;
        snprintf(head[0] ? last : head, sizeof head, "%s", line);
    }
    fclose(f);
    if (!last[0]) return;
    printf("  trained   ");
    for (const char *a = head, *b = last; *a && *b; a += *a == ',', b += *b == ',') {
        int m = (int)strcspn(a, ","), n = (int)strcspn(b, ",");
        bool told = !strncmp(a, "step", 4) || !strncmp(a, "loss", 4) || !strncmp(a, "held_out", 8);
        if (told) printf("%s%.*s %.*s", a == head ? "" : ", ", m, a, n, b);
        a += m, b += n;
    }
    printf("\n");
}

static void print_key(const char *run, const char *file, const char *const *keys) {
    char path[BEX_PATH_SIZE];
    if (bex_path_join(path, run, "%s", file) < 0) return;
    json_t *j = bex_json_load(path);
    if (!j) {
        bex_error_clear();
        return;
    }
    for (; *keys; keys++) {
        const json_t *v = json_object_get(j, *keys);
        char *text = v ? json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
        if (text) printf("  %-9s %s\n", *keys, text);
        free(text);
    }
    json_decref(j);
}

static int show_policy(const char *path) {
    bex_policy *p = bex_policy_load(path);
    if (!p) return -1;
    latency l = {0};
    int code = fast ? 0 : measure(&l, p);
    if (code == 0 && json) {
        json_t *j = policy_json(p, fast ? NULL : &l);
        bex_json_print(j);
        json_decref(j);
    } else if (code == 0) {
        printf("%s\n", path);
        print_policy(p, fast ? NULL : &l);
        printf("\n");
    }
    bex_policy_free(p);
    return code;
}

static int show_run(const char *run) {
    char path[BEX_PATH_SIZE];
    static const char *const keys[] = {"command", "started", "commit", NULL};
    if (bex_checkpoint_model(path, sizeof path, run, best) < 0 || show_policy(path) < 0) return -1;
    if (json) return 0;
    print_key(run, "provenance.json", keys);
    print_metrics(run);
    printf(
        "  judge it  bex eval %s; bex explore, or bex coverage %s --states FILE in a world of yours\n",
        run, run);
    return 0;
}

/* ---- anything ---- */

static bool has(const char *folder, const char *file) {
    char path[BEX_PATH_SIZE];
    struct stat st;
    return bex_path_join(path, folder, "%s", file) == 0 && stat(path, &st) == 0;
}

static int show_recording(const char *path) {
    bex_recording r;
    int code = bex_recording_load(&r, path);
    if (code == 0)
        printf("%s\n  %d states of %d values, %d episodes, %d trial%s%s\n  how much they "
               "explore: bex coverage POLICY --states %s\n",
               path, r.rows, r.O, r.episodes, r.trials, r.trials > 1 ? "s" : "",
               r.act ? ", with actions" : "", path);
    bex_recording_fini(&r);
    return code;
}

static bool is_policy(const char *path) {
    bex_st_file *f = bex_st_load(path);
    const char *format = f ? bex_st_metadata(f, "format") : NULL;
    bool yes = !f || (format && !strncmp(format, "bex-policy", 10));
    bex_st_free(f);
    return yes;
}

static int show(const char *path, int argc, char **argv) {
    struct stat st;
    if (stat(path, &st) != 0) return bex_fail("'%s' is not there", path);
    bool folder = S_ISDIR(st.st_mode);
    if (folder && has(path, "config.ini")) return show_run(path);
    if (folder && (has(path, "model.safetensors") || has(path, "checkpoints"))) {
        char model[BEX_PATH_SIZE];
        return bex_checkpoint_model(model, sizeof model, path, best) < 0 ? -1 : show_policy(model);
    }
    if (folder && has(path, "results.json")) {
        bex_fail("'%s' is an exploration", path);
        return bex_fail_hint("bex report %s draws it, bex compare sets two side by side", path);
    }
    if (!folder && bex_is_recording(path))
        return is_policy(path) ? show_policy(path) : show_recording(path);
    return bex_cmd_data_show(argc, argv) == BEX_EXIT_OK ? 0 : -2;
}

int bex_cmd_show(int argc, char **argv) {
    const char *path = NULL;
    int n = bex_options_parse(&usage, argc, argv, &path, 1);
    if (n == BEX_OPTIONS_HELP) return BEX_EXIT_OK;
    if (n < 0) return BEX_EXIT_USAGE;
    if (n == 0) {
        bex_fail("what?");
        return bex_command_fail(&usage, BEX_EXIT_USAGE);
    }
    char *words[] = {argv[0], (char *)(uintptr_t)path, json ? "--json" : NULL, NULL};
    int code = show(path, json ? 3 : 2, words);
    return code == -1 ? bex_command_fail(&usage, BEX_EXIT_FAILED)
           : code < 0 ? BEX_EXIT_FAILED
                      : BEX_EXIT_OK;
}
