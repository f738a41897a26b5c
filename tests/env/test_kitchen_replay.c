/* A log made by our own kitchen comes back as it was; real ones finish what their names promise. */
#include "env/kitchen/kitchen_replay.h"

#include "base/error.h"
#include "data/kitchen_logs.h"
#include "env/mj.h"

#include "test.h"

#include <math.h>

enum { ROWS = 41, MOST_ROWS = 600 };

static struct { bex_real qpos[ROWS * 30], qvel[ROWS * 29], ctrl[ROWS * 9]; } mine;

static bex_real obs[MOST_ROWS * 60], act[MOST_ROWS * 9], reward[MOST_ROWS];

// moderate random actions, held for some steps: targets stay within what a replayed action can reach
static void make_log(const bex_world *w, bex_env *env) {
    const bex_mj_sim *sim = w->class->sim(env);
    bex_rng rng = bex_rng_seed(5);
    bex_real o[60], a[9], r;
    bool terminated;
    assert_int_equal(w->class->reset(env, bex_rng_seed(6), &(bex_frame){.state = o}), 0);
    for (int t = 0; t < ROWS; t++) {
        for (int i = 0; i < 30; i++) mine.qpos[t * 30 + i] = R(sim->qpos[i]);
        for (int i = 0; i < 29; i++) mine.qvel[t * 29 + i] = R(sim->qvel[i]);
        for (int i = 0; i < 9 && t % 8 == 0; i++) a[i] = R(bex_rng_uniform(&rng) - 0.5);
        assert_int_equal(w->class->step(env, a, &(bex_frame){.state = o}, &r, &terminated), 0);
        for (int i = 0; i < 9; i++) mine.ctrl[t * 9 + i] = R(sim->ctrl[i]);
    }
}

static void our_own_log_comes_back(void **state) {
    (void)state;
    bex_world *w;
    assert_int_equal(bex_world_open(&w, "kitchen-partial", NULL), 0);
    bex_env *env = w->class->new (w);
    make_log(w, env);
    bex_kitchen_log log = {ROWS, mine.qpos, mine.qvel, mine.ctrl};
    bex_kitchen_rows rows = {.obs = obs, .act = act, .reward = reward};
    // other noise than the log had: it cancels
    assert_int_equal(bex_kitchen_replay(env, bex_rng_seed(7), &log, &rows), 0);
    assert_true(rows.drift < 1e-4);
    assert_int_equal(rows.done, rows.logged);
    for (int t = 0; t < ROWS - 1; t++)
        for (int i = 0; i < 9; i++) {
            double target = (double)obs[t * 60 + i] + 0.16 * (double)act[t * 9 + i];
            assert_true(fabs((double)act[t * 9 + i]) < 0.999);
            assert_true(fabs((double)obs[t * 60 + i] - (double)mine.qpos[t * 30 + i]) < 0.0102);
            assert_true(fabs(target - (double)mine.ctrl[t * 9 + i]) < 1e-6);
        }
    w->class->free(env);
    bex_world_close(w);
}

static void actions_are_clipped(void **state) {
    (void)state;
    bex_world *w;
    assert_int_equal(bex_world_open(&w, "kitchen-partial", NULL), 0);
    bex_env *env = w->class->new (w);
    make_log(w, env);
    mine.ctrl[0] = 2, mine.ctrl[2] = -2;
    bex_kitchen_log log = {2, mine.qpos, mine.qvel, mine.ctrl};
    bex_kitchen_rows rows = {.obs = obs, .act = act, .reward = reward};
    assert_int_equal(bex_kitchen_replay(env, bex_rng_seed(7), &log, &rows), 0);
    assert_true(fabs((double)act[0] - 0.999) < 1e-6 && fabs((double)act[2] + 0.999) < 1e-6);
    w->class->free(env);
    bex_world_close(w);
}

// the first log of two groups: between them all seven sub-tasks
static void people_finish_their_tasks(void **state) {
    (void)state;
    const char *path = shared_data("kitchen/human_demos.hdf5");
    if (!path) {
        puts("SKIP: no ../shared/data/kitchen");
        return;
    }
    static const char *const groups[] = {"friday_kettle_bottomknob_hinge_slide",
                                         "friday_microwave_kettle_topknob_switch"};
    static const unsigned tasks[] = {1 | 8 | 16 | 64, 2 | 4 | 32 | 64};
    bex_kitchen_logs logs;
    bex_world *w;
    assert_int_equal(bex_kitchen_logs_load(&logs, path, 1000), 0);
    assert_int_equal(logs.count, 25);
    assert_int_equal(bex_world_open(&w, "kitchen-partial", NULL), 0);
    bex_env *env = w->class->new (w);
    for (int g = 0; g < 2; g++) {
        int i = bex_names_find(&logs.groups, groups[g]);
        assert_true(i >= 0 && logs.group[i] == i);
        size_t from = (size_t)logs.start[i];
        bex_kitchen_log log = {logs.start[i + 1] - logs.start[i], logs.qpos + from * 30,
                               logs.qvel + from * 29, logs.ctrl + from * 9};
        bex_kitchen_rows rows = {.obs = obs, .act = act, .reward = reward};
        assert_true(log.rows <= MOST_ROWS);
        assert_int_equal(bex_kitchen_replay(env, bex_rng_seed(0), &log, &rows), 0);
        assert_int_equal(rows.done & tasks[g], tasks[g]);
        assert_int_equal(rows.logged & tasks[g], tasks[g]);
        assert_true(rows.drift < 0.03);
        // the goal is partial's: rewards count its tasks, at the end those of this log
        int want = __builtin_popcount(tasks[g] & bex_kitchen_goals(w));
        assert_int_equal((int)reward[log.rows - 2], want);
    }
    w->class->free(env);
    bex_world_close(w);
    bex_kitchen_logs_fini(&logs);
}

int main(void) {
    if (!bex_mj_version()) return skip_all("built without MuJoCo");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_own_log_comes_back),
        cmocka_unit_test(actions_are_clipped),
        cmocka_unit_test(people_finish_their_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
