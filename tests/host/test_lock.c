/* A lock: one at a time, no link is followed, and what was moved away guards nothing. */
#include "host/lock.h"

#include "base/error.h"
#include "host/folder.h"
#include "host/nofollow.h"

#include "test.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

static char root[512], file[600], folder[600], other[600];

static void one_at_a_time(void **state) {
    (void)state;
    int lock = bex_lock_take(folder, "run");
    assert_true(lock >= 0);
    assert_int_equal(bex_lock_take(folder, "run"), -1);
    assert_message("is in use by process ");
    // also under another name
    assert_int_equal(rename(folder, other), 0);
    assert_int_equal(bex_lock_take(other, "run"), -1);
    assert_int_equal(bex_folder_make(folder), 0);
    int fresh = bex_lock_take(folder, "run");
    assert_true(fresh >= 0);
    close(fresh), close(lock);
    lock = bex_lock_take(other, "run");
    assert_true(lock >= 0);
    close(lock);
    assert_int_equal(bex_lock_take("/no/such/folder", "run"), -1);
    assert_message("/no/such/folder/lock': No such file");
}

static void a_link_is_refused_and_its_target_whole(void **state) {
    (void)state;
    struct stat st;
    FILE *f = fopen(file, "wb");
    fputs("precious", f);
    fclose(f);
    char path[700];
    snprintf(path, sizeof path, "%s/lock", folder);
    unlink(path);
    assert_int_equal(symlink(file, path), 0);
    assert_int_equal(bex_lock_take(folder, "run"), -1);
    assert_message("/lock' is a symbolic link");
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_size, 8);
    assert_int_equal(bex_open_nofollow(path, O_WRONLY | O_TRUNC), -1);
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_size, 8);
    unlink(path);

    assert_int_equal(bex_folder_nofollow(folder), 0);
    assert_int_equal(bex_folder_nofollow("/no/such"), 0);
    assert_int_equal(bex_folder_nofollow(file), -1);
    assert_message("is not a directory");
    assert_int_equal(symlink(folder, path), 0);
    assert_int_equal(bex_folder_nofollow(path), -1);
    assert_message("is a symbolic link");
    unlink(path);
}

int main(void) {
    snprintf(root, sizeof root, "%s", scratch_path("lock"));
    snprintf(folder, sizeof folder, "%s/run", root);
    snprintf(other, sizeof other, "%s/moved", root);
    snprintf(file, sizeof file, "%s/file", root);
    bex_folder_make(folder);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_at_a_time),
        cmocka_unit_test(a_link_is_refused_and_its_target_whole),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    bex_folder_remove(root);
    return code;
}
