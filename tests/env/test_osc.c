/* The control law against robosuite itself: a human demonstration recorded there, played open loop. */
#include "env/tabletop/osc.h"

#include "base/error.h"
#include "data/hdf5.h"
#include "env/tabletop/recorded.h"

#include "test.h"

#include <math.h>

// robosuite's own Panda at rest
static const double rest[BEX_OSC_JOINTS] = {0,
                                            3.14159265358979323846 / 16,
                                            0,
                                            -5 * 3.14159265358979323846 / 6,
                                            0,
                                            3.14159265358979323846 - 0.2,
                                            3.14159265358979323846 / 4};

typedef struct replay {
    bex_mj_model *model;
    bex_mj_sim sim;
    bex_osc osc;
    double *actions, *states;
    int steps, width;
} replay;

static void read_rows(bex_h5 *file, const char *key, double **out, int *rows, int *columns) {
    bex_h5_shape shape;
    assert_int_equal(bex_h5_measure(file, key, &shape), 0);
    *rows = (int)shape.rows, *columns = (int)shape.columns;
    *out = malloc(shape.rows * shape.columns * sizeof **out);
    assert_int_equal(bex_h5_read_doubles(file, key, 0, *rows, *out), 0);
}

static void open_demo(replay *r, const char *demo) {
    char path[512], robosuite[512], key[64], *text;
    bex_h5 *file;
    int rows, columns;
    snprintf(path, sizeof path, "%s", shared_data("robosuite_demos/lift_demo.hdf5"));
    snprintf(robosuite, sizeof robosuite, "%s", shared_data("robosuite"));
    assert_int_equal(bex_h5_open(&file, path), 0);
    snprintf(key, sizeof key, "data/%s", demo);
    assert_int_equal(bex_h5_attribute(file, key, "model_file", &text), 1);
    snprintf(key, sizeof key, "data/%s/actions", demo);
    read_rows(file, key, &r->actions, &r->steps, &columns);
    assert_int_equal(columns, BEX_OSC_ACTION);
    snprintf(key, sizeof key, "data/%s/states", demo);
    read_rows(file, key, &r->states, &rows, &r->width);
    assert_int_equal(rows, r->steps);
    bex_h5_close(file);
    if (bex_recorded_load(&r->model, text, robosuite, NULL, demo) < 0) fail_msg("%s", bex_error());
    free(text);
    assert_int_equal(r->width, 1 + r->model->nq + r->model->nv);
    assert_int_equal(bex_mj_sim_init(&r->sim, r->model), 0);
    assert_int_equal(bex_osc_init(&r->osc, r->model, rest), 0);
}

static void close_demo(replay *r) {
    bex_osc_fini(&r->osc);
    bex_mj_sim_fini(&r->sim);
    bex_mj_model_free(r->model);
    free(r->actions);
    free(r->states);
}

static void start(replay *r) {
    bex_mj_sim_reset(&r->sim);
    assert_int_equal(bex_osc_rest(&r->osc, &r->sim), 0);
    memcpy(r->sim.qpos, r->states + 1, (size_t)r->model->nq * sizeof(double));
    memcpy(r->sim.qvel, r->states + 1 + r->model->nq, (size_t)r->model->nv * sizeof(double));
    assert_int_equal(bex_mj_sim_forward(&r->sim), 0);
}

// the largest difference of positions first..last-1 over all recorded steps: state t+1 follows action t
static double play(replay *r, int first, int last) {
    double worst = 0;
    for (int t = 0; t + 1 < r->steps; t++) {
        if (bex_osc_step(&r->osc, &r->sim, r->actions + BEX_OSC_ACTION * t) < 0)
            fail_msg("step %d: %s", t, bex_error());
        const double *after = r->states + (size_t)(t + 1) * (size_t)r->width + 1;
        for (int i = first; i < last; i++) worst = fmax(worst, fabs(r->sim.qpos[i] - after[i]));
    }
    return worst;
}

static void a_human_demonstration_replays_open_loop(void **state) {
    (void)state;
    replay r;
    open_demo(&r, "demo_1");
    assert_int_equal(r.steps, 482);
    start(&r);
    double arm = play(&r, 0, 9);
    start(&r);
    double cube = play(&r, 9, 12);
    printf("worst of %d steps: arm %.2g rad, cube %.2g m\n", r.steps, arm, cube);
    assert_true(arm < 1e-6);
    assert_true(cube < 1e-6);
    // it was lifted, and by us
    assert_true(r.sim.qpos[11] > r.states[1 + 11] + 0.04);
    close_demo(&r);
}

static void the_law_is_needed_in_every_detail(void **state) {
    (void)state;
    replay r;
    open_demo(&r, "demo_1");
    start(&r);
    r.osc.stale = false; // the first step sees the true arm
    assert_true(play(&r, 0, 9) > 1e-4);
    close_demo(&r);
}

static void bad_actions_are_refused(void **state) {
    (void)state;
    replay r;
    open_demo(&r, "demo_1");
    start(&r);
    double action[BEX_OSC_ACTION] = {0, 0, (double)NAN};
    assert_true(bex_osc_step(&r.osc, &r.sim, action) < 0);
    assert_message("action 2");
    close_demo(&r);
}

int main(void) {
    if (!bex_mj_version() || !shared_data("robosuite_demos/lift_demo.hdf5") ||
        !shared_data("robosuite"))
        return skip_all("needs MuJoCo and ../shared/data/robosuite, robosuite_demos");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_human_demonstration_replays_open_loop),
        cmocka_unit_test(the_law_is_needed_in_every_detail),
        cmocka_unit_test(bad_actions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
