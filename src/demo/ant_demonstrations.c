/* demo/ant_demonstrations.c - flocks of ants, each on its way. */
#include "demo/ant_demonstrations.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/path.h"
#include "demo/ant_pilot.h"
#include "env/ant/ant_body.h"
#include "env/ant/ant_controller.h"
#include "env/ant/ant_gait.h"
#include "env/ant/antmaze.h"
#include "env/d4rl.h"
#include "env/maze/maze_world.h"
#include "host/share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLOCK = 8 };
#define CONTROLLER "models/ant-walker.safetensors"

typedef struct ant_options {
    double noise;
    char controller[BEX_CONFIG_TEXT_SIZE];
    long long episode_length;
    double goal_spread;
} ant_options;

typedef struct ant_demonstrations {
    bex_demonstrations base;
    bex_ant_controller *controller;
    int start;           // cell of every start; -1: any
    double test_goal[2]; // where rewards are paid
    bex_ant_gait gait;   // of the rows counted
} ant_demonstrations;

#define O ant_options
static const bex_config_row option_rows[] = {
    BEX_CONFIG_NUMBER(O, noise, "0.2", 0, 10, "standard deviation added to actions; D4RL's"),
    BEX_CONFIG_TEXT(O, controller, "",
                    "safetensors network that walks the ant; empty: bex's " CONTROLLER),
    BEX_CONFIG_INTEGER(O, episode_length, "1001", 1, 1e6, "rows of an episode; D4RL's"),
    BEX_CONFIG_NUMBER(
        O, goal_spread, "1.5", 0, 4,
        "metres of goals from the middle of their cell; D4RL's script 1.5, its files 3"),
    BEX_CONFIG_END,
};
#undef O

static const ant_options *options_of(const bex_demonstrations *d) {
    return d->options;
}

typedef struct walker {
    bex_env *env;
    bex_ant_pilot *pilot;
    bex_rng rng;
    double goal[2];
    bex_real obs[BEX_ANT_STATE];
} walker;

typedef struct flock {
    walker ants[FLOCK];
    bex_real in[FLOCK * BEX_ANT_STATE];
    bex_real mean[FLOCK * BEX_ANT_ACTIONS], deviation[FLOCK * BEX_ANT_ACTIONS];
    bex_real *scratch;
} flock;

typedef struct work {
    bex_demonstrations *d;
    long long first;
    int count;
} work;

static void flock_free(flock *f, const bex_world *world) {
    if (!f) return;
    for (int i = 0; i < FLOCK; i++) {
        world->class->free(f->ants[i].env);
        bex_ant_pilot_free(f->ants[i].pilot);
    }
    free(f->scratch);
    free(f);
}

static flock *flock_new(const bex_demonstrations *d, int ants) {
    flock *f = calloc(1, sizeof *f);
    if (!f) return bex_fail("out of memory"), NULL;
    const bex_ant_controller *controller = ((const ant_demonstrations *)d)->controller;
    f->scratch = malloc(bex_ant_controller_scratch(controller, FLOCK) * sizeof *f->scratch);
    bool whole = f->scratch || bex_fail("out of memory") == 0;
    for (int i = 0; whole && i < ants; i++) {
        f->ants[i].env = d->world->class->new (d->world);
        whole = f->ants[i].env &&
                bex_ant_pilot_new(&f->ants[i].pilot, d->world, options_of(d)->goal_spread) == 0;
    }
    if (whole) return f;
    flock_free(f, d->world);
    return NULL;
}

static void begin(const bex_demonstrations *d, walker *a, long long episode) {
    bex_rng root = bex_rng_split(bex_rng_seed(d->seed), "ant demonstrations", (uint64_t)episode);
    double start[2];
    a->rng = bex_rng_split(root, "pilot", 0);
    bex_ant_pilot_begin(a->pilot, &a->rng, ((const ant_demonstrations *)d)->start, start, a->goal);
    bex_antmaze_put(a->env, bex_rng_split(root, "env", 0), start[0], start[1], a->obs);
}

// one row of one ant: what the network said, the step, the record
static int step(bex_demonstrations *d, walker *a, size_t at, const bex_real *mean,
                const bex_real *deviation) {
    const double *test = ((const ant_demonstrations *)d)->test_goal;
    bex_real *act = d->act + at * BEX_ANT_ACTIONS, reward;
    bool terminated;
    memcpy(d->obs + at * BEX_ANT_STATE, a->obs, sizeof a->obs);
    bex_ant_controller_sample(act, mean, deviation, options_of(d)->noise, &a->rng);
    if (d->world->class->step(a->env, act, &(bex_frame){.state = a->obs}, &reward, &terminated) < 0)
        return -1;
    memcpy(d->after + at * BEX_ANT_STATE, a->obs, sizeof a->obs);
    bool there = hypot((double)a->obs[0] - test[0], (double)a->obs[1] - test[1]) <= BEX_GOAL_RADIUS;
    for (int i = 0; i < 2; i++) d->goal[2 * at + (size_t)i] = R(a->goal[i]);
    d->reward[at] = there;
    d->terminal[at] = there;
    return 0;
}

