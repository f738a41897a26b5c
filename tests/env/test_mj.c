/* MuJoCo's fatal errors and bad numbers come back as messages, on any thread. */
#include "env/mj.h"

#include "base/error.h"
#include "base/log.h"

#include "test.h"

#include <math.h>

#ifdef BEX_HAVE_MUJOCO
#include <mujoco/mujoco.h>

static mjfCollision mujocos[mjNGEOMTYPES]; // its own functions for pairs with a box

static void keep_mujocos(void) {
    for (int t = 0; t < mjNGEOMTYPES; t++) mujocos[t] = mjCOLLISIONFUNC[t][mjGEOM_BOX];
}

static void tumble(const bex_mj_model *m, double *path, int steps) {
    bex_mj_sim s;
    assert_int_equal(bex_mj_sim_init(&s, m), 0);
    for (int i = 0; i < m->nv; i++) s.qvel[i] = 2 * sin(1.7 * i);
    for (int t = 0; t < steps; t++) {
        if (bex_mj_sim_step(&s, 1) < 0) fail_msg("%s", bex_error());
        memcpy(path + (size_t)t * (size_t)m->nq, s.qpos, (size_t)m->nq * sizeof *path);
    }
    bex_mj_sim_fini(&s);
}

// MuJoCo's contact of two boxes that rest on one another is at times as deep as the larger is wide
static void boxes_at_rest_stay(void **state) {
    (void)state;
    enum { BOXES = 24, STEPS = 300 };
    char text[8000];
    int n = snprintf(text, sizeof text,
                     "<mujoco><option timestep='.002' cone='elliptic' impratio='20'/><default>"
                     "<geom solimp='.998 .998 .001' solref='.001 1' density='100'/></default>"
                     "<worldbody><geom type='box' size='2 2 .025' pos='0 0 .845'/>");
    for (int i = 0; i < BOXES; i++)
        n += snprintf(
            text + n, sizeof text - (size_t)n,
            "<body pos='%.3f %.3f .943' euler='0 0 %d'><joint type='free' damping='.0005'/>"
            "<geom type='box' size='.0143 .0552 .0672'/></body>",
            0.3 * (i % 6) - 0.7, 0.3 * (i / 6) - 0.5, 7 * i + 3);
    snprintf(text + n, sizeof text - (size_t)n, "</worldbody></mujoco>");
    bex_mj_model *m;
    bex_mj_sim s;
    if (bex_mj_model_load(&m, text, "boxes") < 0) fail_msg("%s", bex_error());
    assert_int_equal(bex_mj_sim_init(&s, m), 0);
    for (int t = 0; t < STEPS; t++)
        if (bex_mj_sim_step(&s, 1) < 0) fail_msg("step %d: %s", t, bex_error());
    for (int i = 0; i < BOXES; i++)
        if (fabs(s.qpos[7 * i + 2] - 0.9372) > 1e-4)
            fail_msg("box %d is at %g", i, s.qpos[7 * i + 2]);
    bex_mj_sim_fini(&s);
    bex_mj_model_free(m);
}

// with pairs dropped early and without, one of every shape thrown about a room of boxes
static void dropping_far_pairs_changes_nothing(void **state) {
    (void)state;
    enum { STEPS = 1500 };
    static const char room[] =
        "<mujoco><default><geom margin='.01'/></default><worldbody>"
        "<geom type='box' size='1 1 .1' pos='0 0 -.1'/>"
        "<geom type='box' size='.1 1 1' pos='.6 0 .9' euler='0 10 20'/>"
        "<geom type='box' size='.1 1 1' pos='-.6 0 .9'/>"
        "<geom type='box' size='1 .1 1' pos='0 .6 .9' euler='15 0 0'/>"
        "<geom type='box' size='1 .1 1' pos='0 -.6 .9'/>"
        "<body pos='0 0 .3'><freejoint/><geom type='box' size='.1 .15 .05'/></body>"
        "<body pos='.1 .1 .6'><freejoint/><geom type='sphere' size='.1'/></body>"
        "<body pos='-.1 0 .9'><freejoint/><geom type='capsule' size='.05 .1'/></body>"
        "<body pos='0 -.1 1.2'><freejoint/><geom type='cylinder' size='.08 .06'/></body>"
        "<body pos='.1 0 1.5'><freejoint/><geom type='ellipsoid' size='.1 .06 .05'/></body>"
        "<body pos='0 .1 1.7'><freejoint/><geom type='box' size='.05 .05 .2'/></body>"
        "</worldbody></mujoco>";
    bex_mj_model *m;
    if (bex_mj_model_load(&m, room, "room") < 0) fail_msg("%s", bex_error());
    size_t n = (size_t)m->nq * STEPS;
    double *ours = malloc(n * sizeof *ours), *theirs = malloc(n * sizeof *theirs);
    assert_true(ours && theirs);
    tumble(m, ours, STEPS);
    assert_true(mjCOLLISIONFUNC[mjGEOM_CAPSULE][mjGEOM_BOX] != mujocos[mjGEOM_CAPSULE]);
    mjfCollision installed[mjNGEOMTYPES];
    for (int t = 0; t < mjNGEOMTYPES; t++) {
        installed[t] = mjCOLLISIONFUNC[t][mjGEOM_BOX];
        mjCOLLISIONFUNC[t][mjGEOM_BOX] = mujocos[t];
    }
    tumble(m, theirs, STEPS);
    for (int t = 0; t < mjNGEOMTYPES; t++) mjCOLLISIONFUNC[t][mjGEOM_BOX] = installed[t];
    assert_memory_equal(ours, theirs, n * sizeof *ours);
    free(ours), free(theirs);
    bex_mj_model_free(m);
}
#else
static void keep_mujocos(void) {}
static void dropping_far_pairs_changes_nothing(void **state) {
    (void)state;
}
#endif

