/* cli/cmd_explore.c - `bex explore`: trials of an agent in an environment, their coverage, on disk. */
#include "cli/attempts_summary.h"
#include "cli/command.h"
#include "cli/deploy_options.h"
#include "cli/env_options.h"
#include "cli/explore_summary.h"
#include "cli/options.h"
#include "report/attempts_figure.h"
#include "show/exploration_figures.h"

#include "agent/rl/learner_config.h"
#include "base/error.h"
#include "explore/explore.h"
#include "explore/protocol.h"
#include "explore/request.h"
#include "explore/session.h"
#include "explore/suite.h"
#include "policy/deploy.h"
#include "run/provenance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EPISODES = 12 };

static bex_option_keys env_keys;    // --env.KEY=VALUE
static bex_option_keys online_keys; // --online.KEY=VALUE
static bex_learner_config online;   // the protocol's, then those
static const char *each = "world", *scenes;
static json_t *resumed;       // suite.json of --resume; its strings are in q
static char world_keys[4096]; // those and what is short for one of them
static bex_explore_request q = {.trials = 10,
                                .save_every = 1,
                                .tell = "given",
                                .history_states = 32,
                                .choose = "best",
                                .phi = "cosine",
                                .k = 64,
                                .chunk = 8,
                                .future = 100,
                                .phi_features = 32,
                                .bandwidth = 2,
                                .bin = 0.5,
                                .lambda = 0.01};
