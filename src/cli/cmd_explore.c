/* cli/cmd_explore.c - `bex explore`: trials of an agent in an environment, their coverage, on disk. */
#include "cli/command.h"
#include "cli/env_options.h"
#include "cli/explore_summary.h"
#include "cli/options.h"
#include "explore/protocol.h"
#include "explore/request.h"
#include "explore/source.h"
#include "show/exploration_figures.h"

#include "base/error.h"
#include "base/utf8.h"
#include "data/load.h"
#include "explore/explore.h"
#include "explore/results.h"
#include "explore/trajectories.h"
#include "host/interrupt.h"
#include "run/provenance.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// who can act
static const bex_explore_source *const sources[] = {&bex_explore_policy, &bex_explore_retrieval};
enum { SOURCES = sizeof sources / sizeof *sources, EPISODES = 12 };

typedef struct session {
    const bex_explore_request *q;
    const bex_explore_source *source;
    const char *command;      // as typed, at first
    const char *started;      // then
    int argc;                 // the same, in words
    char **argv, **again;     // again: read from the store, owned
    bex_explore_store *store; // of --out; NULL: nothing is kept
    char store_path[1100];
    bex_world *world;
    void *state;
    bex_memory_options history;
    bex_memory *segment; // of a file: rule, for the overlap
    bex_actor **actors;  // (trials)
    bex_explored explored;
    bex_dataset *demonstrations; // to draw beside it; NULL: none
    json_t *agent, *results;
} session;

static bex_option_keys env_keys; // --env.KEY=VALUE

static int open_world(session *s) {
    const bex_explore_request *q = s->q;
    bex_env_flags flags = {q->maze, q->start, q->splits, q->episode_length, env_keys};
    char keys[4096];
    bex_world_options o = {.explore = true, .keys = keys};
    if (bex_env_flags_keys(keys, sizeof keys, &flags, q->env_keys) < 0) return -1;
    return bex_world_open(&s->world, q->env, &o);
}

static int check_request(session *s) {
    const bex_explore_request *q = s->q;
    for (int i = 0; i < SOURCES && !s->source; i++)
        if (sources[i]->wanted(q)) s->source = sources[i];
    if (!s->source) return bex_fail("who explores? (RUN, or --retrieval FILE)");
    if (q->run && q->retrieval) return bex_fail("either RUN or --retrieval, not both");
    if (!q->env)
        return bex_fail(
            "in which environment? (--env maze2d-medium, or --protocol; bex env --list)");
    s->history.H = (int)q->history_states;
    return bex_memory_parse(&s->history.kind, &s->history.file, q->history);
}

// the directory, with nothing in it that would be overwritten
static int prepare_out(const session *s) {
    static const char *const files[] = {"results.json", "trajectories.hdf5"};
    const bex_explore_request *q = s->q;
    if (mkdir(q->out, 0777) < 0 && errno != EEXIST)
        return bex_fail("cannot make '%s': %s", q->out, strerror(errno));
    if (!q->resume && !q->force && bex_explore_store_exists(s->store_path)) {
        bex_fail("'%s' holds an unfinished exploration", q->out);
        return bex_fail_hint("bex explore --resume %s goes on, --force begins anew", q->out);
    }
    for (int i = 0; i < 2; i++) {
        char path[1100];
        snprintf(path, sizeof path, "%s/%s", q->out, files[i]);
        if (access(path, F_OK) != 0) continue;
        if (!q->force && !q->resume) {
            bex_fail("'%s' exists", path);
            return bex_fail_hint("--force replaces it");
        }
        if (unlink(path) < 0) return bex_fail("cannot replace '%s': %s", path, strerror(errno));
    }
    return 0;
}

