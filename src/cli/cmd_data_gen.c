/* cli/cmd_data_gen.c - `bex data gen ENV`: demonstrations into a D4RL-layout file, on all cores. */
#include "cli/command.h"
#include "cli/options.h"
#include "host/share.h"

#include "base/clock.h"
#include "base/error.h"
#include "data/writer.h"
#include "demo/ant_pilot.h"
#include "demo/goal_weights.h"
#include "demo/maze_demonstrations.h"
#include "env/ant/ant_controller.h"
#include "env/ant/ant_gait.h"
#include "env/ant/antmaze.h"
#include "env/maze/maze2d.h"
#include "env/mj.h"
#include "host/json.h"
#include "host/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAVE = 200000 }; // rows made between two appends, about

#define CONTROLLER "models/ant-walker.safetensors"
#define ANT_NOISE  0.2

typedef struct request {
    const char *env, *out, *maze, *rare, *start, *controller;
    long long steps, seed, episode_length, patience;
    double noise; // negative: the world's own
    double goal_spread;
    bool json;
} request;

// D4RL's keys; widths by the world
enum { COLUMNS = 8 };
static void list_columns(bex_column *columns, const bex_world *w) {
    int nq = w->O - w->O / 2, nv = w->O / 2; // 2 and 2; 15 and 14
    const bex_column all[COLUMNS] = {
        {"observations", BEX_COLUMN_FLOAT32, w->O}, {"actions", BEX_COLUMN_FLOAT32, w->A},
        {"rewards", BEX_COLUMN_FLOAT32, 0},         {"terminals", BEX_COLUMN_FLAG, 0},
        {"timeouts", BEX_COLUMN_FLAG, 0},           {"infos/goal", BEX_COLUMN_FLOAT32, 2},
        {"infos/qpos", BEX_COLUMN_FLOAT32, nq},     {"infos/qvel", BEX_COLUMN_FLOAT32, nv},
    };
    memcpy(columns, all, sizeof all);
}

static int parse_cell(int cell[2], const char *text) {
    char end;
    if (!text ||
        (sscanf(text, "%4d,%4d%c", &cell[0], &cell[1], &end) == 2 && cell[0] >= 0 && cell[1] >= 0))
        return 0;
    bex_fail("--start takes ROW,COLUMN, not '%s'", text);
    return bex_fail_hint("rows from the top, columns from the left, both from 0");
}

// what makes the rows what they are, without where they go
static int write_origin(bex_writer *w, const request *q, bool ant) {
    char text[1024];
    int n = snprintf(text, sizeof text, "bex data gen %s --steps %lld --seed %lld --noise %g",
                     q->env, q->steps, q->seed, q->noise);
    const char *const extra[][2] = {
        {"maze", q->maze}, {"start", q->start}, {"rare", q->rare}, {"controller", q->controller}};
    for (int i = 0; i < 4; i++)
        if (extra[i][1] && n < (int)sizeof text)
            n += snprintf(text + n, sizeof text - (size_t)n, " --%s %s", extra[i][0], extra[i][1]);
    if (n < (int)sizeof text)
        n += snprintf(text + n, sizeof text - (size_t)n, " --episode-length %lld",
                      q->episode_length);
    if (n < (int)sizeof text && ant)
        snprintf(text + n, sizeof text - (size_t)n, " --goal-spread %g", q->goal_spread);
    if (n < (int)sizeof text && !ant)
        snprintf(text + n, sizeof text - (size_t)n, " --patience %lld", q->patience);
    if (bex_writer_text(w, "metadata/command", text) < 0) return -1;
    return bex_writer_text(w, "metadata/algorithm",
                           ant ? "shortest way, waypoints, a network that walks"
                               : "shortest way, waypoints, PD law");
}

typedef struct tally {
    long long ends, rewarded;
    long long *seen; // (regions)
    bex_ant_gait walk;
} tally;

// rows of a wave; of an ant, whole episodes
static int count_rows(tally *t, const bex_demonstrations *d, int rows) {
    size_t O = (size_t)d->world->O;
    for (int i = 0; i < rows; i++) {
        int region = d->world->class->region(d->world, d->obs + (size_t)i * O);
        if (region >= 0) t->seen[region]++;
        t->ends += d->timeout[i];
        t->rewarded += d->reward[i] > 0;
    }
    int length = d->controller ? bex_demonstrations_piece(d) : rows + 1;
    for (int i = 0; i + length <= rows; i += length)
        if (bex_ant_gait_add(&t->walk, d->world, d->obs + (size_t)i * O, d->goal + 2 * (size_t)i,
                             length) < 0)
            return -1;
    return 0;
}

/* infos/qpos and infos/qvel: of the row's own state; of an ant, of the state after the action, which is
 * what D4RL's AntMaze files hold. */
