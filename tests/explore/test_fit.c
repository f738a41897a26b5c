/* A world shows what a policy was trained on, or one line says what it does not. */
#include "explore/fit.h"

#include "base/error.h"
#include "env/mj.h"

#include "test.h"

enum { KEYS = 2000 };

static const char both[] = "agentview_rgb,eye_in_hand_rgb";

// a policy of which only this is read
static void make(bex_policy *p, const char *scene, const char *first, int width, bool timed) {
    *p = (bex_policy){.A = 7};
    snprintf(p->origin.scene, sizeof p->origin.scene, "%s", scene);
    assert_true(bex_columns_add_key(&p->columns, first, width) >= 0);
    if (width == 7) assert_true(bex_columns_add_key(&p->columns, "gripper_states", 2) >= 0);
    if (timed) assert_true(bex_columns_add_key(&p->columns, "timestep", 1) >= 0);
    p->O = p->given = p->columns.count;
}

static void sees(bex_policy *p, const char *cameras, int pixels) {
    snprintf(p->config.vision.images, sizeof p->config.vision.images, "%s", cameras);
    p->origin.height = p->origin.width = pixels;
}

static bex_world *open_for(const bex_policy *p, const char *more) {
    char keys[KEYS];
    bex_world *w;
    if (bex_fit_keys(keys, sizeof keys, p, bex_env_class_named("libero"), more) < 0 ||
        bex_world_open(&w, "libero", &(bex_world_options){.keys = keys}) < 0)
        fail_msg("%s", bex_error());
    return w;
}

static void fits(bex_policy *p) {
    bex_world *w = open_for(p, "");
    if (bex_fit_check(p, "runs/a", w) < 0) fail_msg("%s", bex_error());
    bex_world_close(w);
    bex_columns_fini(&p->columns);
}

static void the_world_is_as_the_policy_knows_it(void **state) {
    (void)state;
    bex_policy p;
    make(&p, "KITCHEN_SCENE3", "joint_states", 7, false);
    fits(&p);
    make(&p, "STUDY_SCENE1", "robot_states", 9, true);
    fits(&p);
    make(&p, "", "robot_states", 9, false);
    fits(&p);
    make(&p, "KITCHEN_SCENE5", "joint_states", 7, true);
    sees(&p, both, 48);
    fits(&p);
    make(&p, "KITCHEN_SCENE5", "joint_states", 7, false);
    sees(&p, "eye_in_hand_rgb", 64);
    fits(&p);
}

static void refused(bex_policy *p, const char *more, const char *message) {
    bex_world *w = open_for(p, more);
    assert_true(bex_fit_check(p, "runs/a", w) < 0);
    assert_message(message);
    assert_null(strchr(bex_error(), '\n'));
    bex_world_close(w);
}

static void what_is_asked_for_wins_and_is_refused(void **state) {
    (void)state;
    bex_policy p;
    make(&p, "KITCHEN_SCENE3", "joint_states", 7, false);
    refused(&p, "scene=KITCHEN_SCENE5",
            "'runs/a' was trained in KITCHEN_SCENE3; this is KITCHEN_SCENE5");
    refused(&p, "proprio=robot_states", "libero shows robot_states[0:9]");
    refused(&p, "timestep=true", "gripper_states[0:2], timestep");
    refused(&p, "poses=true", "poses");
    sees(&p, both, 64);
    refused(&p, "images=32", "pictures of 64 x 64 pixels; libero shows 32 x 32");
    refused(&p, "images=0", "libero shows 0 cameras");
    refused(&p, "cameras=eye_in_hand", "1 camera: eye_in_hand_rgb");
    refused(&p, "cameras=eye_in_hand,agentview", "eye_in_hand_rgb,agentview_rgb");
    bex_columns_fini(&p.columns);

    make(&p, "", "ee_pos", 3, false); // nothing it can show
    refused(&p, "", "was trained on ee_pos[0:3]");
    bex_columns_fini(&p.columns);
}

static void sizes_are_held_together_where_nothing_is_known(void **state) {
    (void)state;
    bex_policy p = {.O = 9, .given = 9, .A = 7};
    bex_world *w = open_for(&p, "timestep=false");
    if (bex_fit_check(&p, "runs/a", w) < 0) fail_msg("%s", bex_error());
    p.O = p.given = 4;
    assert_true(bex_fit_check(&p, "runs/a", w) < 0);
    assert_message("expects 4 observation and 7 action values, libero has 9 and 7");
    bex_world_close(w);
    char keys[16];
    assert_true(bex_fit_keys(keys, sizeof keys, &p, bex_env_class_named("libero"),
                             "scene=KITCHEN_SCENE5") < 0);
    assert_message("too long");
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_world_is_as_the_policy_knows_it),
        cmocka_unit_test(what_is_asked_for_wins_and_is_refused),
        cmocka_unit_test(sizes_are_held_together_where_nothing_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
