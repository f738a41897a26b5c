/* The twenty scenes, by our parts and by LIBERO's where they are at hand: sizes, order, resets,
 * observations. */
#include "env/tabletop/libero.h"

#include "base/error.h"
#include "env/tabletop/view.h"

#include "test.h"

#include <math.h>

static const struct {
    const char *scene;
    int width; // of a state: time, qpos, qvel
    int tasks;
} scenes[] = {
    {"KITCHEN_SCENE1", 51, 5},     {"KITCHEN_SCENE2", 77, 7},     {"KITCHEN_SCENE3", 47, 4},
    {"KITCHEN_SCENE4", 51, 6},     {"KITCHEN_SCENE5", 64, 5},     {"KITCHEN_SCENE6", 47, 2},
    {"KITCHEN_SCENE7", 47, 3},     {"KITCHEN_SCENE8", 47, 2},     {"KITCHEN_SCENE9", 47, 6},
    {"KITCHEN_SCENE10", 77, 6},    {"LIVING_ROOM_SCENE1", 84, 4}, {"LIVING_ROOM_SCENE2", 123, 5},
    {"LIVING_ROOM_SCENE3", 97, 5}, {"LIVING_ROOM_SCENE4", 84, 5}, {"LIVING_ROOM_SCENE5", 84, 4},
    {"LIVING_ROOM_SCENE6", 71, 4}, {"STUDY_SCENE1", 45, 4},       {"STUDY_SCENE2", 45, 4},
    {"STUDY_SCENE3", 58, 5},       {"STUDY_SCENE4", 58, 4},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

static bex_world *open_keys(const char *keys) {
    bex_world *w;
    if (bex_world_open(&w, "libero", &(bex_world_options){.keys = keys}) < 0)
        fail_msg("%s", bex_error());
    return w;
}

// after a reset everything stands: near where it was put, at rest, nothing done that was not begun
static void check_scene(const char *more, int i) {
    char keys[1200];
    bex_real state[400], again[400];
    snprintf(keys, sizeof keys, "scene=%s\nposes=true\n%s", scenes[i].scene, more);
    bex_world *w = open_keys(keys);
    assert_int_equal(bex_libero_state_width(w), scenes[i].width);
    assert_int_equal(bex_libero_scene(w)->tasks, scenes[i].tasks);
    bex_env *e = w->class->new (w);
    assert_non_null(e);
    if (w->class->reset(e, bex_rng_seed(5), &(bex_frame){.state = state}) < 0)
        fail_msg("%s", bex_error());
    assert_true(fabs((double)state[0] - 0.04) < 0.003); // the settling steps open the hand
    assert_true(fabs((double)state[1] + 0.04) < 0.003);
    const bex_mj_sim *s = w->class->sim(e);
    const bex_bddl *scene = bex_libero_scene(w);
    for (int k = 0; k < scene->objects; k++) {
        const double *q = s->qpos + BEX_LIBERO_ROBOT + 7 * k,
                     *v = s->qvel + BEX_LIBERO_ROBOT + 6 * k;
        double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        if (speed > 0.05 || q[2] < scene->room->top - 0.01)
            fail_msg("%s: %s is at %g %g %g, %g m/s", scenes[i].scene, scene->thing[k].name, q[0],
                     q[1], q[2], speed);
    }
    assert_int_equal(w->class->reset(e, bex_rng_seed(5), &(bex_frame){.state = again}), 0);
    assert_memory_equal(state, again, (size_t)w->spec.state * sizeof *state);
    w->class->free(e);
    bex_world_close(w);
}

static void all_scenes_of_our_parts_stand(void **state) {
    (void)state;
    for (int i = 0; i < SCENES; i++) check_scene("", i);
}

static void all_scenes_of_liberos_parts_stand(void **state) {
    (void)state;
    char more[1100], libero[512];
    if (!shared_data("libero/assets") || !shared_data("robosuite/robots")) {
        print_message("SKIP: needs ../shared/data/libero and robosuite\n");
        return;
    }
    snprintf(libero, sizeof libero, "%s", shared_data("libero"));
    if (strlen(libero) > 150) {
        print_message("SKIP: '%s' is too long for an option\n", libero);
        return;
    }
    snprintf(more, sizeof more, "libero=%s\nrobosuite=%s", libero, shared_data("robosuite"));
    for (int i = 0; i < SCENES; i++) check_scene(more, i);
}

static void joints_are_in_robosuites_order(void **state) {
    (void)state;
    bex_world *w = open_keys("scene=KITCHEN_SCENE5\nsettle=0");
    bex_env *e = w->class->new (w);
    bex_real seen[64];
    double full[64];
    assert_int_equal(w->class->reset(e, bex_rng_seed(1), &(bex_frame){.state = seen}), 0);
    bex_libero_read(e, full);
    const double *q = full + 1;
    assert_true(fabs(q[1] + 0.161) < 0.1 && fabs(q[3] + 2.4446) < 0.1 && fabs(q[6] - 0.7854) < 0.1);
    assert_true(fabs(q[7] - 0.0208) < 1e-3 && fabs(q[8] + 0.0208) < 1e-3);
    assert_true(fabs(q[9 + 2] - 0.97) < 1e-9 &&
                fabs(q[16 + 2] - 0.97) < 1e-9);             // bowl, plate: let fall from 7 cm
    assert_true(fabs(q[23 + 3] - 0.5) < 1e-9);              // ketchup, standing
    assert_true(q[30] < -0.14 && q[31] == 0 && q[32] == 0); // top drawer open, the others not
    w->class->free(e);
    bex_world_close(w);
}

static void observations_are_as_chosen(void **state) {
    (void)state;
    bex_real seen[64];
    bex_world *w = open_keys("proprio=joints\ntimestep=false\nsettle=0");
    bex_env *e = w->class->new (w);
    assert_int_equal(w->spec.state, 9);
    assert_int_equal(w->spec.cameras, 0);
    assert_int_equal(w->class->reset(e, bex_rng_seed(1), &(bex_frame){.state = seen}), 0);
    assert_true(fabs((double)seen[3] + 2.4446) < 0.1);
    w->class->free(e);
    bex_world_close(w);

    w = open_keys("tasks=true");
    e = w->class->new (w);
    assert_int_equal(w->spec.state, 11);
    assert_int_equal(w->goals, 5);
    assert_int_equal(w->class->reset(e, bex_rng_seed(1), &(bex_frame){.state = seen}), 0);
    assert_true(seen[9] == 0 && seen[10] == 0);
    bex_real act[7] = {0, 0, 0, 0, 0, 0, -1}, reward;
    bool end;
    assert_int_equal(w->class->step(e, act, &(bex_frame){.state = seen}, &reward, &end), 0);
    assert_true(seen[9] == 1 && reward == 0 && !end);
    bex_goals_set_joints(bex_libero_goals(w), w->class->sim(e),
                         &bex_libero_scene(w)->task[0].goal[0], 0.009);
    assert_int_equal(w->class->step(e, act, &(bex_frame){.state = seen}, &reward, &end), 0);
    assert_int_equal(w->class->found(w, seen), 1); // the drawer is shut: the first task
    assert_true(reward == 1 && !end);
    act[1] = (bex_real)NAN;
    assert_true(w->class->step(e, act, &(bex_frame){.state = seen}, &reward, &end) < 0);
    assert_message("action 1");
    w->class->free(e);
    bex_world_close(w);
}

static void a_task_pays_and_ends(void **state) {
    (void)state;
    bex_real seen[64], act[7] = {0, 0, 0, 0, 0, 0, -1}, reward;
    bool end;
    bex_world *w = open_keys("task=close_the_top_drawer_of_the_cabinet");
    bex_env *e = w->class->new (w);
    assert_int_equal(w->class->reset(e, bex_rng_seed(1), &(bex_frame){.state = seen}), 0);
    assert_int_equal(w->class->step(e, act, &(bex_frame){.state = seen}, &reward, &end), 0);
    assert_true(reward == 0 && !end);
    bex_goals_set_joints(bex_libero_goals(w), w->class->sim(e),
                         &bex_libero_scene(w)->task[0].goal[0], 0.009);
    assert_int_equal(w->class->step(e, act, &(bex_frame){.state = seen}, &reward, &end), 0);
    assert_true(reward == 1 && end);
    w->class->free(e);
    bex_world_close(w);
}

static void wrong_options_are_one_line(void **state) {
    (void)state;
    static const struct {
        const char *keys, *message;
    } bad[] = {{"scene=KITCHEN_SCENE55", "did you mean KITCHEN_SCENE5"},
               {"task=close_the_top_drawer_of_a_cabinet", "did you mean close_the_top_drawer"},
               {"libero=/nowhere\nrobosuite=/nowhere", "no directory '/nowhere'"},
               {"libero=/", "both needed"},
               {"start=file", "our own parts have no such files"},
               {"detail=rough", "detail"},
               {"cameras=agentview,agentview", "env.cameras 'agentview,agentview'"},
               {"cameras=", "agentview, eye_in_hand or both"},
               {"textures=-1", "textures"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bex_world *w;
        assert_true(bex_world_open(&w, "libero", &(bex_world_options){.keys = bad[i].keys}) < 0);
        assert_message(bad[i].message);
    }
}

static void fixtures_may_be_moved(void **state) {
    (void)state;
    double at[3][3];
    for (int i = 0; i < 3; i++) {
        char keys[40];
        snprintf(keys, sizeof keys, "fixtures=%d", i);
        bex_world *w = open_keys(keys);
        bex_env *e = w->class->new (w);
        assert_int_equal(bex_mj_sim_pose(w->class->sim(e)), 0);
        assert_true(bex_mj_sim_site(w->class->sim(e), "white_cabinet_1_top_side", at[i]));
        w->class->free(e);
        bex_world_close(w);
    }
    for (int i = 1; i < 3; i++) {
        double off = hypot(at[i][0] - at[0][0], at[i][1] - at[0][1]);
        assert_true(off > 1e-4 && off < 0.0142); // within the region of 2 cm
    }
    assert_true(hypot(at[1][0] - at[2][0], at[1][1] - at[2][1]) > 1e-4);
}

// bottom row first, as LIBERO's; as chosen, in the order chosen
static void pictures_are_as_liberos(void **state) {
    (void)state;
    enum { SIDE = 32 };
    static unsigned char seen[2][3 * SIDE * SIDE], drawn[3 * SIDE * SIDE];
    static const char *const keys[] = {"images=32\nsamples=0",
                                       "images=32\nsamples=0\ncameras=eye_in_hand,agentview_rgb"};
    bex_real obs[64];
    for (int k = 0; k < 2; k++) {
        bex_world *w = open_keys(keys[k]);
        bex_env *e = w->class->new (w);
        assert_int_equal(w->spec.cameras, 2);
        assert_string_equal(w->camera[k], "agentview_rgb");
        if (w->class->reset(e, bex_rng_seed(5),
                            &(bex_frame){.state = obs, .image = {seen[0], seen[1]}}) < 0) {
            print_message("SKIP: no pictures here: %s\n", bex_error());
            w->class->free(e);
            bex_world_close(w);
            return;
        }
        bex_view *v;
        const bex_view_options look = {.size = SIDE, .samples = 0, .solids = true};
        const bex_mj_sim *sim = w->class->sim(e);
        assert_int_equal(bex_view_new(&v, sim->model, bex_libero_scene(w), &look), 0);
        for (int c = 0; c < 2; c++) {
            assert_int_equal(bex_view_draw(v, sim, k ? 1 - c : c, drawn), 0);
            assert_memory_not_equal(drawn, seen[c], sizeof drawn);
            bex_libero_turn_over(drawn, SIDE);
            assert_memory_equal(drawn, seen[c], sizeof drawn);
        }
        bex_view_free(v);
        w->class->free(e);
        bex_world_close(w);
    }
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_scenes_of_our_parts_stand),
        cmocka_unit_test(all_scenes_of_liberos_parts_stand),
        cmocka_unit_test(joints_are_in_robosuites_order),
        cmocka_unit_test(observations_are_as_chosen),
        cmocka_unit_test(a_task_pays_and_ends),
        cmocka_unit_test(wrong_options_are_one_line),
        cmocka_unit_test(fixtures_may_be_moved),
        cmocka_unit_test(pictures_are_as_liberos),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
