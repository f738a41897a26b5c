/* LIBERO's predicates, each where it is true and where it just is not; things are put by hand. */
#include "env/tabletop/libero.h"

#include "base/error.h"
#include "env/tabletop/poses.h"

#include "test.h"

#include <math.h>

typedef struct fixture {
    bex_world *world;
    bex_env *env;
    bex_mj_sim *sim;
    const bex_bddl *scene;
    const bex_goals *goals;
    bex_real state[400];
} fixture;

static fixture open_scene(const char *scene) {
    fixture f;
    char keys[80];
    snprintf(keys, sizeof keys, "scene=%s", scene);
    if (bex_world_open(&f.world, "libero", &(bex_world_options){.keys = keys}) < 0)
        fail_msg("%s", bex_error());
    f.env = f.world->class->new (f.world);
    assert_non_null(f.env);
    f.sim = f.world->class->sim(f.env);
    f.scene = bex_libero_scene(f.world);
    f.goals = bex_libero_goals(f.world);
    assert_int_equal(f.world->class->reset(f.env, bex_rng_seed(3), &(bex_frame){.state = f.state}),
                     0);
    return f;
}

static void close_scene(fixture *f) {
    f->world->class->free(f->env);
    bex_world_close(f->world);
}

static int task(const fixture *f, const char *name) {
    for (int i = 0; i < f->scene->tasks; i++)
        if (!strcmp(f->scene->task[i].name, name)) return i;
    fail_msg("no task %s", name);
    return -1;
}

static bool done(const fixture *f, const char *name) {
    assert_int_equal(bex_mj_sim_forward(f->sim), 0);
    return bex_libero_done(f->env) >> task(f, name) & 1;
}

// the origin of object i
static double *place(const fixture *f, int i, double x, double y, double z) {
    double *q = f->sim->qpos + BEX_LIBERO_ROBOT + 7 * i;
    q[0] = x, q[1] = y, q[2] = z;
    return q;
}

static void on_a_thing(void **state) {
    (void)state;
    fixture f = open_scene("KITCHEN_SCENE5"); // bowl, plate, ketchup
    const char *name = "put_the_black_bowl_on_the_plate";
    const double *plate = f.sim->qpos + BEX_LIBERO_ROBOT + 7;
    assert_false(done(&f, name));
    place(&f, 0, plate[0], plate[1], plate[2] + 0.004);
    assert_true(done(&f, name)); // it touches
    place(&f, 0, plate[0], plate[1], plate[2] + 0.03);
    assert_false(done(&f, name)); // above, not touching
    place(&f, 0, plate[0] + 0.029, plate[1], plate[2] + 0.004);
    assert_true(done(&f, name));
    place(&f, 0, plate[0] + 0.031, plate[1], plate[2] + 0.004);
    assert_false(done(&f, name)); // 3 cm off
    place(&f, 0, plate[0], plate[1], plate[2] - 0.001);
    assert_false(done(&f, name)); // lower than it
    close_scene(&f);
}

static void on_a_region(void **state) {
    (void)state;
    fixture f = open_scene(
        "LIVING_ROOM_SCENE6"); // pudding is object 3; a zone of the table asks for no contact
    const char *name = "put_the_chocolate_pudding_to_the_left_of_the_plate";
    int region = -1 - f.scene->task[task(&f, name)].goal[0].b;
    double half[3];
    bex_pose site = bex_pose_region(f.goals, f.sim, region, half);
    assert_float_equal(half[2], 0.007, 1e-9);
    place(&f, 3, site.p[0], site.p[1], site.p[2] + 0.05);
    assert_true(done(&f, name));
    place(&f, 3, site.p[0] + half[0] - 0.001, site.p[1], site.p[2] + half[2] - 0.0045);
    assert_true(done(&f, name));
    place(&f, 3, site.p[0] + half[0] + 0.001, site.p[1], site.p[2] + 0.05);
    assert_false(done(&f, name));
    place(&f, 3, site.p[0], site.p[1], site.p[2] + half[2] - 0.0055);
    assert_false(done(&f, name)); // 5.5 mm below its top
    place(&f, 3, site.p[0], site.p[1], site.p[2] + half[2] + 0.101);
    assert_false(done(&f, name));
    close_scene(&f);

    f = open_scene("KITCHEN_SCENE5"); // the top of a cabinet does ask
    name = "put_the_black_bowl_on_top_of_the_cabinet";
    region = -1 - f.scene->task[task(&f, name)].goal[0].b;
    site = bex_pose_region(f.goals, f.sim, region, half);
    place(&f, 0, site.p[0], site.p[1], site.p[2] + half[2] - 0.003);
    assert_true(done(&f, name));
    place(&f, 0, site.p[0], site.p[1], site.p[2] + half[2] + 0.03);
    assert_false(done(&f, name));
    close_scene(&f);
}

