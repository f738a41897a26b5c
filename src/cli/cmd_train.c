/* cli/cmd_train.c - `bex train`: demonstrations or a world in, a run directory with a policy out. */
#include "cli/command.h"
#include "cli/options.h"

#include "agent/rl/learner.h"
#include "agent/train_config.h"
#include "base/clock.h"
#include "base/config.h"
#include "base/error.h"
#include "base/path.h"
#include "base/ranks.h"
#include "host/json.h"
#include "run/mpi.h"
#include "run/provenance.h"
#include "run/run.h"
#include "run/train.h"
#include "suggest/suggest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *out, *data, *resume, *agent;
static bool dry_run, force, list, json, quiet;
static long long overfit = -1, seed = -1;

static const bex_option options[] = {
    {"data", BEX_OPTION_TEXT, &data, "FILE", "demonstrations; short for --data.path=FILE", 0, 0},
    {"agent", BEX_OPTION_TEXT, &agent, "NAME",
     "be, bc, bc-history, encoder, sac, supe or hilp; short for --train.agent=NAME", 0, 0},
    {"out", BEX_OPTION_TEXT, &out, "RUN", "run directory [runs/AGENT-SEED]", 0, 0},
    {"seed", BEX_OPTION_INTEGER, &seed, "N", "short for --train.seed=N", 0, 9e15},
    {"overfit", BEX_OPTION_INTEGER, &overfit, "N",
     "train on N fixed windows only: a check that it can", 0, 1e6},
    {"resume", BEX_OPTION_TEXT, &resume, "RUN", "go on with a run from its last checkpoint", 0, 0},
    {"dry-run", BEX_OPTION_FLAG, &dry_run, NULL,
     "print sizes and the time of an update, write nothing", 0, 0},
    {"force", BEX_OPTION_FLAG, &force, NULL, "replace a run that is there", 0, 0},
    {"keys", BEX_OPTION_FLAG, &list, NULL,
     "list every key of the configuration, with a typical value and when to raise it", 0, 0},
    {"json", BEX_OPTION_FLAG, &json, NULL, "--keys as JSON", 0, 0},
    {"quiet", BEX_OPTION_FLAG, &quiet, NULL, "no progress line", 0, 0},
};
static const bex_usage usage = {
    .command = "train",
    .synopsis = "[CONFIG.ini] [--data FILE] [--section.key=value ...] [options]",
    .about =
        "Train a policy: on demonstrations, which needs no environment, or (sac) in the world\n"
        "env.name. Without a CONFIG.ini what is not set is chosen from the data and told with its reason\n"
        "(bex data suggest FILE tells more); a key can be given as auto, too. Every setting is a key of\n"
        "the configuration (--keys lists them); a file, then\n"
        "--section.key=value, then the short options decide. Ctrl-C finishes the update, saves, and\n"
        "prints how to go on. Under mpirun the ranks share the work of each update (not sac) and\n"
        "come to the same bits as one process, for any number up to train.lanes: docs/scaling.md.",
    .example = "bex train --data demos.hdf5 --train.steps=20000 --out runs/be\n"
               "bex train --data demos.hdf5 --coverage.dims=eef_pos,object[0:3] --out runs/be\n"
               "bex train --resume runs/be\n"
               "bex train --data demo.hdf5 --data.images=agentview_image --out runs/seeing\n"
               "bex train configs/ant-walker.ini --out runs/walker\n"
               "mpirun -n 2 bex train --data maze.hdf5 --out runs/be2",
    .options = options,
    .count = sizeof options / sizeof *options,
};

static int set(bex_train_config *c, const char *key, const char *value) {
    char text[512];
    snprintf(text, sizeof text, "%s=%s", key, value);
    return bex_config_set(&bex_train_schema, c, text);
}

// rnd and explore are asked for here too
static int online_hint(const char *name) {
    for (int i = 0; bex_learner_method_at(i); i++)
        if (!strcmp(bex_learner_method_at(i)->name, name))
            return bex_fail_hint("it learns while it explores: bex explore --agent %s", name);
    return -1;
}

static int configure(bex_train_config *c, const char *file, const char **overrides, int count) {
    char number[32];
    bex_config_defaults(&bex_train_schema, c);
    for (int i = 0; i < count; i++) // a value that came apart from its key looks like a file
        if (!strchr(overrides[i], '=')) return bex_config_set(&bex_train_schema, c, overrides[i]);
    // without a file that says how, demonstrations do; an agent without any takes its defaults
    if (!resume && !file) bex_config_all_auto(&bex_train_schema, c);
    if (resume && bex_run_config(resume, &bex_train_schema, c) < 0) return -1;
    if (file && bex_config_load(&bex_train_schema, c, file) < 0) {
        static const char *const data_files[] = {".hdf5", ".h5", ".safetensors"};
        size_t n = strlen(file);
        for (int i = 0; i < 3; i++)
            if (n > strlen(data_files[i]) &&
                !strcmp(file + n - strlen(data_files[i]), data_files[i]))
                return bex_fail_hint("demonstrations? --data %.200s", file);
        return -1;
    }
    for (int i = 0; i < count; i++)
        if (bex_config_set(&bex_train_schema, c, overrides[i]) < 0) return -1;
    if (data && set(c, "data.path", data) < 0) return -1;
    if (agent && set(c, "train.agent", agent) < 0) return online_hint(agent);
    snprintf(number, sizeof number, "%lld", seed);
    if (seed >= 0 && set(c, "train.seed", number) < 0) return -1;
    snprintf(number, sizeof number, "%lld", overfit);
    if (overfit >= 0 && set(c, "train.overfit", number) < 0) return -1;
    return 0;
}