static const bex_option options[] = {
    {"best", BEX_OPTION_FLAG, &q.best, NULL, "the run's best checkpoint, not its newest", 0, 0},
    {"retrieval", BEX_OPTION_TEXT, &q.retrieval, "FILE", "explore by looking up demonstrations", 0,
     0},
    {"agent", BEX_OPTION_TEXT, &q.agent, "NAME",
     "learn while exploring: rnd, explore (ExPLORe), hilp, supe; RUN: the skills of the last two",
     0, 0},
    {"data", BEX_OPTION_TEXT, &q.data, "FILE",
     "demonstrations that explore, hilp and supe learn from besides", 0, 0},
    {"obs-keys", BEX_OPTION_TEXT, &q.obs_keys, "KEYS",
     "observation keys of --data to join, by commas, in the world's order (data.obs_keys)", 0, 0},
    {"online", BEX_OPTION_KEYS, &online_keys, "KEY=VALUE",
     "how such an agent learns: warmup (steps, or whole: nothing is learned), updates, critics, subset, "
     "batch, bonus, label, reward, state, temperature, ..: docs/agents/rnd.md",
     0, 0},
    {"env", BEX_OPTION_TEXT, &q.env, "ENV", "where; see bex env --list", 0, 0},
    {"env", BEX_OPTION_KEYS, &env_keys, "KEY=VALUE",
     "an option of the world: bex env NAME --help lists them", 0, 0},
    {"protocol", BEX_OPTION_TEXT, &q.protocol, "NAME",
     "antmaze-medium, antmaze-large, kitchen, libero-hidden, libero-given or FILE.ini: world, length, "
     "budget, trials, history; options override it",
     0, 0},
    {"trials", BEX_OPTION_INTEGER, &q.trials, "N", "independent, each with an empty memory", 1,
     10000},
    {"episodes", BEX_OPTION_INTEGER, &q.episodes, "N",
     "of each trial, one after the other; 0: 12, or as many as --steps takes", 0, 10000},
    {"until", BEX_OPTION_FLAG, &q.until, NULL,
     "a trial ends as soon as the world's own task is done (--env.task)", 0, 0},
    {"each", BEX_OPTION_TEXT, &each, "KIND",
     "one exploration in each scene of ENV, or for each task, one after the other: scene, task", 0,
     0},
    {"scenes", BEX_OPTION_TEXT, &scenes, "LIST", "of these scenes only, by commas", 0, 0},
    {"tell", BEX_OPTION_TEXT, &q.tell, "RULE",
     "the task a policy with such an input is told: given (the world's), or anew each episode one of the "
     "scene's at random (scene), or of all it knows (any)",
     0, 0},
    {"steps", BEX_OPTION_INTEGER, &q.steps, "N",
     "budget of each trial instead: episodes until N steps are used, the last one cut", 0, 1e9},
    {"episode-length", BEX_OPTION_INTEGER, &q.episode_length, "N",
     "steps; 0: maze2d 300, kitchen 280, antmaze-medium 500, -large 750", 0, 1e6},
    {"start", BEX_OPTION_TEXT, &q.start, "ROW,COL", "cell where episodes start; else any", 0, 0},
    {"splits", BEX_OPTION_INTEGER, &q.splits, "N",
     "a cell counts as N x N regions; 0: maze2d 2, antmaze 1", 0, 16},
    {"save-history", BEX_OPTION_TEXT, &q.save_history, "FILE",
     "the first trial's memory, for --history file:FILE", 0, 0},
    {"history-states", BEX_OPTION_INTEGER, &q.history_states, "N", "states in a history", 1, 65536},
    {"demonstrations", BEX_OPTION_TEXT, &q.demonstrations, "FILE",
     "draw their density beside the explored", 0, 0},
    {"choose", BEX_OPTION_TEXT, &q.choose, "RULE", "the future: best, top:N or random", 0, 0},
    {"k", BEX_OPTION_INTEGER, &q.k, "N", "nearest demonstration states to choose from", 1, 100000},
    {"chunk", BEX_OPTION_INTEGER, &q.chunk, "K", "actions played before the next choice", 1, 10000},
    {"future", BEX_OPTION_INTEGER, &q.future, "F", "steps of a future", 0, 1e6},
    {"phi", BEX_OPTION_TEXT, &q.phi, "KIND", "cosine, cosine_relative, mlp or onehot", 0, 0},
    {"phi-dims", BEX_OPTION_TEXT, &q.phi_dims, "DIMS", "0,1 or all; else the position in the world",
     0, 0},
    {"phi-features", BEX_OPTION_INTEGER, &q.phi_features, "N", "features", 1, 128},
    {"phi-raw", BEX_OPTION_FLAG, &q.phi_raw, NULL, "phi of raw states, not standardised", 0, 0},
    {"phi-seed", BEX_OPTION_INTEGER, &q.phi_seed, "N", "another phi of the kind", 0, 9e15},
    {"bandwidth", BEX_OPTION_NUMBER, &q.bandwidth, "X", "of cosines: larger, finer", 1e-6, 1e6},
    {"bin", BEX_OPTION_NUMBER, &q.bin, "X", "side of an onehot cell", 1e-6, 1e6},
    {"lambda", BEX_OPTION_NUMBER, &q.lambda, "X", "of the coverage", 1e-12, 1e6},
    {"maze", BEX_OPTION_TEXT, &q.maze, "FILE", "text grid, for ENV maze2d or antmaze", 0, 0},
    {"seed", BEX_OPTION_INTEGER, &q.seed, "N", "same seed, same trials, on any number of cores", 0,
     9e15},
    {"out", BEX_OPTION_TEXT, &q.out, "DIR",
     "results.json, trajectories.hdf5, figures; else only a summary", 0, 0},
    {"save-every", BEX_OPTION_NUMBER, &q.save_every, "S",
     "keep episodes that ended, in DIR, no more often than every S seconds", 0, 1e6},
    {"resume", BEX_OPTION_TEXT, &q.resume, "DIR",
     "go on with the exploration that was stopped in DIR; takes no other option but --json, --force",
     0, 0},
    {"force", BEX_OPTION_FLAG, &q.force, NULL,
     "replace results in DIR, and the file of --save-history", 0, 0},
    {"json", BEX_OPTION_FLAG, &q.json, NULL, "print results.json instead of a summary", 0, 0},
};
static const bex_usage usage = {
    .command = "explore",
    .synopsis = "RUN|--agent NAME|--retrieval FILE --env ENV|--protocol NAME [options]",
    .about =
        "Let an agent explore: trials of several episodes, the states of past episodes being\n"
        "its history, and count the regions it visits. RUN is a trained policy: a run directory, a\n"
        "checkpoint or a model.safetensors. --retrieval needs no training: of\n"
        "the k demonstrated states nearest to the present one it follows the future that\n"
        "covers most together with the history. --choose random is behaviour cloning.\n"
        "--agent learns by reinforcement while it explores; each trial is a learner.\n"
        "--protocol is the paper's way to compare agents in a world: docs/protocols.md. With --out,\n"
        "episodes are kept as they end; Ctrl-C saves and prints how to go on.",
    .example = "bex explore runs/be --protocol antmaze-medium --exp q:0.95 --out explored\n"
               "bex explore --resume explored\n"
               "bex explore --agent rnd --protocol antmaze-medium --trials 8 --out explored\n"
               "bex explore runs/skills --agent supe --data demos.hdf5 --protocol antmaze-medium "
               "--out explored\n"
               "bex explore runs/be --env maze2d-medium --start 3,3 --exp q:0.95 --out explored\n"
               "bex explore --retrieval demos.hdf5 --env maze2d-medium --start 3,3 --trials 10 "
               "--episodes 3 --out explored\n"
               "bex explore --retrieval demos.hdf5 --env maze2d-medium --start 3,3 --choose "
               "random --history first",
    .options = options,
    .count = sizeof options / sizeof *options,
    .settings = bex_deploy_sections,
};

