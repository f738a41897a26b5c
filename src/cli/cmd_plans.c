/* cli/cmd_plans.c - `bex plans`: the futures an exploration chose from, its recorded states given to its
 * policy again. */
#include "cli/command.h"
#include "cli/deploy_options.h"
#include "cli/env_options.h"
#include "cli/options.h"
#include "show/world_picture.h"

#include "agent/actors/policy_actor.h"
#include "base/error.h"
#include "base/number.h"
#include "base/path.h"
#include "explore/explore.h"
#include "explore/fit.h"
#include "explore/plans.h"
#include "policy/deploy.h"
#include "run/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *policy_path, *maze, *picture, *out;
enum { PANELS_MOST = 8 };
static long long trials, episode = 2, panels_most = PANELS_MOST;
static bool json;

static const bex_option options[] = {
    {"trials", BEX_OPTION_INTEGER, &trials, "N", "of the first N trials; 0: all", 0, 10000},
    {"picture", BEX_OPTION_TEXT, &picture, "FILE",
     "the choices of one episode over the map, evenly spaced: .png, .svg or .pdf", 0, 0},
    {"panels", BEX_OPTION_INTEGER, &panels_most, "N", "choices in it, at most", 1, PANELS_MOST},
    {"episode", BEX_OPTION_INTEGER, &episode, "N", "of the first trial, for --picture; from 1", 1,
     1e6},
    {"out", BEX_OPTION_TEXT, &out, "FILE",
     "an HDF5 file of all choices: states, proposals, coverages", 0, 0},
    {"policy", BEX_OPTION_TEXT, &policy_path, "RUN", "where it lies, if it was moved", 0, 0},
    {"maze", BEX_OPTION_TEXT, &maze, "FILE", "the text grid of ENV maze2d or antmaze", 0, 0},
    {"json", BEX_OPTION_FLAG, &json, NULL, "print the summary as JSON", 0, 0},
};
static const bex_usage usage = {
    .command = "plans",
    .synopsis = "DIR [options]",
    .about =
        "What a policy that chooses among candidates chose from in the exploration in DIR (bex explore\n"
        "--out DIR). Nothing is simulated: the recorded states are given to the policy again, which\n"
        "then plans as it did. Shown: how many candidates are supported by demonstrations (few of their\n"
        "waypoints are far from every demonstrated state), how far they differ, how much of the chosen\n"
        "one was executed; and, with each choice made once more as if no earlier episode were known,\n"
        "what the past is worth to it. Takes as long as exploring.",
    .example = "bex plans explored\n"
               "bex plans explored --trials 1 --episode 3 --panels 4 --picture futures.png\n"
               "bex plans explored --out plans.hdf5 --json",
    .options = options,
    .count = sizeof options / sizeof *options,
    .settings = bex_deploy_sections,
};

enum { KEYS = 4096 };

typedef struct session {
    const char *folder;
    json_t *results;
    bex_policy *policy;
    bex_world *world;
    bex_told told;
    bex_trajectories rows;
    bex_actor **actors; // (trials)
    int trials, candidates;
    bex_plans plans;
    bex_plans_summary summary;
} session;

static int open_exploration(session *s) {
    char path[BEX_PATH_SIZE];
    if (bex_path_join(path, s->folder, "results.json") < 0) return -1;
    if (!(s->results = bex_json_load(path)))
        return bex_fail_hint("plans are of an exploration: bex explore RUN --out DIR makes one");
    if (bex_path_join(path, s->folder, "trajectories.hdf5") < 0) return -1;
    if (bex_trajectories_load(&s->rows, path) < 0) return -1;
    s->trials = trials && trials < s->rows.trials ? (int)trials : s->rows.trials;
    return 0;
}

static int open_world(session *s) {
    const json_t *env = json_object_get(s->results, "environment");
    const char *name = json_string_value(json_object_get(env, "name"));
    const bex_env_class *class = name ? bex_env_class_named(name) : NULL;
    bex_env_flags flags = {.maze = maze};
    char asked[KEYS], keys[KEYS];
    if (!name) return bex_fail("'%s/results.json' does not tell its environment", s->folder);
    if (bex_env_flags_keys(asked, sizeof asked, &flags, NULL) < 0 ||
        (class && bex_fit_keys(keys, sizeof keys, s->policy, class, asked) < 0) ||
        bex_world_open(&s->world, name,
                       &(bex_world_options){.explore = true, .keys = class ? keys : asked}) < 0)
        return -1;
    if (s->world->spec.state == s->rows.O && s->world->A == s->rows.A) return 0;
    return bex_fail("%d observation and %d action values are recorded, %s has %d and %d", s->rows.O,
                    s->rows.A, name, s->world->spec.state, s->world->A);
}

