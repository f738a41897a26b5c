/* Frames into a file that is there only when whole; and ffmpeg that is not, or that dies. */
#include "draw/video.h"

#include "base/error.h"
#include "test.h"

#include <sys/stat.h>

enum { W = 64, H = 48, FRAMES = 12 };

static void frames_become_a_file(void **state) {
    (void)state;
    static unsigned char rgb[3 * W * H];
    const char *path = scratch_path("video.mp4");
    bex_video *v;
    if (bex_video_open(&v, path, W, H, 25) < 0) fail_msg("%s", bex_error());
    for (int f = 0; f < FRAMES; f++) {
        memset(rgb, f * 20, sizeof rgb);
        if (bex_video_add(v, rgb) < 0) fail_msg("%s", bex_error());
        assert_true(access(path, F_OK) != 0);
    }
    if (bex_video_commit(v) < 0) fail_msg("%s", bex_error());
    bex_video_free(v);
    char head[12] = "";
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fread(head, 1, 12, f), 12);
    fclose(f);
    assert_memory_equal(head + 4, "ftyp", 4);
    unlink(path);
    // given up: nothing is left
    assert_int_equal(bex_video_open(&v, path, W, H, 10), 0);
    assert_int_equal(bex_video_add(v, rgb), 0);
    bex_video_free(v);
    assert_true(access(path, F_OK) != 0);
    bex_video_free(NULL);
}

// a PATH with nothing, or with an ffmpeg that ends at once
static void without_a_good_ffmpeg(void **state) {
    (void)state;
    static unsigned char rgb[3 * W * H];
    char old[4096], folder[512], program[600];
    snprintf(old, sizeof old, "%s", getenv("PATH"));
    snprintf(folder, sizeof folder, "%s", scratch_path("bin"));
    snprintf(program, sizeof program, "%s/ffmpeg", folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    setenv("PATH", folder, 1);
    const char *path = scratch_path("video.mp4");
    bex_video *v;
    assert_true(bex_video_open(&v, path, W, H, 25) < 0);
    assert_message("cannot run ffmpeg");
    assert_message("install ffmpeg");
    FILE *f = fopen(program, "w");
    fputs("#!/bin/sh\nexit 3\n", f);
    fclose(f);
    chmod(program, 0755);
    int code = bex_video_open(&v, path, W, H, 25);
    for (int i = 0; i < 2000 && code == 0; i++) code = bex_video_add(v, rgb);
    assert_true(code < 0);
    assert_message("ffmpeg failed (code 3)");
    bex_video_free(v);
    assert_true(access(path, F_OK) != 0);
    setenv("PATH", old, 1);
    unlink(program), rmdir(folder);
}

int main(void) {
    if (system("ffmpeg -version > /dev/null 2>&1") != 0) return skip_all("no ffmpeg");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_become_a_file),
        cmocka_unit_test(without_a_good_ffmpeg),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
