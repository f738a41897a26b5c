/* demo/ant_demonstrations.c - flocks of ants, each on its way. */
#include "demo/ant_demonstrations.h"

#include "base/error.h"
#include "base/parallel.h"
#include "demo/ant_pilot.h"
#include "env/ant/ant_body.h"
#include "env/ant/ant_controller.h"
#include "env/ant/antmaze.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLOCK = 8 };
#define GOAL_RADIUS 0.5

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
    f->scratch = malloc(bex_ant_controller_scratch(d->controller, FLOCK) * sizeof *f->scratch);
    bool whole = f->scratch || bex_fail("out of memory") == 0;
    for (int i = 0; whole && i < ants; i++) {
        f->ants[i].env = d->world->class->new (d->world);
        whole =
            f->ants[i].env && bex_ant_pilot_new(&f->ants[i].pilot, d->world, d->goal_spread) == 0;
    }
    if (whole) return f;
    flock_free(f, d->world);
    return NULL;
}

static void begin(const bex_demonstrations *d, walker *a, long long episode) {
    bex_rng root = bex_rng_split(bex_rng_seed(d->seed), "ant demonstrations", (uint64_t)episode);
    double start[2];
    a->rng = bex_rng_split(root, "pilot", 0);
    bex_ant_pilot_begin(a->pilot, &a->rng, d->start, start, a->goal);
    bex_antmaze_put(a->env, bex_rng_split(root, "env", 0), start[0], start[1], a->obs);
}

// one row of one ant: what the network said, the step, the record
static int step(bex_demonstrations *d, walker *a, size_t at, const bex_real *mean,
                const bex_real *deviation) {
    const double *test = d->test_goal;
    bex_real *act = d->act + at * BEX_ANT_ACTIONS, reward;
    bool terminated;
    memcpy(d->obs + at * BEX_ANT_STATE, a->obs, sizeof a->obs);
    bex_ant_controller_sample(act, mean, deviation, d->options.noise, &a->rng);
    if (d->world->class->step(a->env, act, a->obs, &reward, &terminated) < 0) return -1;
    memcpy(d->after + at * BEX_ANT_STATE, a->obs, sizeof a->obs);
    bool there = hypot((double)a->obs[0] - test[0], (double)a->obs[1] - test[1]) <= GOAL_RADIUS;
    for (int i = 0; i < 2; i++) d->goal[2 * at + (size_t)i] = R(a->goal[i]);
    d->reward[at] = there;
    d->terminal[at] = there;
    return 0;
}

// `ants` episodes side by side, the first at row `at`, the last of all possibly cut short
static int walk(const work *w, flock *f, long long episode, int at, int ants) {
    bex_demonstrations *d = w->d;
    int length = bex_demonstrations_piece(d);
    for (int i = 0; i < ants; i++) begin(d, &f->ants[i], episode + i);
    for (int t = 0; t < length; t++) {
        for (int i = 0; i < ants; i++)
            bex_ant_pilot_input(f->ants[i].pilot, &f->ants[i].rng, f->ants[i].obs,
                                f->in + (size_t)i * BEX_ANT_STATE);
        bex_ant_controller_run(d->controller, f->mean, f->deviation, f->in, ants, f->scratch);
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

int bex_ant_demonstrations_make(bex_demonstrations *d, long long first, int count) {
    int rows = FLOCK * bex_demonstrations_piece(d),
        flocks = (int)(((long long)count + rows - 1) / rows);
    work w = {.d = d, .first = first, .count = count};
    if (bex_try_parallel(0, flocks, walk_flock, &w) < 0) return bex_fail_in("%s", d->world->name);
    return 0;
}
