/* Task files: what is understood, and one clear line for everything else. */
#include "env/tabletop/bddl.h"

#include "base/error.h"
#include "env/tabletop/parts.h"

#include "test.h"

static const char good[] =
    "; a comment\n"
    "(define (problem LIBERO_Kitchen_Tabletop_Manipulation)\n"
    "  (:domain robosuite)\n"
    "  (:language put the Bowl on the plate)\n"
    "  (:regions\n"
    "    (plate_init_region (:target kitchen_table) (:ranges ((-0.1 0 0.1 0.2)))\n"
    "      (:yaw_rotation ((0 0))))\n"
    "    (top_region (:target white_cabinet_1)))\n"
    "  (:fixtures kitchen_table - kitchen_table white_cabinet_1 - white_cabinet)\n"
    "  (:objects akita_black_bowl_1 akita_black_bowl_2 - akita_black_bowl plate_1 - plate)\n"
    "  (:obj_of_interest plate_1)\n"
    "  (:init (On plate_1 kitchen_table_plate_init_region) (Open white_cabinet_1_top_region))\n"
    "  (:goal (And (On akita_black_bowl_1 plate_1) (Close white_cabinet_1_top_region))))\n";

static void a_file_is_understood(void **state) {
    (void)state;
    bex_bddl s;
    if (bex_bddl_read(&s, good, strlen(good), "good") < 0) fail_msg("%s", bex_error());
    assert_string_equal(s.room->table, "kitchen_table");
    assert_int_equal(s.objects, 3);
    assert_int_equal(s.things, 4);
    assert_int_equal(s.all, 5);
    assert_string_equal(s.thing[1].name, "akita_black_bowl_2");
    assert_string_equal(s.thing[2].kind->name, "plate");
    assert_string_equal(s.thing[3].name, "white_cabinet_1");
    assert_string_equal(s.thing[4].name, "kitchen_table");
    assert_null(s.thing[4].kind);
    assert_string_equal(s.region[1].name, "white_cabinet_1_top_region");
    assert_true(s.region[0].ranged && !s.region[1].ranged);
    assert_true(s.region[0].range[3] == 0.2);
    assert_int_equal(s.tasks, 1);
    assert_string_equal(s.task[0].language, "put the Bowl on the plate");
    assert_int_equal(s.task[0].facts, 2);
    assert_int_equal(s.task[0].goal[0].predicate, BEX_PREDICATE_ON);
    assert_int_equal(s.task[0].goal[0].a, 0);
    assert_int_equal(s.task[0].goal[0].b, 2);
    assert_int_equal(s.task[0].goal[1].predicate, BEX_PREDICATE_CLOSE);
    assert_int_equal(s.task[0].goal[1].a, -2);
}

static void what_is_written_reads_back(void **state) {
    (void)state;
    bex_bddl s, again;
    assert_int_equal(bex_bddl_read(&s, good, strlen(good), "good"), 0);
    char *text = bex_bddl_text(&s, 0);
    assert_non_null(text);
    if (bex_bddl_read(&again, text, strlen(text), "again") < 0)
        fail_msg("%s\n%s", bex_error(), text);
    assert_memory_equal(&s, &again, sizeof s);
    free(text);
}

// the good file with one piece of it replaced
static void refuse(const char *piece, const char *by, const char *message) {
    char text[4096];
    bex_bddl s;
    const char *at = strstr(good, piece);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, by, at + strlen(piece));
    if (bex_bddl_read(&s, text, strlen(text), "x.bddl") == 0) fail_msg("accepted: %s", by);
    if (!strstr(bex_error(), message)) fail_msg("'%s' lacks '%s'", bex_error(), message);
}