static int open_policy(session *s) {
    const json_t *agent = json_object_get(s->results, "agent");
    const char *run = json_string_value(json_object_get(agent, "run"));
    char path[BEX_PATH_SIZE];
    if (!run) return bex_fail("'%s' was not explored by a trained policy", s->folder);
    if (policy_path) run = policy_path;
    if (bex_checkpoint_model(path, sizeof path, run, false) < 0 ||
        !(s->policy = bex_policy_load(path))) {
        bex_fail_in("the policy of '%s'", s->folder);
        return policy_path ? -1 : bex_fail_hint("--policy tells where it is now");
    }
    return 0;
}

// how it acted: as text; older ones have a number or text for each setting
static int read_settings(bex_deploy_config *d, const json_t *agent) {
    const char *text = json_string_value(json_object_get(agent, "deploy"));
    if (text) return bex_config_parse(&bex_deploy_schema, d, text, strlen(text), "agent.deploy");
    for (const bex_config_row *row = bex_deploy_rows; row->name; row++) {
        const char *old = row->was ? strchr(row->was, '.') + 1 : row->name;
        const json_t *value = json_object_get(agent, old);
        char number[BEX_NUMBER_SIZE];
        if (!value) continue;
        const char *given = json_is_string(value)
                                ? json_string_value(value)
                                : bex_number_format(number, json_number_value(value));
        if (bex_deploy_set(d, row->name, given) < 0) return bex_fail_in("agent");
    }
    return 0;
}

// actors as the exploration made them
static int make_actors(session *s, const bex_deploy_options *asked) {
    bex_deploy_config d = s->policy->config.deploy;
    d.farthest = BEX_FARTHEST; // as explorations are made: explore/source_policy.c
    if (read_settings(&d, json_object_get(s->results, "agent")) < 0)
        return bex_fail_in("%s/results.json", s->folder);
    if (bex_deploy_apply(&d, (const char *const *)asked->text, asked->count) < 0) return -1;
    const char *told =
        json_string_value(json_object_get(json_object_get(s->results, "agent"), "told"));
    if (bex_told_init(&s->told, s->policy, s->world, told ? told : "given") < 0) return -1;
    s->candidates = (int)d.candidates;
    s->actors = calloc((size_t)s->trials, sizeof(bex_actor *));
    if (!s->actors) return bex_fail("out of memory");
    uint64_t seed = (uint64_t)json_integer_value(json_object_get(s->results, "seed"));
    for (int i = 0; i < s->trials; i++) {
        s->actors[i] = bex_policy_actor_new(s->policy, &d, &s->told, bex_explore_stream(seed, i));
        if (!s->actors[i]) return -1;
    }
    return 0;
}

static int plan(session *s) {
    long long rows = 0;
    for (int k = 0; k < s->rows.episodes; k++)
        if (s->rows.trial[k] < s->trials) rows += s->rows.start[k + 1] - s->rows.start[k];
    bex_progress p;
    bex_progress_start(&p, stderr, "plans", rows);
    bex_plans_options o = {.policy = s->policy,
                           .actors = s->actors,
                           .rows = &s->rows,
                           .trials = s->trials,
                           .candidates = s->candidates,
                           .progress = &p};
    if (bex_plans_run(&s->plans, &o) < 0) return -1;
    bex_progress_finish(&p);
    return bex_plans_summarise(&s->summary, &s->plans, &s->rows, s->world);
}