static int append_rows(bex_writer *w, const bex_demonstrations *d, bex_real *parts, int rows) {
    const bex_real *state = d->after ? d->after : d->obs;
    size_t O = (size_t)d->world->O, nq = O - O / 2, nv = O / 2;
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
    bex_real *parts = malloc((size_t)d->room * (size_t)d->world->O * sizeof *parts);
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

static json_t *walk_facts(const bex_ant_gait *w) {
    double n = (double)w->episodes, reached = (double)w->reached / n, fell = (double)w->fell / n;
    double cells = (double)w->cells / n;
    return json_pack(
        "{s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "episodes", (json_int_t)w->episodes,
        "goal_reached", reached, "goal_reached_error", sqrt(reached * (1 - reached) / n),
        "flipped_episodes", fell, "flipped_episodes_error", sqrt(fell * (1 - fell) / n),
        "flipped_states", (double)w->flipped / (double)w->states, "metres_per_upright_step",
        w->steps ? w->metres / (double)w->steps : 0, "cells_per_episode", cells,
        "cells_per_episode_error", sqrt(fmax(0, (double)w->cells2 / n - cells * cells) / n));
}

static void print_walk(const bex_ant_gait *w) {
    json_t *f = walk_facts(w);
    const char *key;
    json_t *value;
    json_object_foreach(f, key, value) printf("  %-26s %.3g\n", key, json_number_value(value));
    json_decref(f);
}

static void summarise(const request *q, const bex_world *world, const tally *t, double seconds) {
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
        if (j && t->walk.episodes) json_object_set_new(j, "walk", walk_facts(&t->walk));
        if (j) bex_json_print(j);
        json_decref(j);
        return;
    }
    printf("%s: %lld rows in %lld %s, %d of %d cells visited, the rarest in %.2g %% of rows, "
           "%.1f %% rewarded; %.1f s\n",
           q->out, q->steps, t->ends, q->episode_length ? "episodes" : "navigations", visited,
           world->regions, 100 * rarest, 100 * rewarded, seconds);
    if (t->walk.episodes) print_walk(&t->walk);
}

// antmaze-medium-diverse is data of antmaze-medium
static int open_world(bex_world **world, request *q) {
    bex_world_options o = BEX_WORLD_INIT;
    char name[64];
    size_t length = strlen(q->env), tail = strlen("-diverse");
    snprintf(name, sizeof name, "%s", q->env);
    if (!strncmp(q->env, "antmaze", 7) && length < sizeof name && length > tail &&
        !strcmp(q->env + length - tail, "-diverse"))
        name[length - tail] = 0;
    o.maze = q->maze;
    o.time_limit = -1;
    if (parse_cell(o.start, q->start) < 0 || bex_world_open(world, name, &o) < 0) return -1;
    bool ant = bex_antmaze_maze(*world);
    if (!ant && !bex_maze2d_maze(*world)) return bex_fail("no demonstrator knows %s", q->env);
    if (ant && (q->rare || q->patience))
        return bex_fail("--rare and --patience are for maze2d: an ant keeps D4RL's goals");
    if (!ant && q->controller) return bex_fail("--controller is for antmaze");
    if (q->noise < 0) q->noise = ant ? ANT_NOISE : 0;
    if (ant && !q->episode_length) q->episode_length = BEX_ANT_EPISODE;
    return 0;
}

// the file asked for, or the one that comes with bex
static int open_controller(bex_ant_controller **controller, const request *q) {
    char own[4400];
    if (!q->controller && bex_share_find(own, sizeof own, CONTROLLER) < 0)
        return bex_fail_hint("--controller FILE, a safetensors network that walks");
    *controller = bex_ant_controller_load(q->controller ? q->controller : own);
    return *controller ? 0 : -1;
}

// NULL weights for none asked
static int open_weights(double **weights, const bex_world *world, const request *q) {
    const bex_maze *maze = bex_maze2d_maze(world);
    int start[2] = {-1, -1};
    if (!q->rare) return 0;
    *weights = malloc((size_t)maze->cells * sizeof **weights);
    if (!*weights) return bex_fail("out of memory");
    parse_cell(start, q->start);
    return bex_goal_weights(*weights, maze, q->rare, bex_maze_cell(maze, start[0], start[1]));
}

// the arrays for a wave
static int open_rows(bex_demonstrations *d, tally *t, const bex_world *world, const request *q) {
    int start[2] = {-1, -1};
    parse_cell(start, q->start);
    d->world = world;
    d->options.noise = q->noise;
    d->options.patience = (int)q->patience;
    d->goal_spread = q->goal_spread;
    d->episode_length = (int)q->episode_length;
    d->seed = (uint64_t)q->seed;
    d->start = start[0] >= 0 ? bex_maze_cell(world->maze, start[0], start[1]) : -1;
    int piece = bex_demonstrations_piece(d);
    long long room = (long long)piece * (WAVE / piece > 0 ? WAVE / piece : 1);
    d->room = (int)(room < q->steps ? room : q->steps);
    t->seen = calloc((size_t)world->regions, sizeof *t->seen);
    return t->seen ? bex_demonstrations_init(d) : bex_fail("out of memory");
}

