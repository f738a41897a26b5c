/* cli/cmd_data_gen.c - `bex data gen ENV`: demonstrations into a D4RL-layout file, on all cores. */
#include "cli/command.h"
#include "cli/env_options.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/path.h"
#include "data/writer.h"
#include "demo/demonstrator.h"
#include "env/mj.h"
#include "host/json.h"
#include "host/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// of the demonstrator, under names of their own: --noise is --demo.noise
enum { NOISE, RARE, EPISODE_LENGTH, PATIENCE, CONTROLLER, GOAL_SPREAD, SHORT };
static const char *const short_keys[SHORT] = {"noise",    "rare",       "episode_length",
                                              "patience", "controller", "goal_spread"};

typedef struct request {
    const char *env, *out;
    bex_env_flags world;
    const char *given[SHORT]; // NULL: not
    bex_option_keys demo;
    long long steps, seed;
    bool json;
} request;

// D4RL's keys; widths by the world
enum { COLUMNS = 8 };
static void list_columns(bex_column *columns, const bex_world *w) {
    int nq = w->spec.state - w->spec.state / 2, nv = w->spec.state / 2; // 2 and 2; 15 and 14
    const bex_column all[COLUMNS] = {
        {"observations", BEX_COLUMN_FLOAT32, w->spec.state},
        {"actions", BEX_COLUMN_FLOAT32, w->A},
        {"rewards", BEX_COLUMN_FLOAT32, 0},
        {"terminals", BEX_COLUMN_FLAG, 0},
        {"timeouts", BEX_COLUMN_FLAG, 0},
        {"infos/goal", BEX_COLUMN_FLOAT32, 2},
        {"infos/qpos", BEX_COLUMN_FLOAT32, nq},
        {"infos/qvel", BEX_COLUMN_FLOAT32, nv},
    };
    memcpy(columns, all, sizeof all);
}

// what makes the rows what they are, without where they go
static int write_origin(bex_writer *w, const request *q, const bex_demonstrations *d) {
    char world[2048] = "", text[4096];
    size_t n = 0;
    for (const char *key = d->world->keys; *key; key += strcspn(key, "\n") + 1) {
        int name = (int)strcspn(key, "="), value = (int)strcspn(key + name + 1, "\n");
        bool is_short = !strncmp(key, "maze=", 5) || !strncmp(key, "start=", 6);
        n +=
            (size_t)snprintf(world + n, sizeof world - n, " --%s%.*s%c%.*s", is_short ? "" : "env.",
                             name, key, is_short ? ' ' : '=', value, key + name + 1);
        if (n >= sizeof world) return bex_fail("the options of the world are too long");
    }
    char *options = bex_demonstrations_command(d, world);
    if (!options) return bex_fail("out of memory");
    snprintf(text, sizeof text, "bex data gen %s --steps %lld --seed %lld%s", q->env, q->steps,
             q->seed, options);
    free(options);
    if (bex_writer_text(w, "metadata/command", text) < 0) return -1;
    return bex_writer_text(w, "metadata/algorithm", d->class->algorithm);
}

typedef struct tally {
    long long ends, rewarded;
    long long *seen; // (regions)
} tally;

// rows of a wave
static int count_rows(tally *t, bex_demonstrations *d, int rows) {
    size_t O = (size_t)d->world->spec.state;
    for (int i = 0; i < rows; i++) {
        int region = d->world->class->region(d->world, d->obs + (size_t)i * O);
        if (region >= 0) t->seen[region]++;
        t->ends += d->timeout[i];
        t->rewarded += d->reward[i] > 0;
    }
    return d->class->count ? d->class->count(d, rows) : 0;
}

// infos/qpos and infos/qvel: of the row's own state, or of the state after the action (class->after)
static int append_rows(bex_writer *w, const bex_demonstrations *d, bex_real *parts, int rows) {
    const bex_real *state = d->after ? d->after : d->obs;
    size_t O = (size_t)d->world->spec.state, nq = O - O / 2, nv = O / 2;
    bex_real *qpos = parts, *qvel = parts + nq * (size_t)rows;
    for (size_t i = 0; i < (size_t)rows; i++) {
        memcpy(qpos + i * nq, state + i * O, nq * sizeof *state);
        memcpy(qvel + i * nv, state + i * O + nq, nv * sizeof *state);
    }
    const void *blocks[COLUMNS] = {d->obs,     d->act,  d->reward, d->terminal,
                                   d->timeout, d->goal, qpos,      qvel};
    return bex_writer_append(w, rows, blocks);
}

