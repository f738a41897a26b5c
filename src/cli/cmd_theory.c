/* cli/cmd_theory.c - `bex theory`: the exact explorer in finite worlds beside behavioural cloning,
 * and the paper's proposition checked in every one. Numbers come from theory/proposition.c; here
 * they become text, JSON and a figure. */
#include "cli/command.h"
#include "cli/options.h"

#include "base/error.h"
#include "base/text.h"
#include "draw/figure.h"
#include "host/json.h"
#include "theory/cloned.h"
#include "theory/proposition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_P 0.05
enum { DEFAULT_WORLDS = 10000, DEFAULT_PLAYS = 1000, CURVE = 40 };

static const struct {
    const char *name;
    bex_finite_feature feature;
} features[] = {{"terminal", BEX_FEATURE_TERMINAL}, {"state", BEX_FEATURE_STATE}};

typedef struct request {
    bex_mdp *world;   // NULL: random worlds
    const char *name; // of that world
    bool two_goals;
    double p;
    const char *feature_name, *figure;
    bex_trials_setup setup;
} request;

/* ---- statistics of a result ---- */
typedef struct estimate {
    double mean, error; // standard error; 0 for a single trial
} estimate;

static estimate estimate_of(double sum, double square, double n) {
    double mean = sum / n, variance = n > 1 ? (square - sum * mean) / (n - 1) : 0;
    return (estimate){mean, sqrt(fmax(variance, 0) / n)};
}

static estimate estimate_counts(const int *v, long long n) {
    double sum = 0, square = 0;
    for (long long i = 0; i < n; i++) sum += v[i], square += (double)v[i] * v[i];
    return estimate_of(sum, square, (double)n);
}

static estimate estimate_values(const double *v, long long n) {
    double sum = 0, square = 0;
    for (long long i = 0; i < n; i++) sum += v[i];
    for (long long i = 0; i < n; i++) square += pow(v[i] - sum / (double)n, 2);
    return (estimate){sum / (double)n, n > 1 ? sqrt(square / (double)(n - 1) / (double)n) : 0};
}

