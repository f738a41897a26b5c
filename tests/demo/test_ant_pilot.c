/* Where an ant heads next: starts, goals, and the next cell by D4RL's search done anew at each place. */
#include "demo/ant_pilot.h"

#include "base/error.h"
#include "env/ant/ant_body.h"
#include "env/ant/antmaze.h"
#include "test.h"

#include <math.h>

static bex_world *open_world(const char *name) {
    bex_world *w;
    if (bex_world_open(&w, name, NULL) < 0) fail_msg("%s", bex_error());
    return w;
}

static void starts_and_goals(void **state) {
    (void)state;
    enum { N = 6000 };
    bex_world *w = open_world("antmaze-medium");
    const bex_maze *m = bex_antmaze_maze(w);
    bex_ant_pilot *p;
    assert_int_equal(bex_ant_pilot_new(&p, w, 1.5), 0);
    int starts[26] = {0}, goals[26] = {0};
    double offset = 0;
    for (int n = 0; n < N; n++) {
        bex_rng rng = bex_rng_split(bex_rng_seed(1), "e", (uint64_t)n);
        double start[2], goal[2];
        bex_ant_pilot_begin(p, &rng, -1, start, goal);
        int from = bex_ant_cell(m, start[0], start[1]), to = bex_ant_cell(m, goal[0], goal[1]);
        assert_true(from >= 0 && to >= 0);
        starts[from]++, goals[to]++;
        for (int i = 0; i < 2; i++) {
            double s = start[i] - 4 * (m->at[from][1 - i] - 1);
            double g = goal[i] - 4 * (m->at[to][1 - i] - 1);
            assert_true(s >= 0 && s < 1 && g >= 0 && g < 1.5);
            offset += g / (2 * N);
        }
    }
    assert_true(fabs(offset - 0.75) < 0.02);
    for (int c = 0; c < 26; c++) {
        bool goal = c == bex_maze_cell(m, 2, 6) || c == bex_maze_cell(m, 5, 1) ||
                    c == bex_maze_cell(m, 6, 5);
        assert_in_range(goals[c], goal ? 1800 : 0, goal ? 2200 : 0);
        assert_in_range(starts[c], goal ? 0 : 180, goal ? 0 : 345); // 6000 / 23
    }
    bex_rng rng = bex_rng_seed(0);
    double start[2], goal[2];
    bex_ant_pilot_begin(p, &rng, 5, start, goal);
    assert_int_equal(bex_ant_cell(m, start[0], start[1]), 5);
    bex_ant_pilot_free(p);
    bex_world_close(w);
}

// the recipe as it is told: breadth first from the target until the ant's place is somebody's neighbour
static int next_by_search(const bex_maze *m, int from, int target) {
    static const int moves[4][2] = {{0, -1}, {0, 1}, {1, 0}, {-1, 0}};
    int queue[4096], tail = 0;
    bool seen[4096] = {false};
    if (from == target) return target;
    queue[tail++] = target, seen[target] = true;
    for (int head = 0; head < tail; head++)
        for (int k = 0; k < 4; k++) {
            int r = queue[head] / m->cols + moves[k][0], c = queue[head] % m->cols + moves[k][1];
            int to = r * m->cols + c;
            if (to == from && c >= 0 && c < m->cols) return queue[head];
            if (bex_maze_cell(m, r, c) < 0 || seen[to]) continue;
            seen[to] = true, queue[tail++] = to;
        }
    return -1;
}

static void heads_for_the_next_cell_of_a_shortest_way(void **state) {
    (void)state;
    static const char *const names[] = {"antmaze-umaze", "antmaze-medium", "antmaze-large"};
    for (int k = 0; k < 3; k++) {
        bex_world *w = open_world(names[k]);
        const bex_maze *m = bex_antmaze_maze(w);
        bex_ant_pilot *p;
        assert_int_equal(bex_ant_pilot_new(&p, w, 3), 0);
        for (int n = 0; n < 12; n++) {
            bex_rng rng = bex_rng_split(bex_rng_seed(9), "e", (uint64_t)n);
            double start[2], goal[2];
            bex_ant_pilot_begin(p, &rng, -1, start, goal);
            int target = (int)(1 + goal[1] / 4) * m->cols + (int)(1 + goal[0] / 4);
            for (double x = -1.5; x < 4 * (m->cols - 1) - 2; x += 1.1)
                for (double y = -1.5; y < 4 * (m->rows - 1) - 2; y += 1.3) {
                    bex_real obs[29] = {R(x), R(y), R(0.5), 1}, in[29];
                    int from =
                        (int)(1 + fmax(y, 1e-4) / 4) * m->cols + (int)(1 + fmax(x, 1e-4) / 4);
                    int next = next_by_search(m, from, target);
                    bex_ant_pilot_input(p, &rng, obs, in);
                    assert_memory_equal(in, obs + 2, 27 * sizeof *in);
                    double dx = (double)in[27], dy = (double)in[28];
                    assert_true(fabs(hypot(dx, dy) - 10) < 1e-4);
                    // the ray meets the square of waypoints; the goal itself in the last cell
                    double lo[2] = {goal[0], goal[1]}, hi[2] = {goal[0], goal[1]};
                    if (next >= 0 && next != target) {
                        lo[0] = 4 * (next % m->cols - 1), lo[1] = 4 * (next / m->cols - 1);
                        hi[0] = lo[0] + 1, hi[1] = lo[1] + 1;
                    }
                    bool ahead = false;
                    for (double s = 0; s < 80 && !ahead; s += 0.01) {
                        double px = x + s * dx / 10, py = y + s * dy / 10, e = 0.02;
                        ahead = px >= lo[0] - e && px <= hi[0] + e && py >= lo[1] - e &&
                                py <= hi[1] + e;
                    }
                    assert_true(ahead);
                }
        }
        bex_ant_pilot_free(p);
        bex_world_close(w);
    }
}

static void waypoints_are_drawn_anew(void **state) {
    (void)state;
    bex_world *w = open_world("antmaze-large");
    bex_ant_pilot *p;
    bex_rng rng = bex_rng_seed(3);
    double start[2], goal[2];
    assert_int_equal(bex_ant_pilot_new(&p, w, 1.5), 0);
    bex_ant_pilot_begin(p, &rng, 0, start, goal);
    bex_real obs[29] = {R(start[0]), R(start[1])}, a[29], b[29];
    bex_ant_pilot_input(p, &rng, obs, a);
    bex_ant_pilot_input(p, &rng, obs, b);
    assert_true(a[27] != b[27]);
    // at the goal there is no direction: not NaN
    obs[0] = R(goal[0]), obs[1] = R(goal[1]);
    bex_ant_pilot_input(p, &rng, obs, a);
    assert_true(isfinite(a[27]) && isfinite(a[28]));
    bex_ant_pilot_free(p);
    bex_world_close(w);
    w = open_world("maze2d-medium");
    assert_true(bex_ant_pilot_new(&p, w, 1.5) < 0);
    assert_message("no ant walks in maze2d-medium");
    bex_world_close(w);
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_and_goals),
        cmocka_unit_test(heads_for_the_next_cell_of_a_shortest_way),
        cmocka_unit_test(waypoints_are_drawn_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
