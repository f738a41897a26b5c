/* demo/ant_pilot.c. Facts: D4RL locomotion/maze_env.py, scripts/generation/generate_ant_maze_datasets.py,
 * and the goals recorded in its files. */
#include "demo/ant_pilot.h"

#include "base/error.h"
#include "env/ant/ant_body.h"
#include "env/ant/ant_controller.h"
#include "env/ant/antmaze.h"

#include <math.h>
#include <stdlib.h>

#define START_NOISE    1.0
#define WAYPOINT_NOISE 1.0
#define LEAST          1e-4

struct bex_ant_pilot {
    const bex_maze *maze;
    double spread;
    const int *goals; // cells
    int goal_count;
    int *starts, start_count; // cells
    double goal[2];
    int target;    // place: row * cols + column
    int *next;     // (rows, cols): place to go to from each place, also from walls; -1: unknown
    int *queue;    // (rows, cols)
    bool *visited; // (rows, cols)
};

void bex_ant_pilot_free(bex_ant_pilot *p) {
    if (!p) return;
    free(p->starts);
    free(p->next);
    free(p->queue);
    free(p->visited);
    free(p);
}

static void list_starts(bex_ant_pilot *p) {
    for (int cell = 0; cell < p->maze->cells; cell++) {
        bool goal = false;
        for (int g = 0; g < p->goal_count; g++) goal = goal || p->goals[g] == cell;
        if (!goal) p->starts[p->start_count++] = cell;
    }
    if (p->start_count) return;
    for (int cell = 0; cell < p->maze->cells; cell++) p->starts[p->start_count++] = cell;
}

int bex_ant_pilot_new(bex_ant_pilot **out, const bex_world *world, double goal_spread) {
    const bex_maze *maze = bex_antmaze_maze(world);
    *out = NULL;
    if (!maze) return bex_fail("no ant walks in %s", world->name);
    bex_ant_pilot *p = calloc(1, sizeof *p);
    if (!p) return bex_fail("out of memory");
    size_t places = (size_t)maze->rows * (size_t)maze->cols;
    p->maze = maze;
    p->spread = goal_spread;
    p->goal_count = bex_antmaze_data_goals(world, &p->goals);
    p->starts = malloc((size_t)maze->cells * sizeof *p->starts);
    p->next = malloc(places * sizeof *p->next);
    p->queue = malloc(places * sizeof *p->queue);
    p->visited = malloc(places * sizeof *p->visited);
    if (!p->starts || !p->next || !p->queue || !p->visited)
        return bex_ant_pilot_free(p), bex_fail("out of memory");
    list_starts(p);
    *out = p;
    return 0;
}

// D4RL's cell of a coordinate, kept inside the grid
static int index_of(double coordinate, int most) {
    int i = (int)(1 + (coordinate > LEAST ? coordinate : LEAST) / BEX_ANT_CELL);
    return i < most ? i : most - 1;
}

static int place_of(const bex_ant_pilot *p, double x, double y) {
    return index_of(y, p->maze->rows) * p->maze->cols + index_of(x, p->maze->cols);
}

// next[] for all places: whoever is met first, going out from the target, shows the way to it
static void plan(bex_ant_pilot *p) {
    static const int moves[4][2] = {{0, -1}, {0, 1}, {1, 0}, {-1, 0}};
    const bex_maze *m = p->maze;
    int places = m->rows * m->cols, head = 0, tail = 0;
    for (int i = 0; i < places; i++) p->next[i] = -1, p->visited[i] = false;
    p->next[p->target] = p->target;
    p->visited[p->target] = true;
    p->queue[tail++] = p->target;
    while (head < tail) {
        int place = p->queue[head++];
        for (int k = 0; k < 4; k++) {
            int r = place / m->cols + moves[k][0], c = place % m->cols + moves[k][1];
            if (r < 0 || c < 0 || r >= m->rows || c >= m->cols) continue;
            int to = r * m->cols + c;
            if (p->next[to] < 0) p->next[to] = place;
            if (p->visited[to] || bex_maze_cell(m, r, c) < 0) continue;
            p->visited[to] = true;
            p->queue[tail++] = to;
        }
    }
}

void bex_ant_pilot_begin(bex_ant_pilot *p, bex_rng *rng, int start_cell, double start[2],
                         double goal[2]) {
    int from = p->starts[bex_rng_below(rng, (uint64_t)p->start_count)];
    int to = p->goals[bex_rng_below(rng, (uint64_t)p->goal_count)];
    if (start_cell >= 0) from = start_cell;
    for (int i = 0; i < 2; i++) {
        start[i] = bex_ant_place(p->maze->at[from][1 - i]) + START_NOISE * bex_rng_uniform(rng);
        p->goal[i] = bex_ant_place(p->maze->at[to][1 - i]) +
                     p->spread * (2 * bex_rng_uniform(rng) + bex_rng_uniform(rng)) / 3;
        goal[i] = p->goal[i];
    }
    p->target = place_of(p, goal[0], goal[1]);
    plan(p);
}

void bex_ant_pilot_input(bex_ant_pilot *p, bex_rng *rng, const bex_real *obs, bex_real *in) {
    double position[2] = {(double)obs[0], (double)obs[1]}, to[2] = {p->goal[0], p->goal[1]};
    int next = p->next[place_of(p, position[0], position[1])];
    if (next >= 0 && next != p->target) { // from deep inside walls: straight to the goal
        to[0] = bex_ant_place(next % p->maze->cols) + WAYPOINT_NOISE * bex_rng_uniform(rng);
        to[1] = bex_ant_place(next / p->maze->cols) + WAYPOINT_NOISE * bex_rng_uniform(rng);
    }
    double x = to[0] - position[0], y = to[1] - position[1], norm = hypot(x, y);
    double scale = norm > 0 ? BEX_ANT_DIRECTION / norm : 0;
    for (int i = 2; i < BEX_ANT_STATE; i++) in[i - 2] = obs[i];
    in[BEX_ANT_STATE - 2] = R(x * scale);
    in[BEX_ANT_STATE - 1] = R(y * scale);
}
