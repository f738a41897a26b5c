/* check/ant_transitions.c - rows in pieces over all threads, each set down at its state and stepped once. */
#include "check/ant_transitions.h"

#include "base/error.h"
#include "base/parallel.h"
#include "env/ant/ant_body.h"
#include "env/ant/antmaze.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define JUMP  1.0 // metres in a step: a reset
#define STAND 0.1 // joints at a reset, rad
enum { PIECE = 500, FIRST_JOINT = 7 };

typedef struct replay {
    const bex_world *world;
    const bex_dataset *data;
    double *qpos, *qvel; // (rows): largest differences; NaN: left out
} replay;

static bool is_reset(const bex_real *now, const bex_real *next) {
    double moved = hypot((double)(next[0] - now[0]), (double)(next[1] - now[1]));
    bool stands = true;
    for (int i = FIRST_JOINT; i < BEX_ANT_QPOS; i++)
        stands = stands && fabs((double)next[i]) <= STAND;
    return stands || !(moved <= JUMP);
}

static double largest(const double *ours, const bex_real *theirs, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(ours[i] - (double)theirs[i]));
    return most;
}

static int replay_row(replay *r, bex_env *env, int t) {
    const bex_env_class *class = r->world->class;
    const bex_real *now = r->data->observations + (size_t)t * BEX_ANT_STATE;
    const bex_real *next = now + BEX_ANT_STATE;
    bex_mj_sim *sim = class->sim(env);
    bex_real obs[BEX_ANT_STATE], reward;
    bool terminated;
    r->qpos[t] = r->qvel[t] = (double)NAN;
    if (is_reset(now, next)) return 0;
    bex_mj_sim_reset(sim); // no warm start from another row
    for (int i = 0; i < BEX_ANT_QPOS; i++) sim->qpos[i] = (double)now[i];
    for (int i = 0; i < BEX_ANT_QVEL; i++) sim->qvel[i] = (double)now[BEX_ANT_QPOS + i];
    if (class->step(env, r->data->actions + (size_t)t * BEX_ANT_ACTIONS, &(bex_frame){.state = obs},
                    &reward, &terminated) < 0)
        return bex_fail_in("row %d", t);
    r->qpos[t] = largest(sim->qpos, next, BEX_ANT_QPOS);
    r->qvel[t] = largest(sim->qvel, next + BEX_ANT_QPOS, BEX_ANT_QVEL);
    return 0;
}

static int replay_piece(long piece, int worker, void *payload) {
    (void)worker;
    replay *r = payload;
    int last = r->data->rows - 1; // the state after the last row is unknown
    bex_env *env = r->world->class->new (r->world);
    int code = env ? 0 : -1;
    for (int t = (int)piece * PIECE; code == 0 && t < last && t < (int)(piece + 1) * PIECE; t++)
        code = replay_row(r, env, t);
    r->world->class->free(env);
    return code;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// values to the front without NaN, sorted; returns how many
static int sort_finite(double *values, int n) {
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (!isnan(values[i])) values[kept++] = values[i];
    qsort(values, (size_t)kept, sizeof *values, ascending);
    return kept;
}

static double quantile(const double *sorted, int n, double q) {
    return n ? sorted[(int)floor(q * (n - 1))] : (double)NAN;
}

int bex_ant_transitions_run(bex_ant_transitions *out, const bex_world *world,
                            const bex_dataset *data) {
    BEX_CHECK(bex_antmaze_maze(world), "%s is not antmaze", world->name);
    *out = (bex_ant_transitions){0};
    if (data->O != BEX_ANT_STATE || data->A != BEX_ANT_ACTIONS)
        return bex_fail("%d observation and %d action columns, the ant has %d and %d", data->O,
                        data->A, BEX_ANT_STATE, BEX_ANT_ACTIONS);
    int steps = data->rows - 1, pieces = (steps + PIECE - 1) / PIECE, code = -1;
    size_t room = (size_t)data->rows;
    replay r = {.world = world, .data = data};
    r.qpos = malloc(room * sizeof *r.qpos);
    r.qvel = malloc(room * sizeof *r.qvel);
    if (!r.qpos || !r.qvel) {
        bex_fail("out of memory for %d rows", data->rows);
        goto done;
    }
    if (bex_try_parallel(0, pieces, replay_piece, &r) < 0) {
        bex_fail_in("%s", world->name);
        goto done;
    }
    out->rows = sort_finite(r.qpos, steps);
    out->resets = steps - out->rows;
    out->median = quantile(r.qpos, out->rows, 0.5);
    out->p99 = quantile(r.qpos, out->rows, 0.99);
    out->max = quantile(r.qpos, out->rows, 1);
    out->speed_median = quantile(r.qvel, sort_finite(r.qvel, steps), 0.5);
    code = 0;
done:
    free(r.qpos);
    free(r.qvel);
    return code;
}

// rows in free cells of a world of the table
static int rows_inside(const char *name, const bex_dataset *data) {
    bex_world *w;
    int inside = 0;
    if (bex_world_open(&w, name, NULL) < 0) return -1;
    for (int t = 0; t < data->rows; t++)
        inside += w->class->region(w, data->observations + (size_t)t * (size_t)data->O) >= 0;
    bex_world_close(w);
    return inside;
}

const char *bex_ant_transitions_world(const char *path, const bex_dataset *data) {
    // D4RL's names of files and of tasks
    static const char *const known[][2] = {
        {"umaze", "antmaze-umaze"},   {"u-maze", "antmaze-umaze"},
        {"medium", "antmaze-medium"}, {"big-maze", "antmaze-medium"},
        {"large", "antmaze-large"},   {"hardest-maze", "antmaze-large"},
    };
    static const char *const worlds[] = {"antmaze-umaze", "antmaze-medium", "antmaze-large"};
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path, *best = NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(file, known[i][0])) return known[i][1];
    int most = -1;
    bool tie = false;
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        int inside = rows_inside(worlds[i], data);
        if (inside < 0) return NULL;
        tie = inside == most || (tie && inside < most);
        if (inside > most) most = inside, best = worlds[i];
    }
    if (!tie) return best;
    bex_fail("'%s' may be of more than one maze", path);
    return bex_fail_hint("name it: bex env check antmaze-medium FILE"), NULL;
}