static int compare_values(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// expected episodes of BC over n_beta where there is something to find, n_beta > 1; ascending
static double *slowness(const bex_trials *r, long long *count) {
    double *v = malloc((size_t)r->trials * sizeof *v);
    if (!v) return bex_fail("out of memory"), NULL;
    *count = 0;
    for (long long i = 0; i < r->trials; i++)
        if (r->n_beta[i] > 1) v[(*count)++] = r->needed_exact[i] / r->n_beta[i];
    qsort(v, (size_t)*count, sizeof *v, compare_values);
    return v;
}

static double quantile(const double *sorted, long long n, double q) {
    return n ? sorted[(long long)(q * (double)(n - 1) + 0.5)] : (double)NAN;
}

/* ---- text ---- */
static void print_violation(const request *q, const bex_trials *r) {
    printf("proposition: %lld of %lld trials violate it; the first is trial %lld, episode %d:\n",
           r->violations, r->trials, r->first_violation, r->violation_episode);
    bex_mdp *drawn = q->world ? NULL : bex_trials_world(q->setup.seed, r->first_violation);
    const bex_mdp *w = q->world ? q->world : drawn;
    if (w) {
        printf("# trial %lld of --seed %llu --features %s: read it back with bex theory FILE\n",
               r->first_violation, (unsigned long long)q->setup.seed, q->feature_name);
        bex_mdp_write(w, stdout);
    }
    bex_mdp_free(drawn);
}

static int print_worlds(const request *q, const bex_trials *r) {
    long long slow_count;
    double *slow = slowness(r, &slow_count);
    if (!slow) return -1;
    estimate n = estimate_counts(r->n_beta, r->trials);
    estimate all = estimate_counts(r->terminals, r->trials);
    estimate explored = estimate_counts(r->explored, r->trials);
    estimate seen = estimate_counts(r->seen, r->trials);
    estimate exact = estimate_values(r->seen_exact, r->trials);
    printf("%lld random worlds, seed %llu, features %s, lambda %g\n", r->trials,
           (unsigned long long)q->setup.seed, q->feature_name, q->setup.lambda);
    printf("  terminals            %.2f a world, of which beta reaches n_beta = %.2f\n", all.mean,
           n.mean);
    printf(
        "  exact explorer       %.2f distinct terminals in n_beta episodes (%.1f %% of n_beta)\n",
        explored.mean, 100 * explored.mean / n.mean);
    printf("  behavioural cloning  %.2f +- %.2f distinct terminals in n_beta episodes (%.1f %%; "
           "exact mean %.2f)\n",
           seen.mean, seen.error, 100 * seen.mean / n.mean, exact.mean);
    printf("  behavioural cloning  needs %.1f n_beta episodes to see them all in the median world, "
           "%.0f n_beta in one of ten (n_beta > 1)\n",
           quantile(slow, slow_count, 0.5), quantile(slow, slow_count, 0.9));
    free(slow);
    return 0;
}

static void print_one_world(const request *q, const bex_trials *r) {
    const bex_mdp *w = q->world;
    int n = w->n_beta;
    estimate explored = estimate_counts(r->explored, r->trials);
    estimate seen = estimate_counts(r->seen, r->trials);
    printf("%s: %d states, %d actions, horizon %d; beta reaches n_beta = %d of %d terminals\n",
           q->name, w->states, w->actions, w->horizon, n, r->terminals[0]);
    printf("  exact explorer       %.6g distinct terminals in %d episodes (mean of %lld plays)\n",
           explored.mean, n, r->trials);
    printf("  behavioural cloning  %.6g distinct terminals in %d episodes (exact; measured %.5g +- "
           "%.2g)\n",
           r->seen_exact[0], n, seen.mean, seen.error);
    printf("  behavioural cloning  %.6g episodes until all are seen (exact%s", r->needed_exact[0],
           q->two_goals ? ", 1/p + 1/(1-p) - 1" : "");
    if (r->needed) {
        estimate needed = estimate_values(r->needed, r->trials);
        printf("; measured %.5g +- %.2g)\n", needed.mean, needed.error);
    } else {
        printf("; too many to measure in %lld plays)\n", r->trials);
    }
    if (r->violations == 0)
        printf("  exact explorer       %d episodes until all are seen, in every play\n", n);
}

static int print_text(const request *q, const bex_trials *r) {
    if (q->world)
        print_one_world(q, r);
    else if (print_worlds(q, r) < 0)
        return -1;
    if (r->violations)
        print_violation(q, r);
    else
        printf("proposition: 0 violations in %lld trials\n", r->trials);
    return 0;
}

/* ---- JSON ---- */
static json_t *number(double v) {
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *curve(const long long *sums, int T, double n) {
    json_t *a = json_array();
    for (int t = 0; t <= T; t++) json_array_append_new(a, json_real((double)sums[t] / n));
    return a;
}

static json_t *json_curves(const bex_trials *r) {
    double n = (double)r->trials;
    json_t *o = json_object(), *error = json_array();
    for (int t = 0; t <= r->episodes; t++) {
        estimate e = estimate_of((double)r->cloned[t], (double)r->cloned_square[t], n);
        json_array_append_new(error, json_real(e.error));
    }
    json_object_set_new(o, "explorer", curve(r->explorer, r->episodes, n));
    json_object_set_new(o, "bc", curve(r->cloned, r->episodes, n));
    json_object_set_new(o, "bc_error", error);
    json_object_set_new(o, "ideal", curve(r->ideal, r->episodes, n));
    return o;
}

static json_t *json_cloned(const bex_trials *r, const double *slow, long long slow_count) {
    json_t *o = json_object();
    estimate seen = estimate_counts(r->seen, r->trials);
    json_object_set_new(o, "distinct", number(seen.mean));
    json_object_set_new(o, "distinct_error", number(seen.error));
    json_object_set_new(o, "distinct_exact",
                        number(estimate_values(r->seen_exact, r->trials).mean));
    json_object_set_new(o, "episodes_over_n_beta_median", number(quantile(slow, slow_count, 0.5)));
    json_object_set_new(o, "episodes_over_n_beta_90", number(quantile(slow, slow_count, 0.9)));
    if (r->needed) {
        estimate needed = estimate_values(r->needed, r->trials);
        json_object_set_new(o, "episodes", number(needed.mean));
        json_object_set_new(o, "episodes_error", number(needed.error));
    }
    return o;
}

static void json_violation(json_t *o, const request *q, const bex_trials *r) {
    bex_mdp *drawn = q->world ? NULL : bex_trials_world(q->setup.seed, r->first_violation);
    const bex_mdp *w = q->world ? q->world : drawn;
    bex_text text;
    if (w && bex_text_begin(&text) == 0) {
        bex_mdp_write(w, text.out);
        char *written = bex_text_end(&text);
        json_object_set_new(o, "first_violation",
                            json_pack("{s:I, s:i, s:s?}", "trial", (json_int_t)r->first_violation,
                                      "episode", r->violation_episode, "world", written));
        free(written);
    }
    bex_mdp_free(drawn);
}

static int print_json(const request *q, const bex_trials *r) {
    long long slow_count;
    double *slow = slowness(r, &slow_count);
    if (!slow) return -1;
    json_t *o =
        json_pack("{s:I, s:I, s:I, s:s, s:f}", "trials", (json_int_t)r->trials, "violations",
                  (json_int_t)r->violations, "seed", (json_int_t)q->setup.seed, "features",
                  q->feature_name, "lambda", q->setup.lambda);
    if (q->world) json_object_set_new(o, "world", json_string(q->name));
    if (q->two_goals) json_object_set_new(o, "p", json_real(q->p));
    if (q->world) json_object_set_new(o, "bc_episodes_exact", number(r->needed_exact[0]));
    json_object_set_new(o, "n_beta", number(estimate_counts(r->n_beta, r->trials).mean));
    json_object_set_new(o, "terminals", number(estimate_counts(r->terminals, r->trials).mean));
    json_object_set_new(o, "explorer_distinct",
                        number(estimate_counts(r->explored, r->trials).mean));
    json_object_set_new(o, "bc", json_cloned(r, slow, slow_count));
    json_object_set_new(o, "after_episodes", json_curves(r));
    if (r->violations) json_violation(o, q, r);
    bex_json_print(o);
    json_decref(o);
    free(slow);
    return 0;
}

/* ---- figure ---- */
static int draw_curves(bex_panel *p, const request *q, const bex_trials *r) {
    int T = r->episodes, count = T + 1;
    double n = (double)r->trials;
    double *v = malloc(5 * (size_t)count * sizeof *v);
    if (!v) return bex_fail("out of memory");
    double *x = v, *ideal = v + count, *explorer = ideal + count, *bc = explorer + count;
    double *error = bc + count;
    for (int t = 0; t <= T; t++) {
        estimate e = estimate_of((double)r->cloned[t], (double)r->cloned_square[t], n);
        x[t] = t, bc[t] = e.mean, error[t] = e.error;
        ideal[t] = (double)r->ideal[t] / n, explorer[t] = (double)r->explorer[t] / n;
    }
    char title[160];
    if (q->world)
        snprintf(title, sizeof title, "%.90s, %lld plays", q->name, r->trials);
    else
        snprintf(title, sizeof title, "Mean of %lld random worlds", r->trials);
    bex_panel_labels(p, title, "episodes", "distinct terminals seen");
    bex_panel_line(p, x, ideal, NULL, count,
                   &(bex_mark){.label = "ideal: a new one each episode",
                               .colour = BEX_GREY,
                               .width = 6,
                               .alpha = 0.3});
    bex_panel_line(p, x, explorer, NULL, count,
                   &(bex_mark){.label = "exact explorer", .colour = BEX_BLUE});
    bex_panel_line(
        p, x, bc, error, count,
        &(bex_mark){.label = "behavioural cloning \u00b1 s.e.", .colour = BEX_VERMILION});
    bex_panel_legend(p, BEX_LEGEND_BOTTOM_RIGHT);
    free(v);
    return 0;
}

static int draw_slowness(bex_panel *p, const bex_trials *r) {
    long long slow_count;
    double *slow = slowness(r, &slow_count);
    if (!slow) return -1;
    // one of a hundred worlds is so slow that it would flatten the rest
    double most = fmax(10, quantile(slow, slow_count, 0.99));
    bex_panel_labels(p, "Until every reachable terminal is seen", "expected episodes / n\u1d66",
                     "worlds");
    bex_panel_log(p, true, false);
    bex_panel_x_range(p, 0.8, most);
    bex_panel_histogram(p, slow, (int)slow_count, 40,
                        &(bex_mark){.label = "behavioural cloning", .colour = BEX_VERMILION});
    bex_panel_vline(p, 1, &(bex_mark){.label = "exact explorer", .colour = BEX_BLUE, .width = 2.2});
    bex_panel_legend(p, BEX_LEGEND_TOP_RIGHT);
    free(slow);
    return 0;
}

static int draw_figure(const request *q, const bex_trials *r) {
    int panels = q->world ? 1 : 2;
    bex_figure *f = bex_figure_new(1, panels, 330, 235);
    int code = draw_curves(bex_figure_panel(f, 0, 0), q, r);
    if (code == 0 && panels == 2) code = draw_slowness(bex_figure_panel(f, 0, 1), r);
    if (code == 0) code = bex_figure_save(f, q->figure);
    bex_figure_free(f);
    return code;
}

/* ---- the command ---- */
static int find_feature(request *q) {
    enum { COUNT = sizeof features / sizeof *features };
    for (int i = 0; i < COUNT; i++)
        if (!strcmp(features[i].name, q->feature_name)) {
            q->setup.feature = features[i].feature;
            return 0;
        }
    bex_fail("no features '%s'", q->feature_name);
    return bex_fail_hint("terminal or state");
}

// 1,000 plays, fewer of a world so large that they would take minutes
static long long default_plays(const bex_mdp *w) {
    double work = (double)w->n_beta * w->reachable * w->actions;
    return (long long)fmin(fmax(2, 1e9 / work), DEFAULT_PLAYS);
}

// curves as long as tells the story; BC is played to the end where that takes seconds at most
static int fit_to_world(request *q) {
    const bex_mdp *w = q->world;
    double *p = malloc((size_t)w->n_beta * sizeof *p);
    if (!p) return bex_fail("out of memory");
    int code = bex_cloned_terminals(w, p);
    double needed = bex_cloned_episodes(p, w->n_beta);
    free(p);
    double shown = fmax(4.0 * w->n_beta, fmin(1.5 * needed, 20.0 * w->n_beta));
    q->setup.episodes = (int)fmin(fmax(10, shown), 2000);
    q->setup.count_episodes = needed * (double)q->setup.trials * w->longest < 2e8;
    return code;
}

static int prepare(request *q, const char *path, long long trials) {
    static char name[64];
    if (find_feature(q) < 0) return -1;
    if (path && q->two_goals) return bex_fail("WORLD.txt and --two-goals are two requests");
    if (q->p != DEFAULT_P && !q->two_goals) return bex_fail("--p belongs to --two-goals");
    snprintf(name, sizeof name, "two goals, p = %g", q->p);
    q->name = q->two_goals ? name : path;
    bool one = path || q->two_goals;
    q->setup.trials = trials ? trials : DEFAULT_WORLDS;
    q->setup.episodes = CURVE;
    if (!one) return 0;
    q->world = path ? bex_mdp_load(path) : bex_mdp_two_goals(q->p);
    if (!q->world) return -1;
    if (!trials) q->setup.trials = default_plays(q->world);
    return fit_to_world(q);
}

int bex_cmd_theory(int argc, char **argv) {
    static long long trials = 0, seed = 1;
    static bool json;
    static request q = {.p = DEFAULT_P, .feature_name = "terminal", .setup = {.lambda = 0.01}};
    static const bex_option options[] = {
        {"trials", BEX_OPTION_INTEGER, &trials, "N",
         "random worlds, or plays of the one world; 0: 10,000 worlds, up to 1,000 plays", 0, 1e6},
        {"seed", BEX_OPTION_INTEGER, &seed, "S", "of worlds and plays", 0, 9e15},
        {"two-goals", BEX_OPTION_FLAG, &q.two_goals, NULL, "the paper's two-goal example", 0, 0},
        {"p", BEX_OPTION_NUMBER, &q.p, "P", "how often its second goal is demonstrated", 1e-6,
         1 - 1e-6},
        {"features", BEX_OPTION_TEXT, &q.feature_name, "NAME",
         "terminal: the proposition's; state: e_s everywhere, where it may fail", 0, 0},
        {"lambda", BEX_OPTION_NUMBER, &q.setup.lambda, "L", "regularisation of coverage", 1e-6,
         1e6},
        {"figure", BEX_OPTION_TEXT, &q.figure, "PATHS", "draw to a.svg,b.png,c.pdf", 0, 0},
        {"json", BEX_OPTION_FLAG, &json, NULL, "print the numbers and curves as JSON", 0, 0},
    };
    static const bex_usage usage = {
        .command = "theory",
        .synopsis = "[WORLD.txt | --two-goals] [options]",
        .about =
            "Play the exact explorer, P_beta[a | s, h, cov(h u tau) = max], in finite deterministic\n"
            "worlds beside behavioural cloning, and check the paper's proposition: n_beta distinct\n"
            "terminals in n_beta episodes. A violation prints its world; the exit code is then 1.\n"
            "docs/theory.md explains it, and the format of WORLD.txt.",
        .example = "bex theory --trials 10000 --figure theory.svg,theory.png\n"
                   "bex theory --two-goals --p 0.05\n"
                   "bex theory examples/worlds/corridors.txt --json",
        .options = options,
        .count = sizeof options / sizeof *options,
    };
    const char *path[1] = {NULL};
    int given = bex_options_parse(&usage, argc, argv, path, 1);
    if (given == BEX_OPTIONS_HELP) return BEX_EXIT_OK;
    if (given < 0) return BEX_EXIT_USAGE;
    q.setup.seed = (uint64_t)seed;
    int code = BEX_EXIT_USAGE;
    bex_trials r = {0};
    if (prepare(&q, given ? path[0] : NULL, trials) < 0) goto done;
    code = BEX_EXIT_FAILED;
    if (bex_trials_run(&r, &q.setup, q.world) < 0) goto done;
    if ((json ? print_json(&q, &r) : print_text(&q, &r)) < 0) goto done;
    if (q.figure && draw_figure(&q, &r) < 0) goto done;
    code = r.violations ? BEX_EXIT_FAILED : BEX_EXIT_OK;
    bex_error_clear();
done:
    if (code && *bex_error()) bex_command_fail(&usage, code);
    bex_trials_fini(&r);
    bex_mdp_free(q.world);
    return code;
}
