/* What a policy is told in a world: labels by name, and the rules. */
#include "agent/actors/told.h"

#include "base/error.h"
#include "env/mj.h"
#include "policy/tiny_policy.h"

static const char *const SETTINGS[] = {"model.agent=bc", "model.task=true", NULL};

static bex_world *open_keys(const char *keys) {
    bex_world *w;
    if (bex_world_open(&w, "libero", &(bex_world_options){.keys = keys}) < 0)
        fail_msg("%s", bex_error());
    return w;
}

// knows a task of another scene and all four of KITCHEN_SCENE3, in another order than the scene has them
static bex_policy *make(int names) {
    static const char *const known[] = {
        "KITCHEN_SCENE9_turn_on_the_stove", "KITCHEN_SCENE3_turn_on_the_stove",
        "KITCHEN_SCENE3_put_the_frying_pan_on_the_stove",
        "KITCHEN_SCENE3_turn_on_the_stove_and_put_the_frying_pan_on_it",
        "KITCHEN_SCENE3_put_the_moka_pot_on_the_stove"};
    bex_labels tasks = {0}, scenes = {0};
    bex_policy *p = tiny_policy(SETTINGS, 5, 1);
    for (int i = 0; i < names; i++) assert_int_equal(bex_labels_add(&tasks, known[i]), 0);
    if (names) assert_int_equal(bex_policy_name_labels(p, &tasks, &scenes), 0);
    bex_labels_fini(&tasks);
    return p;
}

static void rules(void **state) {
    (void)state;
    bex_told t;
    bex_policy *p = make(5);
    bex_world *w = open_keys("scene=KITCHEN_SCENE3\ntask=turn_on_the_stove");
    assert_int_equal(bex_told_init(&t, p, w, "given"), 0);
    assert_int_equal(t.tasks, 1);
    assert_int_equal(t.task[0], 1);
    bex_told_fini(&t);
    assert_int_equal(bex_told_init(&t, p, w, "any"), 0);
    assert_int_equal(t.tasks, 5);
    bex_told_fini(&t);
    assert_int_equal(bex_told_init(&t, p, w, "scene"), 0);
    assert_int_equal(t.tasks, 4);
    int seen = 0;
    for (int i = 0; i < 4; i++) seen |= 1 << t.task[i];
    assert_int_equal(seen, 0x1e);
    bex_told_fini(&t);
    assert_true(bex_told_init(&t, p, w, "anny") < 0);
    assert_message("did you mean any?");
    bex_told_fini(&t);
    bex_world_close(w);
    w = open_keys("scene=KITCHEN_SCENE3");
    assert_true(bex_told_init(&t, p, w, "given") < 0);
    assert_message("--env.task=NAME");
    bex_told_fini(&t);
    bex_world_close(w);
    w = open_keys("scene=STUDY_SCENE1");
    assert_true(bex_told_init(&t, p, w, "scene") < 0);
    assert_message("the policy knows no task 'STUDY_SCENE1_");
    bex_told_fini(&t);
    bex_policy_free(p);
    // a file of before has numbers alone; a policy without such inputs needs nothing
    p = make(0);
    assert_true(bex_told_init(&t, p, w, "scene") < 0);
    assert_message("does not say what its tasks are called");
    bex_told_fini(&t);
    bex_policy_free(p);
    p = tiny_policy((const char *const[]){"model.agent=bc", NULL}, 0, 1);
    assert_int_equal(bex_told_init(&t, p, w, "given"), 0);
    assert_int_equal(t.tasks, 0);
    bex_told_fini(&t);
    bex_policy_free(p);
    bex_world_close(w);
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    const struct CMUnitTest tests[] = {cmocka_unit_test(rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