// all rows, wave by wave: made on all cores, written by one
static int make_rows(bex_writer *w, bex_demonstrations *d, tally *t, long long steps) {
    int piece = bex_demonstrations_piece(d);
    bex_real *parts = malloc((size_t)d->room * (size_t)d->world->spec.state * sizeof *parts);
    if (!parts) return bex_fail("out of memory");
    bex_progress p;
    bex_progress_start(&p, stderr, "data gen", steps);
    int code = 0;
    for (long long at = 0; at < steps && code == 0;) {
        int rows = steps - at < d->room ? (int)(steps - at) : d->room;
        code = bex_demonstrations_make(d, at / piece, rows);
        if (code == 0) code = append_rows(w, d, parts, rows);
        if (code == 0) code = count_rows(t, d, rows);
        bex_progress_update(&p, at += rows, "%lld ends", t->ends);
    }
    bex_progress_finish(&p);
    free(parts);
    return code;
}

static void print_facts(const json_t *facts) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)facts, key, value)
        printf("  %-26s %.3g\n", key, json_number_value(value));
}

static void summarise(const request *q, const bex_demonstrations *d, const tally *t,
                      double seconds) {
    const bex_world *world = d->world;
    json_t *facts = d->class->facts ? d->class->facts(d) : NULL;
    int visited = 0;
    long long least = q->steps;
    for (int i = 0; i < world->regions; i++) {
        visited += t->seen[i] > 0;
        if (t->seen[i] < least) least = t->seen[i];
    }
    double rarest = (double)least / (double)q->steps;
    double rewarded = (double)t->rewarded / (double)q->steps;
    if (q->json) {
        json_t *j =
            json_pack("{s:s, s:s, s:I, s:I, s:i, s:i, s:f, s:f, s:f}", "file", q->out, "world",
                      world->name, "rows", (json_int_t)q->steps, "ends", (json_int_t)t->ends,
                      "cells_visited", visited, "cells", world->regions, "rarest_cell", rarest,
                      "rewarded", rewarded, "seconds", seconds);
        if (j && facts) json_object_set(j, "walk", facts);
        if (j) bex_json_print(j);
        json_decref(j);
        json_decref(facts);
        return;
    }
    printf("%s: %lld rows in %lld %s, %d of %d cells visited, the rarest in %.2g %% of rows, "
           "%.1f %% rewarded; %.1f s\n",
           q->out, q->steps, t->ends, d->episodes ? "episodes" : "navigations", visited,
           world->regions, 100 * rarest, 100 * rewarded, seconds);
    print_facts(facts);
    json_decref(facts);
}

// antmaze-medium-diverse is data of antmaze-medium
static int open_world(bex_world **world, const request *q) {
    char name[64];
    size_t length = strlen(q->env), tail = strlen("-diverse");
    snprintf(name, sizeof name, "%s", q->env);
    if (!strncmp(q->env, "antmaze", 7) && length < sizeof name && length > tail &&
        !strcmp(q->env + length - tail, "-diverse"))
        name[length - tail] = 0;
    return bex_env_flags_open(world, name, &(bex_world_options){.time_limit = -1}, &q->world);
}

// short forms first, --demo.KEY=VALUE last: the latter wins
static int open_rows(bex_demonstrations **d, tally *t, const bex_world *world, const request *q) {
    char keys[4096] = "";
    size_t n = 0;
    for (int i = 0; i < SHORT && n < sizeof keys; i++)
        if (q->given[i])
            n += (size_t)snprintf(keys + n, sizeof keys - n, "%s=%s\n", short_keys[i], q->given[i]);
    if (n < sizeof keys) n += (size_t)snprintf(keys + n, sizeof keys - n, "%s", q->demo.lines);
    if (n >= sizeof keys) return bex_fail("the options are too long"), bex_misused();
    t->seen = calloc((size_t)world->regions, sizeof *t->seen);
    if (!t->seen) return bex_fail("out of memory");
    return bex_demonstrations_open(d, world, keys, (uint64_t)q->seed, q->steps);
}

