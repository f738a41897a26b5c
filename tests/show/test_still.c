/* Every class names a picture that exists, or none; worlds without one say so. */
#include "show/still.h"

#include "base/error.h"
#include "env/mj.h"

#include "test.h"

static void every_world_has_its_kind(void **state) {
    (void)state;
    static const struct {
        const char *family, *kind; // NULL: a camera's only
        bool moves, camera_first;
    } known[] = {{"maze2d", "map", true, false},      {"antmaze", "map", true, false},
                 {"kitchen", "kitchen", false, true}, {"ant", NULL, false, false},
                 {"ant-walker", NULL, false, false},  {"libero", NULL, false, false}};
    enum { KNOWN = sizeof known / sizeof *known };
    for (int i = 0; bex_env_class_at(i); i++) {
        const bex_env_class *class = bex_env_class_at(i);
        const bex_world w = {.class = class, .name = class->name};
        const bex_picture_kind *kind = bex_picture_kind_of(&w);
        int at = 0;
        while (at < KNOWN && !bex_world_is(&w, known[at].family)) at++;
        if (at == KNOWN) fail_msg("%s is of a family this test does not know", class->name);
        assert_int_equal(kind != NULL, known[at].kind != NULL);
        if (!kind) continue;
        assert_string_equal(kind->name, known[at].kind);
        assert_int_equal(kind->animation != NULL, known[at].moves);
        assert_int_equal(kind->camera_first, known[at].camera_first);
        assert_true(strcmp(kind->name, "map") != 0 || class->draw);
    }
}

static void without_a_picture_there_is_a_message(void **state) {
    (void)state;
    bex_world ant = {.class = bex_env_class_named("ant"), .name = "ant"};
    assert_true(bex_world_still(&ant, NULL, "t", "x.png") < 0);
    assert_message("ant has no picture from above");
    bex_world kitchen = {.class = bex_env_class_named("kitchen"), .name = "kitchen"};
    assert_true(bex_world_moving(&kitchen, NULL, "t", 1, "x.gif") < 0);
    assert_message("kitchen has no picture from above");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_world_has_its_kind),
        cmocka_unit_test(without_a_picture_there_is_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