// where episodes are kept as they end; going on, what decides them must be what it was
static int open_store(session *s) {
    const bex_explore_request *q = s->q;
    if (!q->out) return 0;
    json_t *settings = bex_explore_settings(q, s->world, s->agent, s->source->file(s->state));
    if (!settings) return -1;
    if (s->store) {
        int code = bex_explore_request_check(bex_explore_store_request(s->store), settings);
        json_decref(settings);
        return code < 0 ? bex_fail_in("%s", q->out) : prepare_out(s);
    }
    json_t *request = bex_explore_request_new(s->command, s->started, s->argc, s->argv, settings);
    if (request && prepare_out(s) == 0) s->store = bex_explore_store_new(s->store_path, request);
    json_decref(request);
    return s->store ? 0 : -1;
}

static int load_demonstrations(session *s) {
    bex_load_options o = BEX_LOAD_INIT;
    if (!s->q->demonstrations) return 0;
    s->demonstrations = bex_dataset_load(s->q->demonstrations, &o);
    if (!s->demonstrations) return -1;
    if (s->demonstrations->O == s->world->O) return 0;
    return bex_fail("'%s' has %d observation columns, %s has %d", s->q->demonstrations,
                    s->demonstrations->O, s->world->name, s->world->O);
}

static int make_actors(session *s) {
    s->actors = calloc((size_t)s->q->trials, sizeof *s->actors);
    if (!s->actors) return bex_fail("out of memory");
    for (int i = 0; i < (int)s->q->trials; i++) {
        bex_rng rng = bex_explore_stream((uint64_t)s->q->seed, i);
        s->actors[i] = s->source->actor(s->state, &s->history, rng);
        if (!s->actors[i]) return -1;
    }
    if (s->history.kind != BEX_MEMORY_FILE) return 0;
    bex_memory_options o = s->history;
    o.O = s->world->O;
    s->segment = bex_memory_new(&o);
    return s->segment ? 0 : -1;
}

// 0, BEX_EXPLORE_STOPPED, or negative
static int play(session *s) {
    const bex_explore_request *q = s->q;
    bex_progress p;
    bex_progress_start(&p, stderr, "explore",
                       q->trials * (q->steps ? q->steps : q->episodes * s->world->time_limit));
    bex_explore_options o = {.world = s->world,
                             .actors = s->actors,
                             .trials = (int)q->trials,
                             .episodes = (int)q->episodes,
                             .steps = (int)q->steps,
                             .seed = (uint64_t)q->seed,
                             .progress = &p,
                             .store = s->store,
                             .save_seconds = q->save_every,
                             .stop = s->store ? bex_interrupted : NULL};
    if (s->store) bex_interrupt_begin();
    int code = bex_explore(&s->explored, &o);
    if (s->store) bex_interrupt_end();
    if (code >= 0) bex_progress_finish(&p);
    return code;
}

static int judge(session *s) {
    const bex_explore_request *q = s->q;
    bex_explore_about about = {
        .command = s->command, .started = s->started, .seed = q->seed, .agent = s->agent};
    if (s->segment) {
        about.segment = bex_memory_rows(s->segment);
        about.segment_rows = (int)bex_memory_states(s->segment);
    }
    if (s->demonstrations) {
        about.demonstrations = s->demonstrations->observations;
        about.demonstration_rows = s->demonstrations->rows;
        about.demonstration_start = s->demonstrations->start;
        about.demonstration_episodes = s->demonstrations->episodes;
    }
    s->results = bex_explore_results(&s->explored, &about);
    return s->results ? 0 : -1;
}

static int write_out(const session *s) {
    char path[1100], name[80];
    const char *out = s->q->out;
    if (!out) return 0;
    snprintf(name, sizeof name, "%s, %.40s history", s->source->name, s->q->history);
    snprintf(path, sizeof path, "%s/trajectories.hdf5", out);
    if (bex_trajectories_save(&s->explored, s->command, path) < 0) return -1;
    if (bex_explore_draw(&s->explored, s->results, name, out) < 0) return -1;
    snprintf(path, sizeof path, "%s/results.json", out);
    return bex_json_save(s->results, path);
}

static void print_summary(const session *s) {
    char who[200];
    snprintf(who, sizeof who, "%s, %.150s history", s->source->name, s->q->history);
    bex_explore_print(&s->explored, s->results, who);
    if (s->q->out) printf("%s\n", s->q->out);
}

