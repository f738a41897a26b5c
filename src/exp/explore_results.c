/* exp/explore_results.c */
#include "exp/explore_results.h"

#include "base/error.h"
#include "data/writer.h"
#include "exp/metrics.h"
#include "exp/provenance.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 200, PARTS = 4, ROLLOUTS = 4, PATH_POINTS = 100 };

static void append(json_t *array, double value) {
    json_array_append_new(array, json_real(value));
}

// {"mean": [], "error": []} beside a first column
static json_t *curve(const char *x) {
    return json_pack("{s:[], s:[], s:[]}", x, "mean", "error");
}

static void add_point(json_t *c, const char *x, int at, bex_spread s) {
    json_array_append_new(json_object_get(c, x), json_integer(at));
    append(json_object_get(c, "mean"), s.mean);
    append(json_object_get(c, "error"), s.error);
}

static const unsigned char *visited_in(const bex_explored *e, int trial, int episode) {
    size_t at = (size_t)trial * (size_t)e->episodes + (size_t)episode;
    return e->visited + at * (size_t)e->R;
}

// the share of an episode's regions that its trial had visited in earlier ones
static double repeated_share(const bex_explored *e, int trial, int episode) {
    const int *first = e->first_episode + (size_t)trial * (size_t)e->R;
    const unsigned char *visited = visited_in(e, trial, episode);
    int all = 0, old = 0;
    for (int k = 0; k < e->R; k++) {
        all += visited[k];
        old += visited[k] && first[k] < episode;
    }
    return all ? (double)old / all : 0;
}

static void add_by_episode(json_t *out, const bex_explored *e, double *values) {
    json_t *regions = curve("episode"), *repeated = curve("episode"), *trials = json_array();
    for (int k = 0; k < e->episodes; k++) {
        json_t *each = json_array();
        for (int i = 0; i < e->trials; i++) {
            int n = bex_explored_after_episodes(e, i, k + 1);
            json_array_append_new(each, json_integer(n));
            values[i] = n;
        }
        json_array_append_new(trials, each);
        add_point(regions, "episode", k + 1, bex_spread_of(values, e->trials));
        for (int i = 0; i < e->trials; i++) values[i] = repeated_share(e, i, k);
        add_point(repeated, "episode", k + 1, bex_spread_of(values, e->trials));
    }
    json_object_set_new(regions, "trials", trials);
    json_object_set_new(out, "by_episode",
                        json_pack("{s:o, s:o}", "regions", regions, "repeated", repeated));
    for (int i = 0; i < e->trials; i++) values[i] = bex_explored_after_episodes(e, i, e->episodes);
    bex_spread last = bex_spread_of(values, e->trials);
    json_object_set_new(out, "final",
                        json_pack("{s:f, s:f}", "mean", last.mean, "error", last.error));
}

// up to the step the shortest trial reached: every point is a mean of the same trials
static void add_by_step(json_t *out, const bex_explored *e, double *values) {
    int end = e->room;
    for (int i = 0; i < e->trials; i++)
        if (e->steps[i] < end) end = e->steps[i];
    int apart = end > POINTS ? end / POINTS : 1;
    json_t *c = curve("step");
    for (int n = 0; n <= end; n += apart) {
        for (int i = 0; i < e->trials; i++) values[i] = bex_explored_after_steps(e, i, n);
        add_point(c, "step", n, bex_spread_of(values, e->trials));
    }
    json_object_set_new(out, "by_step", json_pack("{s:o}", "regions", c));
}

// how often a first time came, and when: attempts count from 1, 0 is never
static void first_times(json_t *reached, json_t *mean, const int *attempts, int n) {
    double sum = 0, count = 0;
    for (int i = 0; i < n; i++) {
        sum += attempts[i];
        count += attempts[i] > 0;
    }
    append(reached, count / n);
    json_array_append_new(mean, count > 0 ? json_real(sum / count) : json_null());
}

