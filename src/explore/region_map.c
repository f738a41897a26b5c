/* explore/region_map.c - what a map of an exploration needs: walls, where the states were, paths. */
#include "explore/region_map.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

enum { PARTS = 4, ROLLOUTS = 4, PATH_POINTS = 100 };

static json_t *shape_list(const bex_env_shape *shapes, int count, bex_env_shape_kind kind) {
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        if (shapes[i].kind == kind)
            json_array_append_new(list, json_pack("[f, f, f, f]", shapes[i].right, shapes[i].down,
                                                  shapes[i].half_right, shapes[i].half_down));
    return list;
}

// squares over the walls' extent; counts (rows, columns) of states seen from above
typedef struct {
    double left, top, unit;
    int rows, columns;
} squares;

static squares squares_of(const bex_env_shape *shapes, int count) {
    double left = 1e300, top = 1e300, right = -1e300, bottom = -1e300;
    for (int i = 0; i < count; i++) {
        const bex_env_shape *s = &shapes[i];
        left = fmin(left, s->right - s->half_right), right = fmax(right, s->right + s->half_right);
        top = fmin(top, s->down - s->half_down), bottom = fmax(bottom, s->down + s->half_down);
    }
    squares q = {left, top, 2 * shapes[0].half_right / PARTS, 0, 0};
    q.columns = (int)lround((right - left) / q.unit), q.rows = (int)lround((bottom - top) / q.unit);
    if (q.columns < 1 || q.rows < 1 || (long long)q.columns * q.rows > 1 << 20)
        q.rows = q.columns = 0;
    return q;
}

static void count_states(int *counts, squares q, const bex_world *w, const bex_real *obs, int n) {
    for (int t = 0; t < n; t++, obs += w->O) {
        int c = (int)floor(((double)obs[w->right] - q.left) / q.unit);
        int r = (int)floor(((double)obs[w->down] - q.top) / q.unit);
        if (c >= 0 && c < q.columns && r >= 0 && r < q.rows) counts[r * q.columns + c]++;
    }
}

// of the exploration, or of the demonstrations it is compared with; NULL: out of memory
static json_t *count_grid(const bex_explored *e, squares q,
                          const bex_explore_about *demonstrations) {
    if (!q.rows) return json_null();
    int *counts = calloc((size_t)q.rows * (size_t)q.columns, sizeof *counts);
    if (!counts) return NULL;
    if (demonstrations)
        count_states(counts, q, e->world, demonstrations->demonstrations,
                     demonstrations->demonstration_rows);
    for (int i = 0; !demonstrations && i < e->trials; i++)
        count_states(counts, q, e->world, e->trial[i].obs, e->trial[i].steps);
    json_t *list = json_array();
    for (int i = 0; i < q.rows * q.columns; i++)
        json_array_append_new(list, json_integer(counts[i]));
    free(counts);
    return json_pack("{s:f, s:f, s:f, s:i, s:i, s:o}", "left", q.left, "top", q.top, "unit", q.unit,
                     "rows", q.rows, "columns", q.columns, "counts", list);
}

static json_t *rollout(const bex_explored *e, int trial, int episode) {
    const int *start = e->trial[trial].start + episode;
    int length = start[1] - start[0], apart = (length + PATH_POINTS - 1) / PATH_POINTS;
    json_t *path = json_array();
    for (int t = start[0]; t < start[1]; t += apart) {
        const bex_real *obs = e->trial[trial].obs + (size_t)t * (size_t)e->O;
        json_array_append_new(
            path, json_pack("[f, f]", (double)obs[e->world->right], (double)obs[e->world->down]));
    }
    return path;
}

// the history segment as [right, down]
static json_t *points(const bex_world *w, const bex_explore_about *about) {
    json_t *list = json_array();
    for (int i = 0; i < about->segment_rows; i++) {
        const bex_real *s = about->segment + (size_t)i * (size_t)w->O;
        json_array_append_new(list, json_pack("[f, f]", (double)s[w->right], (double)s[w->down]));
    }
    return list;
}

int bex_explore_add_map(json_t *out, const bex_explored *e, const bex_explore_about *about) {
    const bex_world *w = e->world;
    if (!w->class->draw) return 0;
    int count = w->class->draw(w, NULL, 0);
    bex_env_shape *shapes = malloc((size_t)(count + 1) * sizeof *shapes);
    if (!shapes) return bex_fail("out of memory");
    w->class->draw(w, shapes, count);
    squares q = count ? squares_of(shapes, count) : (squares){0};
    json_t *grid = count_grid(e, q, NULL);
    json_object_set_new(json_object_get(out, "occupancy"), "grid", grid);
    if (about->demonstrations) {
        json_t *shown = json_object_get(out, "demonstrations");
        if (!shown) json_object_set_new(out, "demonstrations", shown = json_object());
        json_object_set_new(shown, "grid", count_grid(e, q, about));
    }
    if (about->segment) json_object_set_new(out, "segment", points(e->world, about));
    json_object_set_new(out, "map",
                        json_pack("{s:o, s:o, s:o}", "walls",
                                  shape_list(shapes, count, BEX_ENV_SHAPE_WALL), "goal",
                                  shape_list(shapes, count, BEX_ENV_SHAPE_GOAL), "start",
                                  shape_list(shapes, count, BEX_ENV_SHAPE_START)));
    free(shapes);
    json_t *paths = json_array();
    for (int i = 0; i < e->trials && i < ROLLOUTS; i++) {
        json_t *trial = json_array();
        for (int k = 0; k < e->trial[i].episodes; k++)
            json_array_append_new(trial, rollout(e, i, k));
        json_array_append_new(paths, trial);
    }
    json_object_set_new(out, "rollouts", paths);
    return grid ? 0 : bex_fail("out of memory");
}