static int finish(session *s) {
    if (judge(s) < 0 || write_out(s) < 0) return BEX_EXIT_FAILED;
    if (s->q->save_history) {
        bex_memory *memory = s->source->memory(s->actors[0]);
        if (!memory) return bex_fail("--save-history: this policy has no history"), BEX_EXIT_FAILED;
        if (bex_memory_save(memory, s->q->save_history) < 0) return BEX_EXIT_FAILED;
    }
    if (s->store && bex_explore_store_remove(s->store_path) < 0) return BEX_EXIT_FAILED;
    if (s->q->json)
        bex_json_print(s->results);
    else
        print_summary(s);
    return BEX_EXIT_OK;
}

static int explore(session *s) {
    if (check_request(s) < 0 || open_world(s) < 0) return BEX_EXIT_USAGE;
    int code = s->source->open(&s->state, s->q, s->world);
    if (code < 0) return bex_error_is_misuse() ? BEX_EXIT_USAGE : BEX_EXIT_FAILED;
    s->agent = s->source->describe(s->state, s->q);
    if (!s->agent || !bex_utf8_valid(s->command))
        return bex_fail("an option is not UTF-8"), BEX_EXIT_USAGE;
    if (make_actors(s) < 0 || load_demonstrations(s) < 0 || open_store(s) < 0)
        return BEX_EXIT_FAILED;
    code = play(s);
    if (code < 0) return BEX_EXIT_FAILED;
    if (code != BEX_EXPLORE_STOPPED) return finish(s);
    printf("stopped and saved; go on with: bex explore --resume %s\n", s->q->out);
    return BEX_EXIT_OK;
}

static void session_fini(session *s) {
    for (int i = 0; s->actors && i < (int)s->q->trials; i++)
        if (s->actors[i]) s->actors[i]->class->free(s->actors[i]);
    free(s->actors);
    bex_memory_free(s->segment);
    bex_explored_fini(&s->explored);
    bex_explore_store_free(s->store);
    free((void *)s->again);
    bex_dataset_free(s->demonstrations);
    if (s->source) s->source->close(s->state);
    bex_world_close(s->world);
    json_decref(s->agent);
    json_decref(s->results);
}