static const char pendulum[] =
    "<mujoco><option timestep='0.004'/><worldbody><body pos='0 0 1'>"
    "<joint type='hinge' axis='0 1 0'/><geom type='sphere' pos='0 0 -0.5' size='0.1' mass='1'/>"
    "</body></worldbody><actuator><motor joint='j' gear='1'/></actuator></mujoco>";

// the pendulum with its joint named, so that it compiles
static const char good[] =
    "<mujoco><option timestep='0.004'/><worldbody><body pos='0 0 1'>"
    "<joint name='j' type='hinge' axis='0 1 0'/>"
    "<geom type='sphere' pos='0 0 -0.5' size='0.1' mass='1'/>"
    "</body></worldbody><actuator><motor joint='j' gear='1'/></actuator></mujoco>";

static void sizes_are_the_models(void **state) {
    (void)state;
    bex_mj_model *m;
    assert_int_equal(bex_mj_model_load(&m, good, "pendulum"), 0);
    assert_int_equal(m->nq, 1);
    assert_int_equal(m->nv, 1);
    assert_int_equal(m->nu, 1);
    assert_true(m->timestep == 0.004);
    assert_true(fabs(bex_mj_model_mass(m) - 1) < 1e-12);
    bex_mj_model_free(m);
    bex_mj_model_free(NULL);
}

static void malformed_models_are_messages(void **state) {
    (void)state;
    static const struct {
        const char *xml, *part;
    } bad[] = {
        {"<mujoco><worldbody>", "XML"},
        {"", "world 7"},
        {"<mujoco><wordbody/></mujoco>", "wordbody"},
        {pendulum, "'j'"}, // a motor on a joint that does not exist
        {"<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", "inertia"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bex_mj_model *m = (bex_mj_model *)&bad;
        assert_true(bex_mj_model_load(&m, bad[i].xml, "world 7") < 0);
        assert_null(m);
        assert_message("world 7");
        assert_message(bad[i].part);
        assert_null(strchr(bex_error(), '\n'));
    }
}

static void bad_numbers_are_messages_and_reset_cures(void **state) {
    (void)state;
    bex_mj_model *m;
    bex_mj_sim s;
    assert_int_equal(bex_mj_model_load(&m, good, "pendulum"), 0);
    assert_int_equal(bex_mj_sim_init(&s, m), 0);
    s.ctrl[0] = (double)NAN;
    assert_true(bex_mj_sim_step(&s, 1) < 0);
    assert_message("control 0");
    bex_mj_sim_reset(&s);
    s.qvel[0] = (double)INFINITY;
    assert_true(bex_mj_sim_step(&s, 1) < 0);
    assert_message("velocity 0");
    bex_mj_sim_reset(&s);
    s.qpos[0] = 0.1;
    assert_int_equal(bex_mj_sim_step(&s, 3), 0);
    assert_true(s.qvel[0] < 0 && s.qpos[0] < 0.1);
    bex_mj_sim_fini(&s);
    bex_mj_sim_fini(&s);
    bex_mj_model_free(m);
}

/* A fatal error in mid-step: scratch memory for boxes apart, but not for boxes in contact. */
static void fatal_errors_jump_back_on_every_thread(void **state) {
    (void)state;
    static const char crowded[] =
        "<mujoco><size nstack='600' nconmax='100'/><worldbody><geom type='plane' size='5 5 1'/>"
        "<body pos='0 0 5'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
        "<body pos='0 0 9'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
        "</worldbody></mujoco>";
    bex_mj_model *m;
    if (bex_mj_model_load(&m, crowded, "crowded") < 0) fail_msg("%s", bex_error());
    int caught = 0;
#pragma omp parallel for num_threads(4) reduction(+ : caught)
    for (int i = 0; i < 8; i++) {
        bex_mj_sim s;
        if (bex_mj_sim_init(&s, m) < 0) continue;
        s.qpos[2] = 0.05, s.qpos[9] = 0.15;
        caught += bex_mj_sim_step(&s, 1) < 0 && strstr(bex_error(), "tack overflow");
        bex_mj_sim_fini(&s);
    }
    assert_int_equal(caught, 8);
    bex_mj_model_free(m);
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    keep_mujocos();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_at_rest_stay),
        cmocka_unit_test(dropping_far_pairs_changes_nothing),
        cmocka_unit_test(sizes_are_the_models),
        cmocka_unit_test(malformed_models_are_messages),
        cmocka_unit_test(bad_numbers_are_messages_and_reset_cures),
        cmocka_unit_test(fatal_errors_jump_back_on_every_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