static int generate(request *q) {
    double began = bex_seconds(), *weights = NULL;
    bex_world *world = NULL;
    bex_writer *writer = NULL;
    bex_ant_controller *controller = NULL;
    bex_demonstrations d = {0};
    bex_column columns[COLUMNS];
    tally t = {0};
    int code = bex_mj_version() ? BEX_EXIT_USAGE : BEX_EXIT_FAILED;
    if (open_world(&world, q) < 0 || open_weights(&weights, world, q) < 0) goto done;
    code = BEX_EXIT_FAILED;
    bool ant = bex_antmaze_maze(world);
    if (ant && open_controller(&controller, q) < 0) goto done;
    d.controller = controller;
    d.options.weights = weights;
    list_columns(columns, world);
    if (open_rows(&d, &t, world, q) < 0 || bex_writer_open(&writer, q->out, columns, COLUMNS) < 0 ||
        write_origin(writer, q, ant) < 0 || make_rows(writer, &d, &t, q->steps) < 0 ||
        bex_writer_commit(writer) < 0)
        goto done;
    summarise(q, world, &t, bex_seconds() - began);
    code = BEX_EXIT_OK;
done:
    bex_writer_free(writer);
    bex_demonstrations_fini(&d);
    bex_ant_controller_free(controller);
    bex_world_close(world);
    free(weights);
    free(t.seen);
    return code;
}

int bex_cmd_data_gen(int argc, char **argv) {
    static request q = {.steps = 1000000, .noise = -1, .goal_spread = BEX_ANT_GOAL_SPREAD};
    static const bex_option options[] = {
        {"out", BEX_OPTION_TEXT, &q.out, "FILE", "the HDF5 file to make; must not exist", 0, 0},
        {"steps", BEX_OPTION_INTEGER, &q.steps, "N", "rows", 1, 1e9},
        {"seed", BEX_OPTION_INTEGER, &q.seed, "N", "same seed, same file, on any number of cores",
         0, 9e15},
        {"noise", BEX_OPTION_NUMBER, &q.noise, "SD",
         "normal noise on actions; D4RL: ball 0, ant 0.2", 0, 10},
        {"start", BEX_OPTION_TEXT, &q.start, "ROW,COL", "cell where runs start; else any", 0, 0},
        {"rare", BEX_OPTION_TEXT, &q.rare, "CELLS", "seldom goals: 4,1-6,2:0.05, or far:3", 0, 0},
        {"episode-length", BEX_OPTION_INTEGER, &q.episode_length, "N",
         "reset every N rows; 0: run on, as D4RL; an ant: 1001", 0, 1e6},
        {"patience", BEX_OPTION_INTEGER, &q.patience, "N",
         "steps before a goal is given up; 0: the time limit", 0, 1e6},
        {"maze", BEX_OPTION_TEXT, &q.maze, "FILE", "text grid, for ENV maze2d or antmaze", 0, 0},
        {"controller", BEX_OPTION_TEXT, &q.controller, "FILE",
         "safetensors network that walks the ant; else bex's " CONTROLLER, 0, 0},
        {"goal-spread", BEX_OPTION_NUMBER, &q.goal_spread, "M",
         "of an ant's goals from the middle of their cell; D4RL's script 1.5, its files 3", 0, 4},
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
            "network walks an ant from waypoint to waypoint, D4RL's diverse recipe.",
        .example = "bex data gen maze2d-medium --steps 20000 --seed 0 --out demos.hdf5\n"
                   "bex data gen maze2d-medium --steps 60000 --start 3,4 --episode-length 300 "
                   "--rare 4,1-6,2 --noise 0.1 --out corner.hdf5\n"
                   "bex data gen antmaze-medium-diverse --steps 1000000 --out antmaze-medium.hdf5",
        .options = options,
        .count = sizeof options / sizeof *options,
    };
    const char *env[1];
    int n = bex_options_parse(&usage, argc, argv, env, 1);
    if (n == BEX_OPTIONS_HELP) return BEX_EXIT_OK;
    if (n < 0) return BEX_EXIT_USAGE;
    if (n == 0 || !q.out) {
        bex_fail(n ? "where to? (--out FILE)" : "which environment? (bex env --list)");
        return bex_command_fail(&usage, BEX_EXIT_USAGE);
    }
    q.env = env[0];
    int code = generate(&q);
    return code == BEX_EXIT_OK ? code : bex_command_fail(&usage, code);
}