static bex_explore_request q = {.history = "uniform",
                                .guidance = -1,
                                .noise = -1,
                                .temperature = -1,
                                .trials = 10,
                                .save_every = 1,
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
    {"exp", BEX_OPTION_TEXT, &q.exp, "X",
     "how exploratory: q:0.95, z:2, raw:C; else the policy's own", 0, 0},
    {"guidance", BEX_OPTION_NUMBER, &q.guidance, "W",
     "weight of the coverage; -1: the policy's own", -1, 100},
    {"candidates", BEX_OPTION_INTEGER, &q.candidates, "N",
     "proposed futures, of which the nearest to exp is taken; 0: the policy's own", 0, 256},
    {"commit", BEX_OPTION_INTEGER, &q.commit, "N",
     "actions for which that future is followed before the next choice; 0: the policy's own", 0,
     100000},
    {"noise", BEX_OPTION_NUMBER, &q.noise, "SD",
     "added to actions, of [-1,1]; -1: the policy's own", -1, 10},
    {"temperature", BEX_OPTION_NUMBER, &q.temperature, "T",
     "of the noise actions are denoised from, below 1: likelier ones; -1: the policy's own", -1,
     10},
    {"act", BEX_OPTION_INTEGER, &q.act, "N",
     "actions of a chunk that are played; 0: the policy's own", 0, 10000},
    {"ddim", BEX_OPTION_INTEGER, &q.ddim, "N", "denoising steps; 0: the policy's own", 0, 1000},
    {"best", BEX_OPTION_FLAG, &q.best, NULL, "the run's best checkpoint, not its newest", 0, 0},
    {"retrieval", BEX_OPTION_TEXT, &q.retrieval, "FILE", "explore by looking up demonstrations", 0,
     0},
    {"env", BEX_OPTION_TEXT, &q.env, "ENV", "where; see bex env --list", 0, 0},
    {"env", BEX_OPTION_KEYS, &env_keys, "KEY=VALUE",
     "an option of the world: bex env NAME --help lists them", 0, 0},
    {"protocol", BEX_OPTION_TEXT, &q.protocol, "NAME",
     "antmaze-medium, antmaze-large, kitchen or FILE.ini: world, length, budget, trials, history; "
     "options override it",
     0, 0},
    {"trials", BEX_OPTION_INTEGER, &q.trials, "N", "independent, each with an empty memory", 1,
     10000},
    {"episodes", BEX_OPTION_INTEGER, &q.episodes, "N",
     "of each trial, one after the other; 0: 12, or as many as --steps takes", 0, 10000},
    {"steps", BEX_OPTION_INTEGER, &q.steps, "N",
     "budget of each trial instead: episodes until N steps are used, the last one cut", 0, 1e9},
    {"episode-length", BEX_OPTION_INTEGER, &q.episode_length, "N",
     "steps; 0: maze2d 300, kitchen 280, antmaze-medium 500, -large 750", 0, 1e6},
    {"start", BEX_OPTION_TEXT, &q.start, "ROW,COL", "cell where episodes start; else any", 0, 0},
    {"splits", BEX_OPTION_INTEGER, &q.splits, "N",
     "a cell counts as N x N regions; 0: maze2d 2, antmaze 1", 0, 16},
    {"history", BEX_OPTION_TEXT, &q.history, "RULE", "uniform, first, last3 or file:F", 0, 0},
    {"save-history", BEX_OPTION_TEXT, &q.save_history, "FILE",
     "the first trial's memory, for --history file:FILE", 0, 0},
    {"history-states", BEX_OPTION_INTEGER, &q.history_states, "H", "states in a history", 1, 65536},
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
     "go on with the exploration that was stopped in DIR; takes no other option but --json", 0, 0},
    {"force", BEX_OPTION_FLAG, &q.force, NULL, "replace results in DIR", 0, 0},
    {"json", BEX_OPTION_FLAG, &q.json, NULL, "print results.json instead of a summary", 0, 0},
};
static const bex_usage usage = {
    .command = "explore",
    .synopsis = "RUN|--retrieval FILE --env ENV|--protocol NAME [options]",
    .about =
        "Let an agent explore: trials of several episodes, the states of past episodes being\n"
        "its history, and count the regions it visits. RUN is a trained policy: a run directory, a\n"
        "checkpoint or a model.safetensors. --retrieval needs no training: of\n"
        "the k demonstrated states nearest to the present one it follows the future that\n"
        "covers most together with the history. --choose random is behaviour cloning.\n"
        "--protocol is the paper's way to compare agents in a world: docs/protocols.md. With --out,\n"
        "episodes are kept as they end; Ctrl-C saves and prints how to go on.",
    .example = "bex explore runs/be --protocol antmaze-medium --exp q:0.95 --out explored\n"
               "bex explore --resume explored\n"
               "bex explore runs/be --env maze2d-medium --start 3,3 --exp q:0.95 --out explored\n"
               "bex explore --retrieval demos.hdf5 --env maze2d-medium --start 3,3 --trials 10 "
               "--episodes 3 --out explored\n"
               "bex explore --retrieval demos.hdf5 --env maze2d-medium --start 3,3 --choose "
               "random --history first",
    .options = options,
    .count = sizeof options / sizeof *options,
};

// the protocol's values where the command line has none: parsed again, they give way to it
static int apply_protocol(const bex_protocol *p, int argc, char **argv) {
    long long steps = q.steps, episodes = q.episodes; // as given
    q.env = p->env;
    q.history = p->history;
    q.env_keys = p->keys;
    if (p->maze[0]) q.maze = p->maze;
    if (p->start[0]) q.start = p->start;
    q.trials = p->trials, q.episode_length = p->episode_length, q.splits = p->splits;
    q.steps = p->steps, q.episodes = p->episodes;
    int n = bex_options_parse(&usage, argc, argv, &q.run, 1);
    if (steps) q.episodes = 0;
    if (episodes) q.steps = 0;
    return n;
}

