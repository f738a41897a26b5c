/* tests/agent/point.h - the smallest world worth learning: a point on a line that should be at a mark.
 *
 *   observation (2)  x, mark      both U(-1, 1) at the start
 *   action (1)       x += 0.3 a, kept within [-1.5, 1.5]
 *   reward           -|x - mark|
 *   end              point: never, 20 steps; point-home: within 0.1 of the mark
 *   measures         near: 1 if within 0.1 at the end
 *
 * `push`: planted drift, a world that is not what it was. */
#ifndef BEX_TESTS_AGENT_POINT_H
#define BEX_TESTS_AGENT_POINT_H

#include "base/error.h"
#include "env/env.h"

#include "test.h"

#include <math.h>

typedef struct {
    bex_world base;
    double push;
} point_world;

typedef struct {
    bex_env base;
    double x, mark;
} point_env;

static const bex_env_class point_class, point_home_class;

static void point_close(bex_world *w) {
    free(w);
}

static bex_world *point_open(const bex_env_class *class) {
    point_world *w = calloc(1, sizeof *w);
    w->base = (bex_world){.class = class,
                          .name = class->name,
                          .spec.state = 2,
                          .A = 1,
                          .time_limit = class->time_limit,
                          .regions = 1,
                          .dt = 1};
    return &w->base;
}

static bex_env *point_new(const bex_world *w) {
    point_env *e = calloc(1, sizeof *e);
    e->base.world = w;
    return &e->base;
}

static void point_free(bex_env *e) {
    free(e);
}

static int point_reset(bex_env *env, bex_rng rng, const bex_frame *out) {
    point_env *e = (point_env *)env;
    e->x = 2 * bex_rng_uniform(&rng) - 1, e->mark = 2 * bex_rng_uniform(&rng) - 1;
    out->state[0] = R(e->x), out->state[1] = R(e->mark);
    return 0;
}

static int point_step(bex_env *env, const bex_real *act, const bex_frame *out, bex_real *reward,
                      bool *terminated) {
    point_env *e = (point_env *)env;
    if (!isfinite(act[0])) return bex_fail("action 0 is %g", (double)act[0]);
    e->x += 0.3 * (double)act[0] + ((const point_world *)env->world)->push;
    e->x = fmax(-1.5, fmin(1.5, e->x));
    out->state[0] = R(e->x), out->state[1] = R(e->mark);
    *reward = R(-fabs(e->x - e->mark));
    *terminated = env->world->class == &point_home_class && fabs(e->x - e->mark) < 0.1;
    return 0;
}

static int point_region(const bex_world *w, const bex_real *obs) {
    (void)w, (void)obs;
    return 0;
}

static void point_measure(const bex_env *env, double *values) {
    const point_env *e = (const point_env *)env;
    values[0] = fabs(e->x - e->mark) < 0.1;
}

static const char *const point_measures[] = {"near", NULL};
#define POINT                                                                                      \
    .time_limit = 20, .close = point_close, .new = point_new, .free = point_free,                  \
    .reset = point_reset, .step = point_step, .region = point_region, .measures = point_measures,  \
    .measure = point_measure
static const bex_env_class point_class = {.name = "point", POINT};
static const bex_env_class point_home_class = {.name = "point-home", POINT};

#endif