/* ---- the command ---- */

// the protocol's values where the command line has none: parsed again, they give way to it
static int apply_protocol(const bex_protocol *p, bex_deploy_options *deploy, int argc,
                          char **argv) {
    long long steps = q.steps, episodes = q.episodes; // as given
    q.env = p->env;
    if (p->maze[0]) q.maze = p->maze;
    if (p->start[0]) q.start = p->start;
    q.until = p->until, q.tell = p->tell, each = bex_each_names[p->each];
    q.trials = p->trials, q.episode_length = p->episode_length, q.splits = p->splits;
    q.steps = p->steps, q.episodes = p->episodes;
    if (bex_options_parse(&usage, argc, argv, &q.run, 1) < 0) return BEX_EXIT_USAGE;
    if (steps) q.episodes = 0;
    if (episodes) q.steps = 0;
    if (bex_deploy_options_default(deploy, "history", p->history) < 0)
        return bex_command_fail(&usage, BEX_EXIT_USAGE);
    return BEX_EXIT_OK;
}

// how an agent learns: the protocol's word, then the command line's
static int apply_online(const bex_protocol *p) {
    char line[sizeof online_keys.lines + 16];
    bex_config_defaults(&bex_learner_schema, &online);
    if (p) online = p->online;
    q.online = &online;
    for (const char *at = online_keys.lines; *at; at += strcspn(at, "\n") + 1) {
        snprintf(line, sizeof line, "online.%.*s", (int)strcspn(at, "\n"), at);
        if (bex_config_set(&bex_learner_schema, &online, line) < 0) return -1;
    }
    return 0;
}