static int generate(const request *q) {
    double began = bex_seconds();
    bex_world *world = NULL;
    bex_writer *writer = NULL;
    bex_demonstrations *d = NULL;
    bex_column columns[COLUMNS];
    tally t = {0};
    int code = bex_mj_version() ? BEX_EXIT_USAGE : BEX_EXIT_FAILED;
    if (open_world(&world, q) < 0) goto done;
    code = BEX_EXIT_FAILED;
    if (open_rows(&d, &t, world, q) < 0) {
        if (bex_error_is_misuse()) code = BEX_EXIT_USAGE;
        goto done;
    }
    list_columns(columns, world);
    if (bex_writer_open(&writer, q->out, columns, COLUMNS) < 0 || write_origin(writer, q, d) < 0 ||
        make_rows(writer, d, &t, q->steps) < 0 || bex_writer_commit(writer) < 0)
        goto done;
    summarise(q, d, &t, bex_seconds() - began);
    code = BEX_EXIT_OK;
done:
    bex_writer_free(writer);
    bex_demonstrations_free(d);
    bex_world_close(world);
    free(t.seen);
    return code;
}

int bex_cmd_data_gen(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "libero-90") || !strcmp(argv[i], "libero"))
            return bex_cmd_data_gen_libero(argc, argv);
    static request q = {.steps = 1000000};
    static const bex_option options[] = {
        {"out", BEX_OPTION_TEXT, &q.out, "FILE", "the HDF5 file to make; must not exist", 0, 0},
        {"steps", BEX_OPTION_INTEGER, &q.steps, "N", "rows", 1, 1e9},
        {"seed", BEX_OPTION_INTEGER, &q.seed, "N", "same seed, same file, on any number of cores",
         0, 9e15},
        BEX_ENV_START_OPTION(q.world),
        BEX_ENV_OPTIONS(q.world),
        {"demo", BEX_OPTION_KEYS, &q.demo, "KEY=VALUE",
         "an option of the demonstrator, listed below; these are short for some:", 0, 0},
        {"noise", BEX_OPTION_TEXT, &q.given[NOISE], "SD",
         "normal noise on actions; D4RL: ball 0, ant 0.2", 0, 0},
        {"rare", BEX_OPTION_TEXT, &q.given[RARE], "CELLS", "seldom goals: 4,1-6,2:0.05, or far:3",
         0, 0},
        {"episode-length", BEX_OPTION_TEXT, &q.given[EPISODE_LENGTH], "N",
         "reset every N rows; 0: run on, as D4RL; an ant: 1001", 0, 0},
        {"patience", BEX_OPTION_TEXT, &q.given[PATIENCE], "N",
         "steps before a goal is given up; 0: the time limit", 0, 0},
        {"controller", BEX_OPTION_TEXT, &q.given[CONTROLLER], "FILE",
         "safetensors network that walks the ant; else bex's own", 0, 0},
        {"goal-spread", BEX_OPTION_TEXT, &q.given[GOAL_SPREAD], "M",
         "of an ant's goals from the middle of their cell; D4RL's script 1.5, its files 3", 0, 0},
        {"json", BEX_OPTION_FLAG, &q.json, NULL, "the summary as JSON", 0, 0},
    };
    static const bex_usage usage = {
        .command = "data gen",
        .synopsis = "ENV --out FILE [options]",
        .about =
            "Make demonstrations: a planner and a PD law drive from goal to goal, as in D4RL's\n"
            "Maze2D data. ENV: maze2d-umaze, -medium, -large, -open, or maze2d with --maze.\n"
            "--rare names cells (row,column) or rectangles that are goals less often, :WEIGHT\n"
            "times (0.05); several are joined by +. far:K weighs by exp(-steps from start / K).\n"
            "ENV antmaze-umaze-diverse, -medium-diverse, -large-diverse, or antmaze with --maze: a\n"
            "network walks an ant from waypoint to waypoint, D4RL's diverse recipe.\n"
            "ENV libero-90 has options of its own: bex data gen libero-90 --help.",
        .example = "bex data gen maze2d-medium --steps 20000 --seed 0 --out demos.hdf5\n"
                   "bex data gen maze2d-medium --steps 60000 --start 3,4 --episode-length 300 "
                   "--rare 4,1-6,2 --noise 0.1 --out corner.hdf5\n"
                   "bex data gen antmaze-medium-diverse --steps 1000000 --out antmaze-medium.hdf5",
        .options = options,
        .count = sizeof options / sizeof *options,
    };
    const char *env[1];
    int n = bex_options_parse(&usage, argc, argv, env, 1);
    if (n == BEX_OPTIONS_HELP) return bex_demonstrators_help(stdout), BEX_EXIT_OK;
    if (n < 0) return BEX_EXIT_USAGE;
    if (n == 0 || !q.out) {
        bex_fail(n ? "where to? (--out FILE)" : "which environment? (bex env --list)");
        return bex_command_fail(&usage, BEX_EXIT_USAGE);
    }
    q.env = env[0];
    int code = generate(&q);
    return code == BEX_EXIT_OK ? code : bex_command_fail(&usage, code);
}
