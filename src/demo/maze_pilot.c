/* demo/maze_pilot.c - the one at the controls. Facts: D4RL pointmaze/waypoint_controller.py and
 * scripts/generation/generate_maze2d_datasets.py. */
#include "demo/maze_pilot.h"

#include "base/error.h"
#include "env/maze/maze2d.h"

#include <math.h>
#include <stdlib.h>

#define GAIN      10.0 // of position
#define DAMPING   1.0  // of velocity
#define NEAR      0.1  // to a waypoint, and moved in a step
#define JITTER    0.2  // of waypoints
#define GOAL_AREA 0.1  // of goals

struct bex_maze_pilot {
    const bex_maze *maze;
    double noise;
    int patience;
    bex_rng rng;
    double goal[2]; // what the file records
    int target;     // its cell; -1 before the first plan
    int since;      // steps with this goal
    double before[2];
    int at, count;          // waypoint pursued, waypoints
    double (*waypoints)[2]; // (cells)
    int *steps, *queue;     // (cells)
    double *sums;           // (cells) of weights so far
};

void bex_maze_pilot_free(bex_maze_pilot *d) {
    if (!d) return;
    free(d->waypoints);
    free(d->steps);
    free(d->queue);
    free(d->sums);
    free(d);
}

int bex_maze_pilot_new(bex_maze_pilot **out, const bex_world *world,
                       const bex_maze_pilot_options *o) {
    *out = NULL;
    const bex_maze *maze = bex_maze2d_maze(world);
    if (!maze) return bex_fail("no demonstrator knows %s", world->name);
    bex_maze_pilot *d = calloc(1, sizeof *d);
    if (!d) return bex_fail("out of memory");
    size_t n = (size_t)maze->cells;
    d->maze = maze;
    d->noise = o->noise;
    d->patience = o->patience ? o->patience : world->class->time_limit;
    d->waypoints = malloc(n * sizeof *d->waypoints);
    d->steps = malloc(n * sizeof *d->steps);
    d->queue = malloc(n * sizeof *d->queue);
    d->sums = malloc(n * sizeof *d->sums);
    if (!d->waypoints || !d->steps || !d->queue || !d->sums)
        return bex_maze_pilot_free(d), bex_fail("out of memory");
    double sum = 0;
    for (size_t i = 0; i < n; i++) d->sums[i] = sum += o->weights ? o->weights[i] : 1;
    BEX_CHECK(sum > 0, "goal weights sum to %g", sum);
    *out = d;
    return 0;
}

static void draw_goal(bex_maze_pilot *d) {
    int last = d->maze->cells - 1, cell = 0;
    double u = bex_rng_uniform(&d->rng) * d->sums[last];
    while (cell < last && d->sums[cell] <= u) cell++;
    for (int i = 0; i < 2; i++)
        d->goal[i] = d->maze->at[cell][i] + GOAL_AREA * (2 * bex_rng_uniform(&d->rng) - 1);
    d->since = 0;
}

static void plan(bex_maze_pilot *d, const double *position, int target) {
    int cell = bex_maze_cell_rounded(d->maze, position[0], position[1]);
    if (cell < 0) cell = target; // pushed out of every cell: straight back
    d->target = target;
    d->at = d->count = 0;
    bex_maze_distances(d->maze, target, d->steps, d->queue);
    do {
        cell = bex_maze_next(d->maze, d->steps, cell);
        for (int i = 0; i < 2; i++) {
            double jitter = cell == target ? 0 : JITTER * bex_rng_uniform(&d->rng);
            d->waypoints[d->count][i] = d->maze->at[cell][i] - jitter;
        }
        d->count++;
    } while (cell != target);
}

void bex_maze_pilot_start(bex_maze_pilot *d, bex_rng rng, const bex_real *obs) {
    d->rng = rng;
    d->target = -1;
    for (int i = 0; i < 2; i++) d->before[i] = (double)obs[i];
    draw_goal(d);
}

static bool arrived(const bex_maze_pilot *d, const double *position, const double *point) {
    return hypot(point[0] - position[0], point[1] - position[1]) < NEAR &&
           hypot(position[0] - d->before[0], position[1] - d->before[1]) < NEAR;
}

static double clip(double x) {
    return x > 1 ? 1 : x < -1 ? -1 : x;
}

bool bex_maze_pilot_act(bex_maze_pilot *d, const bex_real *obs, bex_real *act, bex_real *goal) {
    double position[2] = {(double)obs[0], (double)obs[1]};
    int target = bex_maze_cell_rounded(d->maze, d->goal[0], d->goal[1]);
    if (target != d->target) plan(d, position, target);
    const double middle[2] = {d->maze->at[target][0], d->maze->at[target][1]};
    bool reached = arrived(d, position, middle);
    const double *next = reached ? middle : d->waypoints[d->at];
    for (int i = 0; i < 2; i++) {
        double a = clip(GAIN * (next[i] - position[i]) - DAMPING * (double)obs[2 + i]);
        if (d->noise > 0) a = clip(a + d->noise * bex_rng_normal(&d->rng));
        act[i] = (bex_real)a;
        goal[i] = (bex_real)d->goal[i];
    }
    // the waypoint counts for the next call; the last one is the target and is left by `reached`
    if (!reached && d->at < d->count - 1 && arrived(d, position, next)) d->at++;
    for (int i = 0; i < 2; i++) d->before[i] = position[i];
    bool over = reached || d->since >= d->patience;
    d->since++;
    if (over) draw_goal(d);
    return over;
}