static void add_attempts(json_t *out, const bex_explored *e, int *attempts) {
    json_t *reached = json_array(), *mean = json_array(), *each = json_array();
    for (int k = 0; k < e->R; k++) {
        for (int i = 0; i < e->trials; i++)
            attempts[i] = e->first_episode[(size_t)i * (size_t)e->R + (size_t)k] + 1;
        first_times(reached, mean, attempts, e->trials);
    }
    json_t *regions = json_pack("{s:o, s:o}", "reached", reached, "mean", mean);
    for (int i = 0; i < e->trials; i++) {
        attempts[i] = bex_explored_attempts(e, i);
        json_array_append_new(each, json_integer(attempts[i]));
    }
    reached = json_array(), mean = json_array();
    first_times(reached, mean, attempts, e->trials);
    json_t *goal = json_pack("{s:O, s:O, s:o}", "reached", json_array_get(reached, 0), "mean",
                             json_array_get(mean, 0), "trials", each);
    json_decref(reached), json_decref(mean);
    json_object_set_new(out, "attempts", json_pack("{s:o, s:o}", "regions", regions, "goal", goal));
}

// the share of goals found: at the end, after each episode; and the share of trials that found each
static void add_goals(json_t *out, const bex_explored *e, double *values) {
    if (!e->G) return;
    json_t *by_episode = curve("episode"), *reached = json_array();
    bex_spread s = {0, 0};
    for (int k = 1; k <= e->episodes; k++) {
        for (int i = 0; i < e->trials; i++) values[i] = bex_explored_goals(e, i, k);
        s = bex_spread_of(values, e->trials);
        add_point(by_episode, "episode", k, s);
    }
    for (int g = 0; g < e->G; g++) {
        double n = 0;
        for (int i = 0; i < e->trials; i++) n += e->first_goal[i * (e->G + 1) + g] >= 0;
        append(reached, n / e->trials);
    }
    json_object_set_new(out, "goals",
                        json_pack("{s:{s:f, s:f}, s:o, s:o}", "found", "mean", s.mean, "error",
                                  s.error, "reached", reached, "by_episode", by_episode));
}

static int add_overlap(json_t *out, const bex_explored *e, const bex_explore_about *about,
                       double *values) {
    if (!about->segment) return 0;
    unsigned char *seen = calloc((size_t)e->R, 1);
    if (!seen) return bex_fail("out of memory");
    bex_regions_mark(seen, e->world, about->segment, about->segment_rows);
    json_t *each = json_array();
    for (int i = 0; i < e->trials; i++) {
        values[i] = 0;
        for (int k = 0; k < e->episodes; k++)
            values[i] += bex_overlap(visited_in(e, i, k), seen, e->R) / e->episodes;
        append(each, values[i]);
    }
    bex_spread s = bex_spread_of(values, e->trials);
    json_object_set_new(
        out, "overlap",
        json_pack("{s:f, s:f, s:o}", "mean", s.mean, "error", s.error, "trials", each));
    free(seen);
    return 0;
}

// ---- what a map needs ----

static json_t *shape_list(const bex_env_shape *shapes, int count, bex_env_shape_kind kind) {
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        if (shapes[i].kind == kind)
            json_array_append_new(list, json_pack("[f, f, f, f]", shapes[i].right, shapes[i].down,
                                                  shapes[i].half_right, shapes[i].half_down));
    return list;
}

// counts of states in squares of a quarter of a cell, over all that is drawn
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
        count_states(counts, q, e->world, e->obs + (size_t)i * (size_t)e->room * (size_t)e->O,
                     e->steps[i]);
    json_t *list = json_array();
    for (int i = 0; i < q.rows * q.columns; i++)
        json_array_append_new(list, json_integer(counts[i]));
    free(counts);
    return json_pack("{s:f, s:f, s:f, s:i, s:i, s:o}", "left", q.left, "top", q.top, "unit", q.unit,
                     "rows", q.rows, "columns", q.columns, "counts", list);
}

