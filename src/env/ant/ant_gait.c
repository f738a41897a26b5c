#include "env/ant/ant_gait.h"

#include "base/error.h"
#include "env/ant/ant_body.h"
#include "env/d4rl.h"

#include <math.h>
#include <stdlib.h>

// the third entry of the third column of the torso's rotation, times the quaternion's square
bool bex_ant_flipped(const bex_real *obs) {
    double w = (double)obs[3], x = (double)obs[4], y = (double)obs[5], z = (double)obs[6];
    return w * w + z * z < x * x + y * y;
}

int bex_ant_gait_add(bex_ant_gait *w, const bex_world *world, const bex_real *obs,
                     const bex_real *goal, int rows) {
    bool *seen = calloc((size_t)world->regions, sizeof *seen);
    bool reached = false, fell = false;
    long long cells = 0;
    if (!seen) return bex_fail("out of memory");
    for (int t = 0; t < rows; t++) {
        const bex_real *now = obs + (size_t)t * BEX_ANT_STATE, *next = now + BEX_ANT_STATE;
        int region = world->class->region(world, now);
        bool flipped = bex_ant_flipped(now);
        reached = reached || (goal && hypot((double)(now[0] - goal[0]),
                                            (double)(now[1] - goal[1])) <= BEX_GOAL_RADIUS);
        fell = fell || flipped;
        w->flipped += flipped;
        if (region >= 0 && !seen[region]) seen[region] = true, cells++;
        if (flipped || t == rows - 1) continue;
        w->steps++;
        w->metres += hypot((double)(next[0] - now[0]), (double)(next[1] - now[1]));
    }
    w->episodes++;
    w->states += rows;
    w->reached += reached;
    w->fell += fell;
    w->cells += cells;
    w->cells2 += cells * cells;
    free(seen);
    return 0;
}

const char *const bex_ant_conduct[] = {"flipped_states", "flipped_episodes",
                                       "metres_per_upright_step", NULL};

int bex_ant_judge(const bex_world *world, const bex_real *obs, const int *start, int episodes,
                  double *values) {
    bex_ant_gait w = {0};
    for (int k = 0; k < episodes; k++)
        if (bex_ant_gait_add(&w, world, obs + (size_t)start[k] * BEX_ANT_STATE, NULL,
                             start[k + 1] - start[k]) < 0)
            return -1;
    values[0] = w.states ? (double)w.flipped / (double)w.states : 0;
    values[1] = w.episodes ? (double)w.fell / (double)w.episodes : 0;
    values[2] = w.steps ? w.metres / (double)w.steps : 0;
    return 0;
}
