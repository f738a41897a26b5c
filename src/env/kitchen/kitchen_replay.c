/* env/kitchen/kitchen_replay.c - D4RL's conversion of the human logs. Facts: D4RL kitchen, parse_demos. */
#include "env/kitchen/kitchen_replay.h"

#include "base/error.h"
#include "env/mj.h"

#include <math.h>
#include <string.h>

#define LARGEST_ACTION 0.999
#define PER_ACTION     0.16 // metres or radians an action of 1 moves the target: 2 a second for 0.08 s

enum { ARM = 7 };

static void choose_action(bex_real *act, const bex_real *ctrl, const bex_real *obs) {
    for (int i = 0; i < BEX_KITCHEN_A; i++) {
        double a = ((double)ctrl[i] - (double)obs[i]) / PER_ACTION;
        act[i] = (bex_real)fmax(-LARGEST_ACTION, fmin(LARGEST_ACTION, a));
    }
}

static double arm_difference(const double *here, const bex_real *there) {
    double sum = 0;
    for (int i = 0; i < ARM; i++) sum += fabs(here[i] - (double)there[i]);
    return sum / ARM;
}

int bex_kitchen_replay(bex_env *env, bex_rng rng, const bex_kitchen_log *log,
                       bex_kitchen_rows *rows) {
    BEX_CHECK(log->rows >= 2, "a log of %d rows", log->rows);
    const bex_world *w = env->world;
    const bex_mj_sim *sim = w->class->sim(env);
    bex_real obs[BEX_KITCHEN_O], reward;
    bool terminated;
    rows->done = rows->logged = 0, rows->drift = 0;
    if (bex_kitchen_place(env, rng, log->qpos, log->qvel, obs) < 0) return -1;
    for (int t = 0; t < log->rows - 1; t++) {
        const bex_real *logged = log->qpos + (size_t)t * BEX_KITCHEN_QPOS;
        bex_real *act = rows->act + (size_t)t * BEX_KITCHEN_A;
        unsigned done = bex_kitchen_done(obs);
        memcpy(rows->obs + (size_t)t * BEX_KITCHEN_O, obs, sizeof obs);
        rows->reward[t] = (bex_real)__builtin_popcount(done & bex_kitchen_goals(w));
        rows->done |= done, rows->logged |= bex_kitchen_done(logged);
        rows->drift += arm_difference(sim->qpos, logged) / (log->rows - 1);
        choose_action(act, log->ctrl + (size_t)t * BEX_KITCHEN_A, obs);
        if (w->class->step(env, act, &(bex_frame){.state = obs}, &reward, &terminated) < 0)
            return bex_fail_in("row %d", t);
    }
    return 0;
}
