/* Directories: parents, order, links not followed, each refusal. */
#include "host/folder.h"

#include "base/error.h"

#include "test.h"

#include <sys/stat.h>
#include <sys/wait.h>

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

// the reason is mkdir's, not that of the look afterwards
static void the_reason_of_a_refusal(void **state) {
    (void)state;
    bex_folder_make(below("closed"));
    uid_t was = geteuid();
    chmod(below("closed"), 0555);
    if (was == 0) assert_int_equal(seteuid(65534), 0); // root may write anywhere
    int code = bex_folder_make(below("closed/in/it"));
    if (was == 0) assert_int_equal(seteuid(was), 0);
    assert_int_equal(code, -1);
    assert_message("closed/in': Permission denied");
}

static void what_cannot_be_removed(void **state) {
    (void)state;
    bex_folder_make(below("odd"));
    put(below("odd/file"));
    // no such thing can be there, and no directory either
    assert_int_equal(bex_folder_remove(below("odd/file/below")), -1);
    assert_message("odd/file/below': Not a directory");
    // a link with a slash behind it is still a link
    bex_folder_make(below("odd/keep"));
    put(below("odd/keep/file"));
    assert_int_equal(symlink(below("odd/keep"), below("odd/link")), 0);
    assert_int_equal(bex_folder_remove(below("odd/link/")), 0);
    assert_int_equal(access(below("odd/keep/file"), F_OK), 0);
    assert_int_equal(access(below("odd/link"), F_OK), -1);
}

static void temporaries_of_the_dead_go(void **state) {
    (void)state;
    char name[64];
    pid_t dead = fork();
    if (dead == 0) _exit(0);
    waitpid(dead, NULL, 0);
    static const char *const forms[] = {"status.tmp-%d-0", "a.tmp-5-5.tmp-%d-12", "status.tmp-%d",
                                        "status.tmp-%d-",  "status.tmp-%d-1x",    ".tmp-%d-0"};
    bex_folder_make(below("tidy"));
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, forms[i], (int)dead);
        put(below(strcat(strcpy((char[80]){0}, "tidy/"), name)));
    }
    snprintf(name, sizeof name, "tidy/mine.tmp-%d-0", (int)getpid());
    put(below(name)), put(below("tidy/status")), put(below("tidy/other.tmp-1-0"));
    assert_int_equal(bex_folder_tidy(below("tidy")), 0);
    char **names;
    int count = bex_folder_list(&names, below("tidy"));
    assert_int_equal(count, 6); // not ours by name, or of a living process
    for (int i = 0; i < count; i++) assert_null(strstr(names[i], "mine"));
    free(names);
    assert_int_equal(access(below("tidy/other.tmp-1-0"), F_OK), 0);
    assert_int_equal(bex_folder_tidy(below("nothing")), 0);
}

int main(void) {
    snprintf(root, sizeof root, "%s", scratch_path("folder"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_with_parents_and_removed),
        cmocka_unit_test(a_link_is_removed_its_target_stays),
        cmocka_unit_test(listed_in_order),
        cmocka_unit_test(the_reason_of_a_refusal),
        cmocka_unit_test(what_cannot_be_removed),
        cmocka_unit_test(temporaries_of_the_dead_go),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    bex_folder_remove(root);
    return code;
}