// an exit code, BEX_OPTIONS_HELP if help is all that was wanted
static int read_command(bex_protocol *p, int argc, char **argv) {
    int n = bex_options_parse(&usage, argc, argv, &q.run, 1);
    if (n < 0) return n == BEX_OPTIONS_HELP ? n : BEX_EXIT_USAGE;
    if (q.steps && q.episodes) {
        bex_fail("--steps and --episodes: a trial ends after the one or the other");
        return bex_command_fail(&usage, BEX_EXIT_USAGE);
    }
    if (q.protocol) {
        if (bex_protocol_load(p, q.protocol) < 0) return bex_command_fail(&usage, BEX_EXIT_USAGE);
        if (apply_protocol(p, argc, argv) < 0) return BEX_EXIT_USAGE;
    }
    if (!q.steps && !q.episodes) q.episodes = EPISODES;
    return BEX_EXIT_OK;
}

// --resume DIR [--json] and nothing else
static int check_alone(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--resume"))
            i++;
        else if (strncmp(argv[i], "--resume=", 9) != 0 && strcmp(argv[i], "--json") != 0)
            return bex_fail("--resume goes on with the options it began with: no '%s'", argv[i]);
    }
    return 0;
}

static int locate_store(session *s, const char *folder) {
    if (!folder) return 0;
    if (strlen(folder) > 1000) return bex_fail("the name of the directory is too long");
    snprintf(s->store_path, sizeof s->store_path, "%s/unfinished", folder);
    return 0;
}

static int open_unfinished(session *s, const char *folder) {
    char path[1100];
    if (locate_store(s, folder) < 0) return -1;
    if (!bex_explore_store_exists(s->store_path)) {
        bex_fail("'%s' holds no unfinished exploration", folder);
        snprintf(path, sizeof path, "%s/results.json", folder);
        return access(path, F_OK) == 0 ? bex_fail_hint("it is complete") : -1;
    }
    s->store = bex_explore_store_open(s->store_path);
    return s->store ? 0 : -1;
}

// the command that began the exploration in q.resume takes the place of this one
static int read_again(session *s, bex_protocol *p, const bex_explore_request *initial) {
    const char *folder = q.resume;
    bool json = q.json;
    if (open_unfinished(s, folder) < 0) return bex_command_fail(&usage, BEX_EXIT_FAILED);
    const json_t *request = bex_explore_store_request(s->store);
    s->again = bex_explore_request_arguments(request, &s->argc);
    if (!s->again) {
        bex_fail_in("%s", s->store_path);
        return bex_command_fail(&usage, BEX_EXIT_FAILED);
    }
    q = *initial;
    int code = read_command(p, s->argc, s->again);
    q.out = q.resume = folder;
    q.json = q.json || json;
    q.model = json_string_value(json_object_get(json_object_get(request, "settings"), "model"));
    s->command = json_string_value(json_object_get(request, "command"));
    const char *began = json_string_value(json_object_get(request, "started"));
    if (began) s->started = began; // older ones do not tell
    return code;
}

int bex_cmd_explore(int argc, char **argv) {
    const bex_explore_request initial = q;
    bex_protocol protocol;
    char *command = bex_command_line(argc, argv), now[BEX_TIME_SIZE];
    session s = {
        .q = &q, .command = command, .started = bex_time_now(now), .argc = argc, .argv = argv};
    int code = read_command(&protocol, argc, argv);
    if (code == BEX_EXIT_OK && q.resume) {
        code = check_alone(argc, argv) < 0 ? bex_command_fail(&usage, BEX_EXIT_USAGE)
                                           : read_again(&s, &protocol, &initial);
    } else if (code == BEX_EXIT_OK && locate_store(&s, q.out) < 0) {
        code = bex_command_fail(&usage, BEX_EXIT_USAGE);
    }
    if (code == BEX_EXIT_OK) {
        code = explore(&s);
        if (code != BEX_EXIT_OK) bex_command_fail(&usage, code);
    }
    session_fini(&s);
    free(command);
    return code == BEX_OPTIONS_HELP ? BEX_EXIT_OK : code;
}