// some choices of the episode, evenly spaced
static int draw(const session *s) {
    const bex_plans *p = &s->plans;
    const bex_plans_trial *t = &p->trial[0];
    bex_futures shown[PANELS_MOST];
    int first = 0, n = 0, k = (int)episode - 1;
    while (first < t->count && t->episode[first] < k) first++;
    while (first + n < t->count && t->episode[first + n] == k) n++;
    if (n == 0) return bex_fail("the first trial has no choice in an episode %lld", episode);
    int panels = n < (int)panels_most ? n : (int)panels_most;
    for (int i = 0; i < panels; i++) {
        int c = first + i * n / panels;
        size_t row = (size_t)(s->rows.start[k] + t->step[c]), proposals = (size_t)c * (size_t)p->n;
        shown[i] = (bex_futures){.n = p->n,
                                 .K = p->K,
                                 .W = p->W,
                                 .places = t->places + proposals * (size_t)(p->K * p->W),
                                 .dims = s->policy->chunk.dim,
                                 .possible = t->possible + proposals,
                                 .chosen = t->chosen[c],
                                 .blind = t->blind[c],
                                 .obs = s->rows.obs + row * (size_t)s->rows.O,
                                 .rows = t->length[c] + 1,
                                 .stride = s->rows.O};
        snprintf(shown[i].title, sizeof shown[i].title, "step %d", t->step[c]);
    }
    char title[120];
    snprintf(title, sizeof title, "Episode %lld: %d futures proposed at a choice", episode, p->n);
    return bex_world_futures(s->world, shown, panels, title, picture);
}

static void print_ends(const bex_plans_ends *e, const char *text) {
    printf("  %-34s %7.3f   %10.3f   %17.3f\n", text, e->nowhere, e->fresh, e->known);
}

static void print_summary(const session *s) {
    const bex_plans_summary *p = &s->summary;
    printf("%lld choices among %d futures, trials of %s: %d\n", p->choices, p->proposals,
           s->world->name, s->trials);
    printf("  actions as recorded    %.3f%s\n", p->actions_as_recorded,
           p->actions_as_recorded < 1 ? "  another policy or build made some of them" : "");
    printf(
        "  possible               %.3f  of the candidates: at most a tenth of the waypoints unsupported\n",
        p->possible);
    printf("  ends apart             %.3g  of possible ones, from their mean; the world's units\n",
           p->apart);
    printf("  planned, made, missed  %.3g, %.3g, %.3g  until the next choice\n", p->planned,
           p->made, p->missed);
    printf("  coverage               %.3g chosen; possible ones %.3g, standard deviation %.3g\n",
           p->coverage.chosen, p->coverage.mean, p->coverage.spread);
    if (!p->later.choices) return;
    printf("after a trial's first episode, as if no earlier episode were known:\n");
    printf("  the same choice        %.3f\n", p->later.same_choice);
    printf("  coverages correlate    %.3f  with those of the past, over possible ones\n",
           p->later.alike);
    printf("  ends of futures                    nowhere   new region   share of episodes\n");
    print_ends(&p->later.chosen, "chosen");
    print_ends(&p->later.blind, "chosen without the past");
    print_ends(&p->later.mean, "possible");
    print_ends(&p->later.newest, "the newest of the possible");
}

static int print_json(const bex_plans_summary *summary) {
    json_t *j = bex_plans_summary_json(summary);
    if (!j) return -1;
    bex_json_print(j);
    json_decref(j);
    return 0;
}

static int finish(session *s) {
    if (out && bex_plans_save(&s->plans, out) < 0) return -1;
    if (picture && draw(s) < 0) return -1;
    if (json) return print_json(&s->summary);
    print_summary(s);
    return 0;
}

static void session_fini(session *s) {
    bex_plans_fini(&s->plans);
    for (int i = 0; s->actors && i < s->trials; i++)
        if (s->actors[i]) s->actors[i]->class->free(s->actors[i]);
    free(s->actors);
    bex_trajectories_fini(&s->rows);
    bex_policy_free(s->policy);
    bex_told_fini(&s->told);
    bex_world_close(s->world);
    json_decref(s->results);
}

int bex_cmd_plans(int argc, char **argv) {
    session s = {0};
    bex_deploy_options asked;
    if (bex_deploy_options_take(&asked, &argc, argv) < 0)
        return bex_command_fail(&usage, BEX_EXIT_USAGE);
    int n = bex_options_parse(&usage, argc, argv, &s.folder, 1);
    if (n < 0) return n == BEX_OPTIONS_HELP ? BEX_EXIT_OK : BEX_EXIT_USAGE;
    if (n == 0) {
        bex_fail("which exploration?");
        return bex_command_fail(&usage, BEX_EXIT_USAGE);
    }
    int code = open_exploration(&s);
    if (!code) code = open_policy(&s);
    if (!code) code = open_world(&s);
    if (!code) code = make_actors(&s, &asked);
    if (!code) code = plan(&s);
    if (!code) code = finish(&s);
    session_fini(&s);
    bex_deploy_options_fini(&asked);
    return code ? bex_command_fail(&usage, BEX_EXIT_FAILED) : BEX_EXIT_OK;
}