static void everything_else_is_one_line(void **state) {
    (void)state;
    refuse("(On akita_black_bowl_1 plate_1)", "(Near akita_black_bowl_1 plate_1)",
           "unknown predicate");
    refuse("(On akita_black_bowl_1 plate_1)", "(On akita_black_bowl_3 plate_1)",
           "neither a thing nor a region");
    refuse("(On akita_black_bowl_1 plate_1)", "(On akita_black_bowl_1)", "takes two names");
    refuse("(On akita_black_bowl_1 plate_1)", "(Open akita_black_bowl_1 plate_1)",
           "takes one name");
    refuse("plate_1 - plate", "plate_1 - saucer", "no such kind");
    refuse("plate_1 - plate", "plate_1", "names without a kind");
    refuse("white_cabinet_1 - white_cabinet", "white_cabinet_1 - plate", "no such fixture");
    refuse("akita_black_bowl_2", "akita_black_bowl_1", "declared twice");
    refuse("-0.1 0 0.1 0.2", "-0.1 0 0.1", "not the numbers expected");
    refuse("-0.1 0 0.1 0.2", "-0.1 0 nan 0.2", "not a number");
    refuse("-0.1 0 0.1 0.2", "0.3 0 0.1 0.2", "ends before it begins");
    refuse("-0.1 0 0.1 0.2", "-1e9 0 0.1 0.2", "absurdly far");
    refuse("LIBERO_Kitchen", "LIBERO_Garden", "no such room");
    refuse("(:domain robosuite)", "(:physics real)", "unknown section");
    refuse("(:goal (And", "(:goal (And ((((((((((((((((", "deep");
    refuse("(Close white_cabinet_1_top_region))))", "(Close white_cabinet_1_top_region)",
           "never closed");
    refuse("; a comment\n", ")", "without its '('");
    refuse("(:target white_cabinet_1)", "(:target oven_1)", "not declared");
    refuse("(define", "(undefine", "not a (define");
    refuse("; a comment\n", "\x01", "no text");
    bex_bddl s;
    for (size_t n = 0; n < strlen(good) - 2; n++) // cut off anywhere
        if (bex_bddl_read(&s, good, n, "cut") == 0) fail_msg("accepted the first %zu bytes", n);
}

static int tasks_of_all(const bex_parts *p) {
    bex_bddl s;
    int tasks = 0;
    for (int i = 0; bex_scene_at(i); i++) {
        if (bex_parts_scene(&s, p, bex_scene_at(i)) < 0) fail_msg("%s", bex_error());
        tasks += s.tasks;
    }
    return tasks;
}

static void there_are_ninety_tasks(void **state) {
    (void)state;
    bex_parts p;
    assert_int_equal(bex_parts_init(&p, "", ""), 0);
    assert_true(p.own);
    assert_int_equal(tasks_of_all(&p), 90);
    bex_bddl s;
    assert_true(bex_parts_scene(&s, &p, "KITCHEN_SCENE11") < 0);
    assert_message("did you mean KITCHEN_SCENE1");
}

static void ours_equal_liberos(void **state) {
    (void)state;
    char libero[512], robosuite[512];
    if (!shared_data("libero/bddl_files")) {
        print_message("SKIP: needs ../shared/data/libero\n");
        return;
    }
    snprintf(libero, sizeof libero, "%s", shared_data("libero"));
    snprintf(robosuite, sizeof robosuite, "%s", shared_data("robosuite"));
    bex_parts own, real;
    assert_int_equal(bex_parts_init(&own, "", ""), 0);
    if (bex_parts_init(&real, libero, robosuite) < 0) fail_msg("%s", bex_error());
    for (int i = 0; bex_scene_at(i); i++) {
        bex_bddl a, b;
        assert_int_equal(bex_parts_scene(&a, &own, bex_scene_at(i)), 0);
        if (bex_parts_scene(&b, &real, bex_scene_at(i)) < 0) fail_msg("%s", bex_error());
        assert_int_equal(a.tasks, b.tasks);
        assert_int_equal(a.things, b.things);
        for (int t = 0; t < a.tasks; t++) {
            assert_string_equal(a.task[t].name, b.task[t].name);
            assert_memory_equal(a.task[t].goal, b.task[t].goal, sizeof a.task[t].goal);
        }
        for (int k = 0; k < a.things; k++) {
            assert_string_equal(a.thing[k].name, b.thing[k].name);
            assert_ptr_equal(a.thing[k].kind, b.thing[k].kind);
        }
        assert_int_equal(a.inits, b.inits);
        for (int k = 0; k < a.inits; k++) {
            assert_int_equal(a.init[k].predicate, b.init[k].predicate);
            assert_string_equal(bex_bddl_name(&a, a.init[k].a), bex_bddl_name(&b, b.init[k].a));
        }
        for (int k = 0; k < a.regions; k++)
            for (int n = 0; n < 4; n++)
                assert_float_equal(a.region[k].range[n], b.region[k].range[n], 1e-6);
    }
}

static void missing_directories_are_named(void **state) {
    (void)state;
    bex_parts p;
    assert_true(bex_parts_init(&p, "/nowhere", "/nowhere") < 0);
    assert_message("env.libero: no directory '/nowhere'");
    assert_true(bex_parts_init(&p, BEX_SOURCE_DIR, BEX_SOURCE_DIR) < 0);
    assert_message("microwave.xml");
    assert_true(bex_parts_init(&p, BEX_SOURCE_DIR, "") < 0);
    assert_message("both needed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_understood),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(everything_else_is_one_line),
        cmocka_unit_test(there_are_ninety_tasks),
        cmocka_unit_test(ours_equal_liberos),
        cmocka_unit_test(missing_directories_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
