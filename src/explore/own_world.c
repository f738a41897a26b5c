/* explore/own_world.c - squares over columns of a state. */
#include "explore/own_world.h"

#include "base/error.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 16, SHAPES = 4 }; // squares along a column; the frame of the map

static const bex_own_world *own(const bex_world *w) {
    return w->own;
}

static int region(const bex_world *world, const bex_real *state) {
    const bex_own_world *w = own(world);
    int at = 0;
    for (int i = 0; i < w->count; i++) {
        int k = (int)floor(((double)state[w->columns[i]] - w->low[i]) / w->side[i]);
        at = at * w->across + (k < 0 ? 0 : k >= w->across ? w->across - 1 : k);
    }
    return at;
}

// a frame of four walls half a square wide: the extent of the map
static int draw(const bex_world *world, bex_env_shape *shapes, int most) {
    const bex_own_world *w = own(world);
    int up = w->count > 1, n = w->count > 1 ? SHAPES : 0;
    if (most < n || !n) return n;
    double wide = w->across * w->side[0] / 2, high = w->across * w->side[up] / 2,
           thin = w->side[0] / 4;
    double x = w->low[0] + wide, y = w->low[up] + high;
    shapes[0] = (bex_env_shape){BEX_ENV_SHAPE_WALL, x - wide - thin, y, thin, high + 2 * thin, 0};
    shapes[1] = (bex_env_shape){BEX_ENV_SHAPE_WALL, x + wide + thin, y, thin, high + 2 * thin, 0};
    shapes[2] = (bex_env_shape){BEX_ENV_SHAPE_WALL, x, y - high - thin, wide, thin, 0};
    shapes[3] = (bex_env_shape){BEX_ENV_SHAPE_WALL, x, y + high + thin, wide, thin, 0};
    return n;
}

static int longest(const bex_recording *r) {
    int most = 1;
    for (int e = 0; e < r->episodes; e++)
        if (r->start[e + 1] - r->start[e] > most) most = r->start[e + 1] - r->start[e];
    return most;
}

static int choose_columns(bex_own_world *w, const bex_policy *p, const int *columns, int count) {
    for (int i = 0; i < count && i < BEX_OWN_COLUMNS; i++) w->columns[w->count++] = columns[i];
    for (int i = 0; !count && i < p->coverage_count && w->count < 2; i++)
        w->columns[w->count++] = p->coverage_dims[i];
    for (int i = 0; !w->count && i < p->O && i < 2; i++)
        w->columns[i] = i, w->count += i == 1 || p->O == 1 ? i + 1 : 0;
    for (int i = 0; i < w->count; i++) {
        int c = w->columns[i];
        double std = (double)p->normaliser.std[c];
        char label[BEX_COLUMN_LABEL];
        if (!(std > 0))
            return bex_fail("column %s was constant in the demonstrations: no regions to count",
                            bex_column_label(label, &p->columns, c));
        w->side[i] = std / 2;
        w->low[i] = (double)p->normaliser.mean[c] - ACROSS / 2 * w->side[i];
    }
    return 0;
}

int bex_own_world_init(bex_own_world *w, const bex_policy *p, const bex_recording *r,
                       const int *columns, int count) {
    *w = (bex_own_world){.across = ACROSS};
    if (choose_columns(w, p, columns, count) < 0) return -1;
    int regions = 1;
    for (int i = 0; i < w->count; i++) regions *= w->across;
    w->class = (bex_env_class){.name = "own",
                               .family = "own",
                               .equals = "a world of its own",
                               .about = "recorded states",
                               .region = region,
                               .draw = w->count > 1 ? draw : NULL};
    w->world = (bex_world){.class = &w->class,
                           .name = r->environment[0] ? r->environment : "own",
                           .spec = {.state = p->O},
                           .A = p->A,
                           .time_limit = longest(r),
                           .regions = regions,
                           .dt = 1,
                           .right = w->columns[0],
                           .down = w->columns[w->count > 1],
                           .own = w,
                           .keys = ""};
    return 0;
}

static int least_episodes(const bex_recording *r, int *trials) {
    int least = INT_MAX, n = 0;
    *trials = r->trials;
    for (int e = 0; e < r->episodes; e++) {
        n++;
        if (e + 1 == r->episodes || r->trial[e + 1] != r->trial[e])
            least = n < least ? n : least, n = 0;
    }
    return least;
}

static int add_episode(bex_explored *e, const bex_recording *r, int k, const bex_real *nothing) {
    int trial = r->trial[k], last = r->start[k + 1] - 1;
    size_t O = (size_t)r->O, A = (size_t)r->A;
    if (bex_explored_begin(e, trial) < 0) return -1;
    for (int t = r->start[k]; t <= last; t++) {
        bex_step s = {.obs = bex_observation_of(r->obs + (size_t)t * O),
                      .act = r->act ? r->act + (size_t)t * A : nothing,
                      .reward = r->reward ? r->reward[t] : R(0),
                      .terminal = t == last && r->terminal[k],
                      .timeout = t == last && !r->terminal[k]};
        bex_explored_step(e, trial, &s);
    }
    bex_explored_end(e, trial, r->final ? r->final + (size_t)k * O : r->obs + (size_t)last * O);
    return 0;
}

int bex_own_world_explored(bex_explored *e, const bex_own_world *w, const bex_recording *r) {
    int trials, episodes = least_episodes(r, &trials), done = 0;
    *e = (bex_explored){0};
    if (r->A && r->A != w->world.A)
        return bex_fail("actions of %d values, the policy has %d", r->A, w->world.A);
    if (bex_explored_init(e, &w->world, trials, episodes, 0) < 0) return -1;
    bex_real *nothing = calloc((size_t)w->world.A, sizeof *nothing);
    int code = nothing ? 0 : bex_fail("out of memory");
    for (int k = 0; code == 0 && k < r->episodes; k++) {
        done = k && r->trial[k] == r->trial[k - 1] ? done + 1 : 0;
        if (done < episodes) code = add_episode(e, r, k, nothing);
    }
    free(nothing);
    return code;
}
