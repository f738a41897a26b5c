/* demo/maze_demonstrations.c - pieces of rows over all cores. */
#include "demo/maze_demonstrations.h"

#include "base/error.h"
#include "demo/goal_weights.h"
#include "demo/maze_pilot.h"
#include "env/maze/maze_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTINUING_PIECE = 20000, WIDEST = 8 };

typedef struct maze_options {
    double noise;
    char rare[BEX_CONFIG_TEXT_SIZE];
    long long episode_length, patience;
} maze_options;

typedef struct maze_demonstrations {
    bex_demonstrations base;
    bex_maze_pilot_options pilot;
    double *weights; // (cells); NULL: uniform
} maze_demonstrations;

#define O maze_options
static const bex_config_row option_rows[] = {
    BEX_CONFIG_NUMBER(O, noise, "0", 0, 10, "standard deviation added to actions"),
    BEX_CONFIG_TEXT(O, rare, "", "seldom goals: 4,1-6,2:0.05, or far:3; empty: all alike"),
    BEX_CONFIG_INTEGER(O, episode_length, "0", 0, 1e6, "reset every N rows; 0: run on, as D4RL"),
    BEX_CONFIG_INTEGER(O, patience, "0", 0, 1e6,
                       "steps before a goal is given up; 0: the time limit"),
    BEX_CONFIG_END,
};
#undef O

static int init(bex_demonstrations *d) {
    maze_demonstrations *m = (maze_demonstrations *)d;
    const maze_options *o = d->options;
    const bex_maze *maze = d->world->maze;
    d->episodes = o->episode_length > 0;
    d->piece = d->episodes ? (int)o->episode_length : CONTINUING_PIECE;
    m->pilot = (bex_maze_pilot_options){.noise = o->noise, .patience = (int)o->patience};
    if (!o->rare[0]) return 0;
    m->weights = malloc((size_t)maze->cells * sizeof *m->weights);
    if (!m->weights) return bex_fail("out of memory");
    m->pilot.weights = m->weights;
    if (bex_goal_weights(m->weights, maze, o->rare, bex_maze_world_start(d->world)) == 0) return 0;
    return bex_misused();
}

static void fini(bex_demonstrations *d) {
    free(((maze_demonstrations *)d)->weights);
}

// `count` rows of one piece from row `at`
static int make_piece(bex_demonstrations *d, size_t at, int count, bex_env *env,
                      bex_maze_pilot *pilot, bex_rng rng) {
    const bex_env_class *class = d->world->class;
    size_t O = (size_t)d->world->spec.state, A = (size_t)d->world->A;
    bex_real obs[WIDEST];
    BEX_CHECK(O <= WIDEST, "%zu observations", O);
    if (class->reset(env, bex_rng_split(rng, "env", 0), &(bex_frame){.state = obs}) < 0) return -1;
    bex_maze_pilot_start(pilot, bex_rng_split(rng, "demonstrator", 0), obs);
    for (int t = 0; t < count; t++, at++) {
        bool terminated;
        memcpy(d->obs + at * O, obs, O * sizeof *obs);
        bool over = bex_maze_pilot_act(pilot, obs, d->act + at * A, d->goal + at * 2);
        if (class->step(env, d->act + at * A, &(bex_frame){.state = obs}, &d->reward[at],
                        &terminated) < 0)
            return bex_fail_in("row %d", t);
        d->terminal[at] = terminated;
        d->timeout[at] = t == count - 1 || (!d->episodes && over);
    }
    return 0;
}

static int make(bex_demonstrations *d, long long first, int count) {
    const bex_maze_pilot_options *options = &((const maze_demonstrations *)d)->pilot;
    int piece = bex_demonstrations_piece(d), failed = -1;
    int pieces = (int)(((long long)count + piece - 1) / piece);
    bex_rng root = bex_rng_split(bex_rng_seed(d->seed), "demonstrations", 0);
    char text[512] = "";
#pragma omp parallel
    {
        bex_env *env = d->world->class->new (d->world);
        bex_maze_pilot *pilot = NULL;
        bool ready = env && bex_maze_pilot_new(&pilot, d->world, options) == 0;
#pragma omp for schedule(dynamic)
        for (int p = 0; p < pieces; p++) {
            int at = p * piece, rows = count - at < piece ? count - at : piece;
            bex_rng rng = bex_rng_split(root, "piece", (uint64_t)(first + p));
            if (ready && make_piece(d, (size_t)at, rows, env, pilot, rng) == 0) continue;
#pragma omp critical
            if (failed < 0 || p < failed) {
                failed = p;
                snprintf(text, sizeof text, "%s", bex_error());
            }
        }
        bex_maze_pilot_free(pilot);
        d->world->class->free(env);
    }
    return failed < 0 ? 0 : bex_fail("%s: piece %lld: %s", d->world->name, first + failed, text);
}

const bex_demonstrator_class bex_maze_demonstrator = {
    .family = "maze2d",
    .algorithm = "shortest way, waypoints, PD law",
    .rows = option_rows,
    .options_size = sizeof(maze_options),
    .size = sizeof(maze_demonstrations),
    .init = init,
    .fini = fini,
    .make = make,
};