// argv into q; an exit code, BEX_OPTIONS_HELP if help is all that was wanted
static int read_words(bex_protocol *p, bex_deploy_options *deploy, int argc, char **argv) {
    if (bex_deploy_options_take(deploy, &argc, argv) < 0)
        return bex_command_fail(&usage, BEX_EXIT_USAGE);
    int n = bex_options_parse(&usage, argc, argv, &q.run, 1);
    if (n < 0) return n == BEX_OPTIONS_HELP ? n : BEX_EXIT_USAGE;
    if (q.steps && q.episodes) {
        bex_fail("--steps and --episodes: a trial ends after the one or the other");
        return bex_command_fail(&usage, BEX_EXIT_USAGE);
    }
    if (q.protocol) {
        if (bex_protocol_load(p, q.protocol) < 0) return bex_command_fail(&usage, BEX_EXIT_USAGE);
        int code = apply_protocol(p, deploy, argc, argv);
        if (code != BEX_EXIT_OK) return code;
    }
    if (!q.steps && !q.episodes) q.episodes = EPISODES;
    bex_env_flags flags = {q.maze, q.start, q.splits, q.episode_length, env_keys};
    if (bex_env_flags_keys(world_keys, sizeof world_keys, &flags, q.protocol ? p->keys : NULL) < 0)
        return bex_command_fail(&usage, BEX_EXIT_USAGE);
    q.env_keys = world_keys;
    if (apply_online(q.protocol ? p : NULL) < 0) return bex_command_fail(&usage, BEX_EXIT_USAGE);
    q.deploy = (const char *const *)deploy->text;
    q.deploy_count = deploy->count;
    return BEX_EXIT_OK;
}

// the same with a list of words that stays as it is
static int read_command(bex_protocol *p, bex_deploy_options *deploy, int argc, char **argv) {
    char **words = calloc((size_t)argc + 1, sizeof *words);
    if (!words) return bex_fail("out of memory"), bex_command_fail(&usage, BEX_EXIT_FAILED);
    memcpy(words, argv, (size_t)argc * sizeof *words);
    bex_deploy_options_fini(deploy);
    int code = read_words(p, deploy, argc, words);
    free(words);
    return code;
}

// --resume DIR [--json] [--force] and nothing else
static int check_alone(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--resume"))
            i++;
        else if (strncmp(argv[i], "--resume=", 9) != 0 && strcmp(argv[i], "--json") != 0 &&
                 strcmp(argv[i], "--force") != 0)
            return bex_fail("--resume goes on with the options it began with: no '%s'", argv[i]);
    }
    return 0;
}

static int find_each(void) {
    for (int i = 0; bex_each_names[i]; i++)
        if (!strcmp(each, bex_each_names[i])) return i;
    return bex_fail("--each '%s': world, scene or task", each);
}

// the command that began the exploration in q.resume takes the place of this one; *again: its words, the
// caller's
static int read_again(bex_explore_session *s, bex_protocol *p, bex_deploy_options *deploy,
                      const bex_explore_request *initial, char ***again) {
    const char *folder = q.resume;
    bool json = q.json, force = q.force, suite = bex_suite_exists(folder);
    if (suite ? !(resumed = bex_suite_request(folder)) : bex_explore_session_find(s, folder) < 0)
        return bex_command_fail(&usage, BEX_EXIT_FAILED);
    const json_t *request = suite ? resumed : bex_explore_store_request(s->store);
    *again = s->argv = bex_explore_request_arguments(request, &s->argc);
    if (!*again) {
        bex_fail_in("%s", suite ? folder : s->store_path);
        return bex_command_fail(&usage, BEX_EXIT_FAILED);
    }
    q = *initial;
    int code = read_command(p, deploy, s->argc, s->argv);
    q.out = q.resume = folder;
    q.json = q.json || json;
    q.force = force; // a directory may come from a stranger
    q.model = json_string_value(json_object_get(json_object_get(request, "settings"), "model"));
    if (q.model && !*q.model) q.model = NULL; // a suite that was stopped before its first world
    s->command = json_string_value(json_object_get(request, "command"));
    const char *began = json_string_value(json_object_get(request, "started"));
    if (began) s->started = began; // older ones do not say
    return code;
}

/* ---- the exploration ---- */

static int finish(bex_explore_session *s) {
    char who[200];
    const char *rule = bex_explore_history(s->source, s->state);
    const char *label = json_string_value(json_object_get(s->agent, "label"));
    if (label)
        snprintf(who, sizeof who, "%s", label);
    else
        snprintf(who, sizeof who, "%s, %.150s history", s->source->name, rule);
    if (bex_explore_session_judge(s) < 0 || bex_explore_session_save(s) < 0) return -1;
    if (q.out && bex_explore_draw(&s->explored, &s->summary, who, q.out) < 0) return -1;
    if (bex_explore_session_finish(s) < 0) return -1;
    if (q.json) return bex_json_print(s->results), 0;
    bex_explore_print(&s->summary, who);
    if (q.out) printf("%s\n", q.out);
    return 0;
}