static void in_a_region(void **state) {
    (void)state;
    fixture f = open_scene("KITCHEN_SCENE5");
    const char *name =
        "put_the_ketchup_in_the_top_drawer_of_the_cabinet"; // a turned site: its size is turned too
    int region = -1 - f.scene->task[task(&f, name)].goal[0].b;
    double half[3];
    bex_pose site = bex_pose_region(f.goals, f.sim, region, half);
    place(&f, 2, site.p[0], site.p[1], site.p[2]);
    assert_true(done(&f, name));
    place(&f, 2, site.p[0] + half[2] - 0.001, site.p[1], site.p[2]);
    assert_true(done(&f, name));
    place(&f, 2, site.p[0] + half[2] + 0.001, site.p[1], site.p[2]);
    assert_false(done(&f, name));
    place(&f, 2, site.p[0], site.p[1], site.p[2] - half[0] - 0.009);
    assert_true(done(&f, name)); // 1 cm below its floor still counts
    place(&f, 2, site.p[0], site.p[1], site.p[2] - half[0] - 0.011);
    assert_false(done(&f, name));
    place(&f, 2, site.p[0], site.p[1], site.p[2] + half[0] + 0.001);
    assert_false(done(&f, name));
    close_scene(&f);
}

static void open_and_close(void **state) {
    (void)state;
    fixture f = open_scene("KITCHEN_SCENE1"); // bowl, plate; top, middle, bottom
    double *q = f.sim->qpos + BEX_LIBERO_ROBOT + 14;
    const char *top = "open_the_top_drawer_of_the_cabinet",
               *bottom = "open_the_bottom_drawer_of_the_cabinet";
    q[0] = -0.1401;
    assert_true(done(&f, top));
    assert_false(done(&f, bottom)); // a region speaks of its own drawer
    q[0] = -0.1399;
    assert_false(done(&f, top));
    close_scene(&f);

    f = open_scene("KITCHEN_SCENE5");
    q = f.sim->qpos + BEX_LIBERO_ROBOT + 21;
    const char *close = "close_the_top_drawer_of_the_cabinet";
    q[0] = 1e-6;
    assert_true(done(&f, close));
    q[0] = 0;
    assert_false(done(&f, close)); // exactly shut is not closed
    close_scene(&f);

    f = open_scene("KITCHEN_SCENE7");
    q = f.sim->qpos + BEX_LIBERO_ROBOT + 14;
    q[0] = -1.301;
    assert_true(done(&f, "open_the_microwave"));
    q[0] = -1.299;
    assert_false(done(&f, "open_the_microwave"));
    close_scene(&f);

    f = open_scene("KITCHEN_SCENE6");
    q = f.sim->qpos + BEX_LIBERO_ROBOT + 14;
    q[0] = -0.0049;
    assert_true(done(&f, "close_the_microwave"));
    q[0] = -0.0051;
    assert_false(done(&f, "close_the_microwave"));
    close_scene(&f);
}

static void turned_on_and_off(void **state) {
    (void)state;
    fixture f = open_scene("KITCHEN_SCENE3");
    double *q = f.sim->qpos + BEX_LIBERO_ROBOT + 14;
    q[0] = 0.5;
    assert_true(done(&f, "turn_on_the_stove"));
    q[0] = 0.4999;
    assert_false(done(&f, "turn_on_the_stove"));
    close_scene(&f);
    f = open_scene("KITCHEN_SCENE8");
    q = f.sim->qpos + BEX_LIBERO_ROBOT + 14;
    q[0] = -0.001;
    assert_true(done(&f, "turn_off_the_stove"));
    q[0] = 0;
    assert_false(done(&f, "turn_off_the_stove"));
    close_scene(&f);
}

static void a_goal_is_all_of_its_facts(void **state) {
    (void)state;
    fixture f = open_scene("KITCHEN_SCENE3"); // pan, moka pot; stove on and the pan on it
    const char *both = "turn_on_the_stove_and_put_the_frying_pan_on_it";
    int region = -1 - f.scene->task[task(&f, "put_the_frying_pan_on_the_stove")].goal[0].b;
    bex_pose site = bex_pose_region(f.goals, f.sim, region, NULL);
    double *q = f.sim->qpos + BEX_LIBERO_ROBOT + 14;
    place(&f, 0, site.p[0], site.p[1], site.p[2] + 0.0245);
    q[0] = 0.4;
    assert_true(done(&f, "put_the_frying_pan_on_the_stove"));
    assert_false(done(&f, both));
    q[0] = 0.6;
    assert_true(done(&f, both));
    close_scene(&f);
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_a_thing),        cmocka_unit_test(on_a_region),
        cmocka_unit_test(in_a_region),       cmocka_unit_test(open_and_close),
        cmocka_unit_test(turned_on_and_off), cmocka_unit_test(a_goal_is_all_of_its_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
