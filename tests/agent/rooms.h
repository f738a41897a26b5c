/* tests/agent/rooms.h - two rooms with a door between them, as a world: small enough to learn in within a
 * test.
 *
 *   +-----------+-----------+     observation (2)  x in [0, 8], y in [0, 4], upwards
 *   |                       |     action (2)       moves by 0.12 a, as far as the walls let it
 *   |     (1)   |           |     door             y in (2.6, 3.6) of the wall at x = 4
 *   | start     |       (0) |     goals            0: (7, 0.7) within 1; 1: (2, 2) within 0.8
 *   +-----------+-----------+
 *
 * Regions are unit squares. Never ends; 100 steps, of which the way to goal 0 takes 57. Demonstrators walk
 * from anywhere in one room to anywhere in the other, with noise. */
#ifndef BEX_TESTS_AGENT_ROOMS_H
#define BEX_TESTS_AGENT_ROOMS_H

#include "base/error.h"
#include "data/dataset.h"
#include "env/env.h"

#include "test.h"

#include <math.h>

enum { ROOM_LIMIT = 100, ROOM_REGIONS = 32, ROOM_GOALS = 2 };

typedef struct {
    bex_env base;
    double at[2];
} room_env;

static inline void room_move(double at[2], const bex_real *act) {
    double to[2];
    for (int i = 0; i < 2; i++) {
        double a = fmax(-1, fmin(1, (double)act[i]));
        to[i] = fmax(0, fmin(i ? 4 : 8, at[i] + 0.12 * a));
    }
    bool crosses = (at[0] < 4) != (to[0] < 4), door = at[1] > 2.6 && at[1] < 3.6;
    if (!crosses || door) at[0] = to[0];
    at[1] = to[1];
}

static void room_close(bex_world *w) {
    free(w);
}

static bex_env *room_new(const bex_world *w) {
    room_env *e = calloc(1, sizeof *e);
    e->base.world = w;
    return &e->base;
}

static void room_free(bex_env *e) {
    free(e);
}

static int room_reset(bex_env *env, bex_rng rng, const bex_frame *out) {
    room_env *e = (room_env *)env;
    e->at[0] = 0.8 + 0.4 * bex_rng_uniform(&rng), e->at[1] = 0.3 + 0.4 * bex_rng_uniform(&rng);
    out->state[0] = R(e->at[0]), out->state[1] = R(e->at[1]);
    return 0;
}

static unsigned room_found(const bex_world *w, const bex_real *obs) {
    (void)w;
    unsigned far = hypot((double)obs[0] - 7, (double)obs[1] - 0.7) < 1;
    unsigned near = hypot((double)obs[0] - 2, (double)obs[1] - 2) < 0.8;
    return far | near << 1;
}

static int room_step(bex_env *env, const bex_real *act, const bex_frame *out, bex_real *reward,
                     bool *terminated) {
    room_env *e = (room_env *)env;
    room_move(e->at, act);
    out->state[0] = R(e->at[0]), out->state[1] = R(e->at[1]);
    *reward = room_found(env->world, out->state) != 0;
    *terminated = false;
    return 0;
}

static int room_region(const bex_world *w, const bex_real *obs) {
    (void)w;
    int x = (int)obs[0], y = (int)obs[1];
    return (x > 7 ? 7 : x) * 4 + (y > 3 ? 3 : y);
}

// one with a single goal besides: whose bit 0 is goal g of the first
static unsigned room_found_far(const bex_world *w, const bex_real *obs) {
    return room_found(w, obs) & 1;
}
static unsigned room_found_near(const bex_world *w, const bex_real *obs) {
    return room_found(w, obs) >> 1;
}

#define ROOM_CLASS(which)                                                                          \
    {                                                                                              \
        .name = "rooms", .time_limit = ROOM_LIMIT, .close = room_close, .new = room_new,           \
        .free = room_free, .reset = room_reset, .step = room_step, .region = room_region,          \
        .found = which                                                                             \
    }
static const bex_env_class room_class = ROOM_CLASS(room_found),
                           room_far_class = ROOM_CLASS(room_found_far),
                           room_near_class = ROOM_CLASS(room_found_near);
#undef ROOM_CLASS

static inline bex_world *rooms_open(const bex_env_class *class) {
    bex_world *w = calloc(1, sizeof *w);
    *w = (bex_world){.class = class,
                     .name = class->name,
                     .spec.state = 2,
                     .A = 2,
                     .time_limit = ROOM_LIMIT,
                     .regions = ROOM_REGIONS,
                     .goals = class == &room_class ? ROOM_GOALS : 1,
                     .dt = 1};
    return w;
}

// walks from anywhere in one room to anywhere in the other, by the door
static inline bex_dataset *rooms_demonstrations(int episodes, uint64_t seed) {
    int *start = malloc(((size_t)episodes + 1) * sizeof *start), rows = episodes * ROOM_LIMIT;
    bex_dataset *d = bex_dataset_new();
    assert_int_equal(bex_dataset_allocate(d, (unsigned)rows, 2, 2, 0, 0), 0);
    for (int e = 0; e <= episodes; e++) start[e] = e * ROOM_LIMIT;
    assert_int_equal(bex_dataset_take_episodes(d, start, episodes), 0);
    for (int e = 0; e < episodes; e++) {
        bex_rng g = bex_rng_split(bex_rng_seed(seed), "walk", (uint64_t)e);
        bool right = bex_rng_uniform(&g) < 0.9; // to the right hand room
        double at[2] = {4 * bex_rng_uniform(&g) + (right ? 0 : 4), 4 * bex_rng_uniform(&g)};
        double to[2] = {4 * bex_rng_uniform(&g) + (right ? 4 : 0), 4 * bex_rng_uniform(&g)};
        for (int t = 0; t < ROOM_LIMIT; t++) {
            size_t row = (size_t)(e * ROOM_LIMIT + t);
            bool before = right ? at[0] < 4 : at[0] >= 4;
            // to the door first
            double aim[2] = {before ? (right ? 4.3 : 3.7) : to[0], before ? 3.1 : to[1]};
            double dx = aim[0] - at[0], dy = aim[1] - at[1], far = hypot(dx, dy) + 1e-9;
            double pace = fmin(1, far / 0.12);
            bex_real *s = d->observations + 2 * row, *a = d->actions + 2 * row;
            s[0] = R(at[0]), s[1] = R(at[1]);
            a[0] = R(fmax(-1, fmin(1, pace * dx / far + 0.1 * bex_rng_normal(&g))));
            a[1] = R(fmax(-1, fmin(1, pace * dy / far + 0.1 * bex_rng_normal(&g))));
            room_move(at, a);
        }
    }
    return d;
}

#endif