// one line a world
static void told(const bex_suite *s, int i, const bex_exploration_summary *e) {
    if (q.json) return;
    const bex_world_label *m = &s->member[i];
    bool task = s->each == BEX_EACH_TASK;
    printf("  %3d of %d  %s%s%s: %lld trials, %.0f %% of the scene's tasks in a trial\n", i + 1,
           s->members, m->scene, task ? ", " : "", task ? m->task : "", e->trials,
           100 * e->final_goals.mean);
    fflush(stdout);
}

static int finish_suite(const bex_suite *s) {
    char folder[BEX_PATH_SIZE];
    if (bex_path_print(folder, "%s", q.out) < 0) return -1;
    const bex_attempts_series one = {.label = NULL, .attempts = &s->attempts};
    if (bex_attempts_draw(&one, 1, folder) < 0) return -1;
    if (q.json) return bex_json_print(s->results), 0;
    bex_attempts_print(&s->attempts);
    printf("%s\n", q.out);
    return 0;
}

static int explore_each(const bex_explore_session *s, int kind) {
    bex_suite suite = {.q = &q,
                       .each = (bex_each)kind,
                       .scenes = scenes,
                       .command = s->command,
                       .started = s->started,
                       .argc = s->argc,
                       .argv = s->argv,
                       .again = q.resume,
                       .told = told};
    int code = bex_suite_open(&suite);
    if (code == 0) code = bex_suite_play(&suite);
    if (code == 0) code = finish_suite(&suite);
    bex_suite_fini(&suite);
    return code;
}

static int explore(bex_explore_session *s) {
    int kind = find_each();
    if (kind < 0) return BEX_EXIT_USAGE;
    if (kind) {
        int code = explore_each(s, kind);
        if (code < 0) return bex_error_is_misuse() ? BEX_EXIT_USAGE : BEX_EXIT_FAILED;
        if (code == BEX_EXPLORE_STOPPED)
            printf("stopped and saved; go on with: bex explore --resume %s\n", q.out);
        return BEX_EXIT_OK;
    }
    int code = bex_explore_session_open(s);
    if (code == 0) code = bex_explore_session_play(s);
    if (code == 0) code = finish(s);
    if (code < 0) return bex_error_is_misuse() ? BEX_EXIT_USAGE : BEX_EXIT_FAILED;
    if (code == BEX_EXPLORE_STOPPED)
        printf("stopped and saved; go on with: bex explore --resume %s\n", q.out);
    return BEX_EXIT_OK;
}

int bex_cmd_explore(int argc, char **argv) {
    const bex_explore_request initial = q;
    bex_protocol protocol;
    bex_deploy_options deploy = {0};
    char *command = bex_command_line(argc, argv), now[BEX_TIME_SIZE], **again = NULL;
    bex_explore_session s = {
        .q = &q, .command = command, .started = bex_time_now(now), .argc = argc, .argv = argv};
    int code = read_command(&protocol, &deploy, argc, argv);
    if (code == BEX_EXIT_OK && q.resume)
        code = check_alone(argc, argv) < 0 ? bex_command_fail(&usage, BEX_EXIT_USAGE)
                                           : read_again(&s, &protocol, &deploy, &initial, &again);
    if (code == BEX_EXIT_OK) {
        code = explore(&s);
        if (code != BEX_EXIT_OK) bex_command_fail(&usage, code);
    }
    bex_explore_session_fini(&s);
    bex_deploy_options_fini(&deploy);
    free((void *)again);
    json_decref(resumed);
    free(command);
    return code == BEX_OPTIONS_HELP ? BEX_EXIT_OK : code;
}