static json_t *rollout(const bex_explored *e, int trial, int episode) {
    const int *start = e->start + (size_t)trial * (size_t)(e->episodes + 1) + episode;
    int length = start[1] - start[0], apart = (length + PATH_POINTS - 1) / PATH_POINTS;
    json_t *path = json_array();
    for (int t = start[0]; t < start[1]; t += apart) {
        const bex_real *obs = e->obs + ((size_t)trial * (size_t)e->room + (size_t)t) * (size_t)e->O;
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

static int add_map(json_t *out, const bex_explored *e, const bex_explore_about *about) {
    const bex_world *w = e->world;
    if (!w->class->draw) return 0;
    int count = w->class->draw(w, NULL, 0);
    bex_env_shape *shapes = malloc((size_t)(count + 1) * sizeof *shapes);
    if (!shapes) return bex_fail("out of memory");
    w->class->draw(w, shapes, count);
    squares q = count ? squares_of(shapes, count) : (squares){0};
    json_t *grid = count_grid(e, q, NULL);
    json_object_set_new(json_object_get(out, "occupancy"), "grid", grid);
    if (about->demonstrations)
        json_object_set_new(out, "demonstrations",
                            json_pack("{s:o}", "grid", count_grid(e, q, about)));
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
        for (int k = 0; k < e->episodes; k++) json_array_append_new(trial, rollout(e, i, k));
        json_array_append_new(paths, trial);
    }
    json_object_set_new(out, "rollouts", paths);
    return grid ? 0 : bex_fail("out of memory");
}

static void add_occupancy(json_t *out, const bex_explored *e) {
    json_t *share = json_array();
    double all = 0;
    for (size_t i = 0; i < (size_t)e->trials * (size_t)e->R; i++) all += e->occupancy[i];
    for (int k = 0; k < e->R; k++) {
        double n = 0;
        for (int i = 0; i < e->trials; i++) n += e->occupancy[(size_t)i * (size_t)e->R + (size_t)k];
        append(share, all > 0 ? n / all : 0);
    }
    json_object_set_new(out, "occupancy", json_pack("{s:o}", "share", share));
}

json_t *bex_explore_results(const bex_explored *e, const bex_explore_about *about) {
    const bex_world *w = e->world;
    double *values = malloc((size_t)e->trials * sizeof *values);
    int *attempts = malloc((size_t)e->trials * sizeof *attempts);
    json_t *out = bex_provenance(about->command, about->seed);
    json_t *more = json_pack("{s:i, s:i, s:{s:s, s:i, s:i}, s:O}", "trials", e->trials, "episodes",
                             e->episodes, "environment", "name", w->name, "episode_length",
                             w->time_limit, "regions", w->regions, "agent", about->agent);
    json_object_update(out, more);
    json_decref(more);
    int code = values && attempts ? 0 : bex_fail("out of memory");
    if (code == 0) {
        add_by_episode(out, e, values);
        add_by_step(out, e, values);
        add_attempts(out, e, attempts);
        add_goals(out, e, values);
        add_occupancy(out, e);
        code = add_overlap(out, e, about, values) < 0 ? -1 : add_map(out, e, about);
    }
    free(values);
    free(attempts);
    if (code == 0) return out;
    json_decref(out);
    return NULL;
}

// ---- trajectories ----

static int append_trial(bex_writer *w, const bex_explored *e, int i, int *trial, int *episode) {
    const int *start = e->start + (size_t)i * (size_t)(e->episodes + 1);
    size_t row = (size_t)i * (size_t)e->room;
    for (int k = 0; k < e->episodes; k++)
        for (int t = start[k]; t < start[k + 1]; t++) trial[t] = i, episode[t] = k;
    const void *blocks[] = {e->obs + row * (size_t)e->O,
                            e->act + row * (size_t)e->A,
                            e->reward + row,
                            e->terminal + row,
                            e->timeout + row,
                            trial,
                            episode};
    return bex_writer_append(w, e->steps[i], blocks);
}

int bex_explore_save_trajectories(const bex_explored *e, const char *command, const char *path) {
    const bex_column columns[] = {
        {"observations", BEX_COLUMN_FLOAT32, e->O}, {"actions", BEX_COLUMN_FLOAT32, e->A},
        {"rewards", BEX_COLUMN_FLOAT32, 0},         {"terminals", BEX_COLUMN_FLAG, 0},
        {"timeouts", BEX_COLUMN_FLAG, 0},           {"infos/trial", BEX_COLUMN_INT32, 0},
        {"infos/episode", BEX_COLUMN_INT32, 0},
    };
    int *labels = malloc(2 * (size_t)e->room * sizeof *labels);
    bex_writer *w = NULL;
    int code = labels ? bex_writer_open(&w, path, columns, sizeof columns / sizeof *columns)
                      : bex_fail("out of memory");
    if (code == 0) code = bex_writer_text(w, "metadata/command", command);
    for (int i = 0; code == 0 && i < e->trials; i++)
        code = append_trial(w, e, i, labels, labels + e->room);
    if (code == 0) code = bex_writer_commit(w);
    bex_writer_free(w);
    free(labels);
    return code;
}
