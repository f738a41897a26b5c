/* demo/maze_demonstrations.c - pieces of rows over all cores. */
#include "demo/maze_demonstrations.h"

#include "base/error.h"
#include "demo/ant_demonstrations.h"
#include "env/ant/antmaze.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTINUING_PIECE = 20000, WIDEST = 8 };

int bex_demonstrations_init(bex_demonstrations *d) {
    size_t n = (size_t)d->room, O = (size_t)d->world->O, A = (size_t)d->world->A;
    d->obs = malloc(n * O * sizeof *d->obs);
    d->act = malloc(n * A * sizeof *d->act);
    d->reward = malloc(n * sizeof *d->reward);
    d->goal = malloc(n * 2 * sizeof *d->goal);
    d->terminal = malloc(n);
    d->timeout = malloc(n);
    d->after = NULL;
    bool ant = bex_antmaze_maze(d->world), after = true;
    if (ant) {
        BEX_CHECK(d->controller, "an ant without a controller");
        if (!d->episode_length) d->episode_length = BEX_ANT_EPISODE;
        bex_antmaze_test_goal(d->world, d->test_goal);
        d->after = malloc(n * O * sizeof *d->after);
        after = d->after;
    }
    if (after && d->obs && d->act && d->reward && d->goal && d->terminal && d->timeout) return 0;
    bex_demonstrations_fini(d);
    return bex_fail("out of memory for %d rows", d->room);
}

void bex_demonstrations_fini(bex_demonstrations *d) {
    free(d->obs);
    free(d->act);
    free(d->reward);
    free(d->goal);
    free(d->after);
    free(d->terminal);
    free(d->timeout);
    d->obs = d->act = d->reward = d->goal = d->after = NULL;
    d->terminal = d->timeout = NULL;
}

int bex_demonstrations_piece(const bex_demonstrations *d) {
    return d->episode_length > 0 ? d->episode_length : CONTINUING_PIECE;
}

// `count` rows of one piece from row `at`
static int make_piece(bex_demonstrations *d, size_t at, int count, bex_env *env,
                      bex_demonstrator *pilot, bex_rng rng) {
    const bex_env_class *class = d->world->class;
    size_t O = (size_t)d->world->O, A = (size_t)d->world->A;
    bex_real obs[WIDEST];
    BEX_CHECK(O <= WIDEST, "%zu observations", O);
    if (class->reset(env, bex_rng_split(rng, "env", 0), obs) < 0) return -1;
    bex_demonstrator_start(pilot, bex_rng_split(rng, "demonstrator", 0), obs);
    for (int t = 0; t < count; t++, at++) {
        bool terminated;
        memcpy(d->obs + at * O, obs, O * sizeof *obs);
        bool over = bex_demonstrator_act(pilot, obs, d->act + at * A, d->goal + at * 2);
        if (class->step(env, d->act + at * A, obs, &d->reward[at], &terminated) < 0)
            return bex_fail_in("row %d", t);
        d->terminal[at] = terminated;
        d->timeout[at] = t == count - 1 || (d->episode_length == 0 && over);
    }
    return 0;
}

int bex_demonstrations_make(bex_demonstrations *d, long long first, int count) {
    BEX_CHECK(count <= d->room, "%d rows, room for %d", count, d->room);
    if (d->controller) return bex_ant_demonstrations_make(d, first, count);
    int piece = bex_demonstrations_piece(d), failed = -1;
    int pieces = (int)(((long long)count + piece - 1) / piece);
    bex_rng root = bex_rng_split(bex_rng_seed(d->seed), "demonstrations", 0);
    char text[512] = "";
#pragma omp parallel
    {
        bex_env *env = d->world->class->new (d->world);
        bex_demonstrator *pilot = NULL;
        bool ready = env && bex_demonstrator_new(&pilot, d->world, &d->options) == 0;
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
        bex_demonstrator_free(pilot);
        d->world->class->free(env);
    }
    return failed < 0 ? 0 : bex_fail("%s: piece %lld: %s", d->world->name, first + failed, text);
}
