/* Directories: parents, order, links not followed, each refusal. */
#include "host/folder.h"

#include "base/error.h"

#include "test.h"

#include <sys/stat.h>

static char root[512];

static const char *below(const char *name) {
    static char path[4][600];
    static int at;
    at = (at + 1) % 4;
    snprintf(path[at], sizeof path[at], "%s/%s", root, name);
    return path[at];
}

static void put(const char *path) {
    FILE *f = fopen(path, "wb");
    fputs("x", f);
    fclose(f);
}

static void made_with_parents_and_removed(void **state) {
    (void)state;
    assert_int_equal(bex_folder_make(below("a/b/c")), 0);
    assert_int_equal(bex_folder_make(below("a/b/c/")), 0);
    assert_true(bex_folder_exists(below("a/b/c")));
    assert_int_equal(bex_folder_sync(below("a/b")), 0);
    put(below("a/b/file"));
    assert_false(bex_folder_exists(below("a/b/file")));
    assert_int_equal(bex_folder_make(below("a/b/file/d")), -1);
    assert_message("a/b/file': File exists");
    assert_int_equal(bex_folder_remove(below("a")), 0);
    assert_false(bex_folder_exists(below("a")));
    assert_int_equal(bex_folder_remove(below("a")), 0);
}

static void a_link_is_removed_its_target_stays(void **state) {
    (void)state;
    bex_folder_make(below("keep"));
    put(below("keep/file"));
    bex_folder_make(below("gone"));
    assert_int_equal(symlink(below("keep"), below("gone/link")), 0);
    assert_int_equal(bex_folder_remove(below("gone")), 0);
    assert_int_equal(access(below("keep/file"), F_OK), 0);
}

static void listed_in_order(void **state) {
    (void)state;
    char **names;
    bex_folder_make(below("list"));
    assert_int_equal(bex_folder_list(&names, below("list")), 0);
    free(names);
    put(below("list/b")), put(below("list/a")), put(below("list/.c"));
    assert_int_equal(bex_folder_list(&names, below("list")), 3);
    assert_string_equal(names[0], ".c");
    assert_string_equal(names[1], "a");
    assert_string_equal(names[2], "b");
    free(names);
    assert_int_equal(bex_folder_list(&names, below("none")), -1);
    assert_null(names);
    assert_message("none': No such file");
    assert_int_equal(bex_folder_make(""), -1);
    assert_int_equal(bex_folder_sync(below("none")), -1);
}

int main(void) {
    snprintf(root, sizeof root, "%s", scratch_path("folder"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_with_parents_and_removed),
        cmocka_unit_test(a_link_is_removed_its_target_stays),
        cmocka_unit_test(listed_in_order),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    bex_folder_remove(root);
    return code;
}
