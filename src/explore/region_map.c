/* explore/region_map.c - what a map of an exploration needs: walls, where the states were, paths. */
#include "explore/region_map.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 4, ROLLOUTS = 4, PATH_POINTS = 100 };

static void *need(size_t count, size_t size) {
    void *p = calloc(count + 1, size);
    BEX_CHECK(p, "out of memory for %zu shapes", count);
    return p;
}

static bex_boxes boxes_of(const bex_env_shape *shapes, int count, bex_env_shape_kind kind) {
    bex_boxes b = {0, need((size_t)count, sizeof *b.at)};
    for (int i = 0; i < count; i++) {
        const bex_env_shape *s = &shapes[i];
        if (s->kind != kind) continue;
        const double box[4] = {s->right, s->down, s->half_right, s->half_down};
        memcpy(b.at[b.n++], box, sizeof box);
    }
    return b;
}

// squares over the walls' extent, without counts
static bex_grid squares_of(const bex_env_shape *shapes, int count) {
    double left = 1e300, top = 1e300, right = -1e300, bottom = -1e300;
    for (int i = 0; i < count; i++) {
        const bex_env_shape *s = &shapes[i];
        left = fmin(left, s->right - s->half_right), right = fmax(right, s->right + s->half_right);
        top = fmin(top, s->down - s->half_down), bottom = fmax(bottom, s->down + s->half_down);
    }
    bex_grid q = {0, 0, left, top, 2 * shapes[0].half_right / PARTS, NULL};
    q.columns = (int)lround((right - left) / q.unit), q.rows = (int)lround((bottom - top) / q.unit);
    if (q.columns < 1 || q.rows < 1 || (long long)q.columns * q.rows > 1 << 20)
        q.rows = q.columns = 0;
    return q;
}

static void count_states(bex_grid q, const bex_world *w, const bex_real *obs, int n) {
    for (int t = 0; t < n; t++, obs += w->spec.state) {
        int c = (int)floor(((double)obs[w->right] - q.left) / q.unit);
        int r = (int)floor(((double)obs[w->down] - q.top) / q.unit);
        if (c >= 0 && c < q.columns && r >= 0 && r < q.rows) q.count[r * q.columns + c]++;
    }
}

// of the exploration, or of the demonstrations it is compared with
static bex_grid count_grid(const bex_explored *e, bex_grid q,
                           const bex_explore_about *demonstrations) {
    if (!q.rows) return (bex_grid){0};
    q.count = need((size_t)q.rows * (size_t)q.columns, sizeof *q.count);
    if (demonstrations)
        count_states(q, e->world, demonstrations->demonstrations,
                     demonstrations->demonstration_rows);
    for (int i = 0; !demonstrations && i < e->trials; i++)
        count_states(q, e->world, e->trial[i].obs, e->trial[i].steps);
    return q;
}

static void add_place(bex_path *path, const bex_world *w, const bex_real *obs) {
    double *at = path->at[path->n++];
    at[0] = (double)obs[w->right], at[1] = (double)obs[w->down];
}

static bex_path rollout(const bex_explored *e, int trial, int episode) {
    const int *start = e->trial[trial].start + episode;
    int length = start[1] - start[0], apart = (length + PATH_POINTS - 1) / PATH_POINTS;
    bex_path path = {0, need((size_t)length, sizeof *path.at)};
    for (int t = start[0]; t < start[1]; t += apart)
        add_place(&path, e->world, e->trial[trial].obs + (size_t)t * (size_t)e->O);
    return path;
}

static bex_path segment_of(const bex_world *w, const bex_explore_about *about) {
    bex_path path = {0, need((size_t)about->segment_rows, sizeof *path.at)};
    for (int i = 0; i < about->segment_rows; i++)
        add_place(&path, w, about->segment + (size_t)i * (size_t)w->spec.state);
    return path;
}

static void fill_rollouts(bex_exploration_summary *s, const bex_explored *e) {
    int trials = e->trials < ROLLOUTS ? e->trials : ROLLOUTS;
    size_t paths = 0, next = 0;
    s->rollout_episodes = need((size_t)trials, sizeof *s->rollout_episodes);
    for (int i = 0; i < trials; i++)
        paths += (size_t)(s->rollout_episodes[i] = e->trial[i].episodes);
    s->rollouts = need(paths, sizeof *s->rollouts);
    s->rollout_trials = trials;
    for (int i = 0; i < trials; i++)
        for (int k = 0; k < e->trial[i].episodes; k++) s->rollouts[next++] = rollout(e, i, k);
}

int bex_explore_map(bex_exploration_summary *s, const bex_explored *e,
                    const bex_explore_about *about) {
    const bex_world *w = e->world;
    if (!w->class->draw) return 0;
    int count = w->class->draw(w, NULL, 0);
    bex_env_shape *shapes = malloc((size_t)(count + 1) * sizeof *shapes);
    if (!shapes) return bex_fail("out of memory");
    w->class->draw(w, shapes, count);
    bex_grid q = count ? squares_of(shapes, count) : (bex_grid){0};
    s->map = true;
    s->visits = count_grid(e, q, NULL);
    s->shown_grid = about->demonstrations != NULL;
    if (s->shown_grid) s->demonstrations = count_grid(e, q, about);
    if (about->segment) s->segment = segment_of(w, about);
    s->walls = boxes_of(shapes, count, BEX_ENV_SHAPE_WALL);
    s->goal_boxes = boxes_of(shapes, count, BEX_ENV_SHAPE_GOAL);
    s->start_boxes = boxes_of(shapes, count, BEX_ENV_SHAPE_START);
    free(shapes);
    fill_rollouts(s, e);
    return 0;
}
