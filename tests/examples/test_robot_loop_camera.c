/* examples/robot_loop_camera.c as a user runs it: it sees, acts, and says what is wrong. */
#include "policy/tiny_policy.h"

#include <sys/wait.h>

static char model[600], blind[600];

static void expect_run(const char *arguments, int code, const char *part) {
    char command[2048], text[2000];
    snprintf(command, sizeof command, "%s/examples/robot_loop_camera %s 2>&1", BEX_BINARY_DIR,
             arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    text[fread(text, 1, sizeof text - 1, pipe)] = 0;
    int status = pclose(pipe), got = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (got != code || !strstr(text, part)) fail_msg("%s: code %d and: %s", command, got, text);
}

static void it_sees_and_acts(void **state) {
    (void)state;
    char arguments[700];
    snprintf(arguments, sizeof arguments, "%s 2 3", model);
    expect_run(arguments, 0, "front,wrist; seen as 32 x 32 pixels, turned: vertical");
    expect_run(arguments, 0, "2 plans");
}

static void mistakes_are_told(void **state) {
    (void)state;
    expect_run("", 2, "usage: ");
    expect_run("no/such/model", 1, "no/such/model");
    expect_run(blind, 1, "sees no pictures");
}

int main(void) {
    static const char *const sees[] = {"vision.images=front,wrist", "vision.height=32",
                                       "vision.width=32",           "vision.channels=16",
                                       "vision.flip=vertical",      NULL};
    snprintf(model, sizeof model, "%s", scratch_path("camera.safetensors"));
    snprintf(blind, sizeof blind, "%s", scratch_path("blind.safetensors"));
    tiny_policy_save(sees, 0, 1, model);
    tiny_policy_save(NULL, 0, 1, blind);
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_sees_and_acts),
                                       cmocka_unit_test(mistakes_are_told)};
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(model), unlink(blind);
    return code;
}
