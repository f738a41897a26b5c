/* cli/cmd_data_gen.c - `bex data gen ENV`: demonstrations into a D4RL-layout file, on all cores. */
#include "cli/command.h"
#include "cli/options.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/progress.h"
#include "data/writer.h"
#include "env/demonstrations.h"
#include "env/goal_weights.h"
#include "env/maze2d.h"
#include "env/mj.h"

#include <stdio.h>
#include <stdlib.h>

enum { WAVE = 200000 }; // rows made between two appends, about

typedef struct request {
    const char *env, *out, *maze, *rare, *start;
    long long steps, seed, episode_length, patience;
    double noise;
} request;

static const bex_column columns[] = {
    {"observations", BEX_COLUMN_FLOAT32, 4}, {"actions", BEX_COLUMN_FLOAT32, 2},
    {"rewards", BEX_COLUMN_FLOAT32, 0},      {"terminals", BEX_COLUMN_FLAG, 0},
    {"timeouts", BEX_COLUMN_FLAG, 0},        {"infos/goal", BEX_COLUMN_FLOAT32, 2},
    {"infos/qpos", BEX_COLUMN_FLOAT32, 2},   {"infos/qvel", BEX_COLUMN_FLOAT32, 2},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static int parse_cell(int cell[2], const char *text) {
    char end;
    if (!text ||
        (sscanf(text, "%4d,%4d%c", &cell[0], &cell[1], &end) == 2 && cell[0] >= 0 && cell[1] >= 0))
        return 0;
    bex_fail("--start takes ROW,COLUMN, not '%s'", text);
    return bex_fail_hint("rows from the top, columns from the left, both from 0");
}

// what makes the rows what they are, without where they go
static int write_origin(bex_writer *w, const request *q) {
    char text[1024];
    int n = snprintf(text, sizeof text, "bex data gen %s --steps %lld --seed %lld --noise %g",
                     q->env, q->steps, q->seed, q->noise);
    const char *const extra[][2] = {{"maze", q->maze}, {"start", q->start}, {"rare", q->rare}};
    for (int i = 0; i < 3; i++)
        if (extra[i][1] && n < (int)sizeof text)
            n += snprintf(text + n, sizeof text - (size_t)n, " --%s %s", extra[i][0], extra[i][1]);
    if (n < (int)sizeof text)
        snprintf(text + n, sizeof text - (size_t)n, " --episode-length %lld --patience %lld",
                 q->episode_length, q->patience);
    if (bex_writer_text(w, "metadata/command", text) < 0) return -1;
    return bex_writer_text(w, "metadata/algorithm", "shortest way, waypoints, PD law");
}

typedef struct tally {
    long long ends, rewarded;
    long long *seen; // (regions)
} tally;

static void count_rows(tally *t, const bex_demonstrations *d, int rows) {
    for (int i = 0; i < rows; i++) {
        int region = d->world->class->region(d->world, d->obs + (size_t)i * (size_t)d->world->O);
        if (region >= 0) t->seen[region]++;
        t->ends += d->timeout[i];
        t->rewarded += d->reward[i] > 0;
    }
}

static int append_rows(bex_writer *w, const bex_demonstrations *d, bex_real *halves, int rows) {
    bex_real *qpos = halves, *qvel = halves + 2 * (size_t)rows;
    for (size_t i = 0; i < (size_t)rows; i++)
        for (size_t k = 0; k < 2; k++) {
            qpos[2 * i + k] = d->obs[4 * i + k];
            qvel[2 * i + k] = d->obs[4 * i + 2 + k];
        }
    const void *blocks[COLUMNS] = {d->obs,     d->act,  d->reward, d->terminal,
                                   d->timeout, d->goal, qpos,      qvel};
    return bex_writer_append(w, rows, blocks);
}

// all rows, wave by wave: made on all cores, written by one
static int make_rows(bex_writer *w, bex_demonstrations *d, tally *t, long long steps) {
    int piece = bex_demonstrations_piece(d);
    bex_real *halves = malloc((size_t)d->room * 4 * sizeof *halves);
    if (!halves) return bex_fail("out of memory");
    bex_progress p;
    bex_progress_start(&p, stderr, "data gen", steps);
    int code = 0;
    for (long long at = 0; at < steps && code == 0;) {
        int rows = steps - at < d->room ? (int)(steps - at) : d->room;
        code = bex_demonstrations_make(d, at / piece, rows);
        if (code == 0) code = append_rows(w, d, halves, rows);
        if (code == 0) count_rows(t, d, rows);
        bex_progress_update(&p, at += rows, "%lld ends", t->ends);
    }
    bex_progress_finish(&p);
    free(halves);
    return code;
}

static void summarise(const request *q, const bex_world *world, const tally *t, double seconds) {
    int visited = 0;
    long long least = q->steps;
    for (int i = 0; i < world->regions; i++) {
        visited += t->seen[i] > 0;
        if (t->seen[i] < least) least = t->seen[i];
    }
    printf("%s: %lld rows in %lld %s, %d of %d cells visited, the rarest in %.2g %% of rows, "
           "%.1f %% rewarded; %.1f s\n",
           q->out, q->steps, t->ends, q->episode_length ? "episodes" : "navigations", visited,
           world->regions, 100.0 * (double)least / (double)q->steps,
           100.0 * (double)t->rewarded / (double)q->steps, seconds);
}

static int open_world(bex_world **world, const request *q) {
    bex_world_options o = BEX_WORLD_INIT;
    o.maze = q->maze;
    o.time_limit = -1;
    if (parse_cell(o.start, q->start) < 0 || bex_world_open(world, q->env, &o) < 0) return -1;
    if (!bex_maze2d_maze(*world)) return bex_fail("no demonstrator knows %s", q->env);
    return 0;
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

static int generate(const request *q) {
    double began = bex_seconds(), *weights = NULL;
    bex_world *world = NULL;
    bex_writer *writer = NULL;
    bex_demonstrations d = {0};
    tally t = {0};
    int code = bex_mj_version() ? BEX_EXIT_USAGE : BEX_EXIT_FAILED;
    if (open_world(&world, q) < 0 || open_weights(&weights, world, q) < 0) goto done;
    code = BEX_EXIT_FAILED;
    d = (bex_demonstrations){.world = world,
                             .options = {q->noise, (int)q->patience, weights},
                             .episode_length = (int)q->episode_length,
                             .seed = (uint64_t)q->seed};
    int piece = bex_demonstrations_piece(&d);
    long long room = (long long)piece * (WAVE / piece > 0 ? WAVE / piece : 1);
    d.room = (int)(room < q->steps ? room : q->steps);
    t.seen = calloc((size_t)world->regions, sizeof *t.seen);
    if (!t.seen) {
        bex_fail("out of memory");
        goto done;
    }
    if (bex_demonstrations_init(&d) < 0 || bex_writer_open(&writer, q->out, columns, COLUMNS) < 0 ||
        write_origin(writer, q) < 0 || make_rows(writer, &d, &t, q->steps) < 0 ||
        bex_writer_commit(writer) < 0)
        goto done;
    summarise(q, world, &t, bex_seconds() - began);
    code = BEX_EXIT_OK;
done:
    bex_writer_free(writer);
    bex_demonstrations_fini(&d);
    bex_world_close(world);
    free(weights);
    free(t.seen);
    return code;
}

int bex_cmd_data_gen(int argc, char **argv) {
    static request q = {.steps = 1000000};
    static const bex_option options[] = {
        {"out", BEX_OPTION_TEXT, &q.out, "FILE", "the HDF5 file to make; must not exist", 0, 0},
        {"steps", BEX_OPTION_INTEGER, &q.steps, "N", "rows", 1, 1e9},
        {"seed", BEX_OPTION_INTEGER, &q.seed, "N", "same seed, same file, on any number of cores",
         0, 9e15},
        {"noise", BEX_OPTION_NUMBER, &q.noise, "SD", "normal noise on actions; D4RL: 0", 0, 10},
        {"start", BEX_OPTION_TEXT, &q.start, "ROW,COL", "cell where runs start; else any", 0, 0},
        {"rare", BEX_OPTION_TEXT, &q.rare, "CELLS", "seldom goals: 4,1-6,2:0.05, or far:3", 0, 0},
        {"episode-length", BEX_OPTION_INTEGER, &q.episode_length, "N",
         "reset every N rows; 0: run on, as D4RL", 0, 1e6},
        {"patience", BEX_OPTION_INTEGER, &q.patience, "N",
         "steps before a goal is given up; 0: the time limit", 0, 1e6},
        {"maze", BEX_OPTION_TEXT, &q.maze, "FILE", "text grid, for ENV maze2d", 0, 0},
    };
    static const bex_usage usage = {
        .command = "data gen",
        .synopsis = "ENV --out FILE [options]",
        .about =
            "Make demonstrations: a planner and a PD law drive from goal to goal, as in D4RL's\n"
            "Maze2D data. ENV: maze2d-umaze, -medium, -large, -open, or maze2d with --maze.\n"
            "--rare names cells (row,column) or rectangles that are goals less often, :WEIGHT\n"
            "times (0.05); several are joined by +. far:K weighs by exp(-steps from start / K).",
        .example = "bex data gen maze2d-medium --steps 20000 --seed 0 --out demos.hdf5\n"
                   "bex data gen maze2d-medium --steps 60000 --start 3,4 --episode-length 300 "
                   "--rare 4,1-6,2 --noise 0.1 --out corner.hdf5",
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
