/* Names of tasks and scenes: lines there and back, and with a policy. */
#include "policy/labels.h"

#include "base/error.h"
#include "policy/tiny_policy.h"

static void lines(void **state) {
    (void)state;
    bex_labels a = {0}, b = {0};
    assert_int_equal(bex_labels_add(&a, "KITCHEN_SCENE3_turn_on_the_stove"), 0);
    assert_int_equal(bex_labels_add(&a, "two, words\nand a line"), 0);
    char *text = bex_labels_text(&a);
    assert_int_equal(bex_labels_parse(&b, text, 2), 0);
    assert_string_equal(b.name[0], a.name[0]);
    assert_string_equal(b.name[1], "two, words and a line");
    assert_int_equal(bex_labels_find(&b, "KITCHEN_SCENE3_turn_on_the_stove"), 0);
    assert_int_equal(bex_labels_find(&b, "KITCHEN"), -1);
    bex_labels_fini(&b);
    assert_true(bex_labels_parse(&b, text, 3) < 0);
    assert_message("not the names of 3 labels");
    assert_true(bex_labels_parse(&b, text, 1) < 0);
    assert_int_equal(b.count, 0);
    free(text);
    for (int i = 0; i < 3; i++) assert_int_equal(bex_labels_add(&a, "more"), 0);
    char list[200];
    assert_non_null(strstr(bex_labels_list(list, sizeof list, &a), "... (5 in all)"));
    bex_labels_fini(&a);
}

static void a_policy_keeps_them(void **state) {
    (void)state;
    static const char *const settings[] = {"model.agent=bc", "model.task=true", NULL};
    bex_labels tasks = {0}, scenes = {0};
    char *path = strdup(scratch_path("labels.safetensors"));
    for (int i = 0; i < 3; i++) {
        char name[20];
        snprintf(name, sizeof name, "task %d", i);
        assert_int_equal(bex_labels_add(&tasks, name), 0);
    }
    bex_policy *p = tiny_policy(settings, 3, 1);
    assert_int_equal(bex_policy_name_labels(p, &tasks, &scenes), 0);
    assert_int_equal(bex_policy_save(p, path), 0);
    bex_policy *q = bex_policy_load(path);
    if (!q) fail_msg("%s", bex_error());
    assert_int_equal(q->task_names.count, 3);
    assert_string_equal(q->task_names.name[2], "task 2");
    assert_int_equal(q->scene_names.count, 0);
    bex_policy_free(p), bex_policy_free(q);
    // one without the token keeps none
    p = tiny_policy((const char *const[]){"model.agent=bc", NULL}, 3, 1);
    assert_int_equal(bex_policy_name_labels(p, &tasks, &scenes), 0);
    assert_int_equal(p->task_names.count, 0);
    bex_policy_free(p);
    bex_labels_fini(&tasks);
    unlink(path);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines),
                                       cmocka_unit_test(a_policy_keeps_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