// `ants` episodes side by side, the first at row `at`, the last of all possibly cut short
static int walk(const work *w, flock *f, long long episode, int at, int ants) {
    bex_demonstrations *d = w->d;
    const bex_ant_controller *controller = ((const ant_demonstrations *)d)->controller;
    int length = bex_demonstrations_piece(d);
    for (int i = 0; i < ants; i++) begin(d, &f->ants[i], episode + i);
    for (int t = 0; t < length; t++) {
        for (int i = 0; i < ants; i++)
            bex_ant_pilot_input(f->ants[i].pilot, &f->ants[i].rng, f->ants[i].obs,
                                f->in + (size_t)i * BEX_ANT_STATE);
        bex_ant_controller_run(controller, f->mean, f->deviation, f->in, ants, f->scratch);
        for (int i = 0; i < ants; i++) {
            int row = at + i * length + t;
            if (row >= w->count) continue;
            if (step(d, &f->ants[i], (size_t)row, f->mean + (size_t)i * BEX_ANT_ACTIONS,
                     f->deviation + (size_t)i * BEX_ANT_ACTIONS) < 0)
                return bex_fail_in("episode %lld, row %d", episode + i, t);
            d->timeout[row] = t == length - 1 || row == w->count - 1;
        }
    }
    return 0;
}

static int walk_flock(long piece, int worker, void *payload) {
    (void)worker;
    const work *w = payload;
    int length = bex_demonstrations_piece(w->d), at = (int)piece * FLOCK * length;
    int left = (w->count - at + length - 1) / length, ants = left < FLOCK ? left : FLOCK;
    flock *f = flock_new(w->d, ants);
    int code = f ? walk(w, f, w->first + piece * FLOCK, at, ants) : -1;
    flock_free(f, w->d->world);
    return code;
}

static int make(bex_demonstrations *d, long long first, int count) {
    int rows = FLOCK * bex_demonstrations_piece(d),
        flocks = (int)(((long long)count + rows - 1) / rows);
    work w = {.d = d, .first = first, .count = count};
    if (bex_try_parallel(0, flocks, walk_flock, &w) < 0) return bex_fail_in("%s", d->world->name);
    return 0;
}

// the file asked for, or the one that comes with bex
static int open_controller(ant_demonstrations *a, const char *asked) {
    char own[BEX_PATH_SIZE];
    if (!asked[0] && bex_share_find(own, CONTROLLER) < 0)
        return bex_fail_hint("--controller FILE, a safetensors network that walks");
    a->controller = bex_ant_controller_load(asked[0] ? asked : own);
    return a->controller ? 0 : -1;
}

static int init(bex_demonstrations *d) {
    ant_demonstrations *a = (ant_demonstrations *)d;
    const ant_options *o = d->options;
    d->episodes = true;
    d->piece = (int)o->episode_length;
    a->start = bex_maze_world_start(d->world);
    bex_antmaze_test_goal(d->world, a->test_goal);
    return open_controller(a, o->controller);
}

static void fini(bex_demonstrations *d) {
    bex_ant_controller_free(((ant_demonstrations *)d)->controller);
}

// whole episodes
static int count(bex_demonstrations *d, int made) {
    bex_ant_gait *gait = &((ant_demonstrations *)d)->gait;
    for (size_t i = 0; i + (size_t)d->piece <= (size_t)made; i += (size_t)d->piece)
        if (bex_ant_gait_add(gait, d->world, d->obs + i * BEX_ANT_STATE, d->goal + 2 * i,
                             d->piece) < 0)
            return -1;
    return 0;
}

static json_t *facts(const bex_demonstrations *d) {
    const bex_ant_gait *w = &((const ant_demonstrations *)d)->gait;
    double n = (double)w->episodes, reached = (double)w->reached / n, fell = (double)w->fell / n;
    double cells = (double)w->cells / n;
    if (!w->episodes) return NULL;
    return json_pack(
        "{s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "episodes", (json_int_t)w->episodes,
        "goal_reached", reached, "goal_reached_error", sqrt(reached * (1 - reached) / n),
        "flipped_episodes", fell, "flipped_episodes_error", sqrt(fell * (1 - fell) / n),
        "flipped_states", (double)w->flipped / (double)w->states, "metres_per_upright_step",
        w->steps ? w->metres / (double)w->steps : 0, "cells_per_episode", cells,
        "cells_per_episode_error", sqrt(fmax(0, (double)w->cells2 / n - cells * cells) / n));
}

const bex_demonstrator_class bex_ant_demonstrator = {
    .family = "antmaze",
    .algorithm = "shortest way, waypoints, a network that walks",
    .after = true,
    .rows = option_rows,
    .options_size = sizeof(ant_options),
    .size = sizeof(ant_demonstrations),
    .init = init,
    .fini = fini,
    .make = make,
    .count = count,
    .facts = facts,
};