// sizes, and the time of an update measured on a few
static int describe(bex_train_config *c) {
    if (bex_train_ranks(c) < 0 || bex_agent_settle(c) < 0) return -1;
    bex_sources sources = {0};
    bex_suggestions chosen = {0};
    bool speaks = bex_ranks_rank() == 0;
    int ready = bex_train_sources(&sources, c);
    if (ready == 0) ready = bex_suggest_settle(c, sources.data, &chosen);
    bex_agent *a = ready == 0 ? bex_agent_new(c, &sources) : NULL;
    if (ready < 0) bex_sources_fini(&sources);
    int code = bex_ranks_settle(a ? 0 : -1);
    if (code == 0) {
        bex_update u = {.loss = NAN};
        int64_t step = 0;
        if (speaks) bex_suggestions_print(&chosen, stdout), a->class->describe(a, stdout);
        // the first that learns: one that learns in a world looks around before
        while (!code && !isfinite(u.loss)) code = a->class->update(a, step++, &u);
        double start = bex_seconds();
        for (int i = 0; !code && i < 5; i++) code = a->class->update(a, step++, &u);
        double each = (bex_seconds() - start) / 5, all = each * (double)c->train.steps;
        if (!code && speaks)
            printf("time         %.1f ms an update, %.1f %s for %lld; data %.0f %%\n", 1e3 * each,
                   all < 3600 ? all / 60 : all / 3600, all < 3600 ? "min" : "h", c->train.steps,
                   100 * u.data_seconds / u.lane_seconds);
    }
    if (a) a->class->free(a);
    bex_suggestions_fini(&chosen);
    return code;
}

// what docs/settings is made of
static void print_keys(void) {
    json_t *sections = json_array();
    for (int i = 0; i < bex_train_schema.count; i++) {
        const bex_config_section *s = &bex_train_schema.sections[i];
        json_t *rows = json_array();
        for (const bex_config_row *row = s->rows; row->name; row++) {
            char what[512];
            bool keys = row->type == BEX_CONFIG_IS_KEYS;
            if (row->retired) continue;
            bex_config_allowed(what, sizeof what, row);
            json_array_append_new(
                rows, json_pack("{s:s, s:s, s:s, s:s, s:s, s:b}", "key", keys ? "KEY" : row->name,
                                "default", row->initial, "help", row->help, "allowed", what,
                                "advice", row->advice ? row->advice : "", "auto", row->automatic));
        }
        json_array_append_new(sections, json_pack("{s:s, s:s, s:o}", "section", s->name, "help",
                                                  s->help, "keys", rows));
    }
    bex_json_print(sections);
    json_decref(sections);
}

// rank 0 reads first: a mistake is told once
static int parse(int argc, char **argv, const char **file) {
    int rank = bex_ranks_rank();
    int given = bex_ranks_first(rank ? 0 : bex_options_parse(&usage, argc, argv, file, 1));
    return rank && given >= 0 ? bex_options_parse(&usage, argc, argv, file, 1) : given;
}

static int run(int argc, char **argv) {
    bool speaks = bex_ranks_rank() == 0;
    char *command = bex_command_line(argc, argv);
    const char **overrides = calloc((size_t)argc + 1, sizeof *overrides), *file = NULL;
    int code = BEX_EXIT_FAILED, count = bex_config_take_overrides(&argc, argv, overrides);
    int given = parse(argc, argv, &file);
    bex_train_config c;
    char path[BEX_PATH_SIZE];
    if (given < 0) {
        code = given == BEX_OPTIONS_HELP ? BEX_EXIT_OK : BEX_EXIT_USAGE;
        goto done;
    }
    if (list) {
        if (speaks && json)
            print_keys();
        else if (speaks)
            bex_config_help(&bex_train_schema, stdout);
        code = BEX_EXIT_OK;
        goto done;
    }
    if (resume && (out || force)) {
        bex_fail("--resume goes on in its own run: no --out, no --force");
        code = bex_command_fail(&usage, BEX_EXIT_USAGE);
        goto done;
    }
    if (bex_ranks_settle(configure(&c, given ? file : NULL, overrides, count)) < 0) {
        code = bex_command_fail(&usage, BEX_EXIT_USAGE);
        goto done;
    }
    if (dry_run) {
        code = describe(&c) < 0 ? bex_command_fail(&usage, BEX_EXIT_FAILED) : BEX_EXIT_OK;
        goto done;
    }
    snprintf(path, sizeof path, "runs/%s-%lld", bex_train_agent(&c), c.train.seed);
    bex_train_options o = {.run = resume ? resume
                                  : out  ? out
                                         : path,
                           .command = command,
                           .resume = resume != NULL,
                           .force = force,
                           .progress = quiet || !speaks ? NULL : stderr,
                           .about = speaks ? stdout : NULL};
    bex_train_end end;
    if (bex_train(&c, &o, &end) < 0) {
        code = bex_command_fail(&usage, BEX_EXIT_FAILED);
        goto done;
    }
    if (speaks && end == BEX_TRAIN_STOPPED)
        printf("stopped and saved; go on with: bex train --resume %s\n", o.run);
    else if (speaks)
        printf("done: %s\n", o.run);
    code = BEX_EXIT_OK;
done:
    free(overrides);
    free(command);
    return code;
}

int bex_cmd_train(int argc, char **argv) {
    if (bex_mpi_start() < 0) return bex_command_fail(&usage, BEX_EXIT_FAILED);
    int code = run(argc, argv);
    bex_mpi_end();
    return code;
}
