/* examples/robot_loop.c as a user runs it, for a few ticks: it acts, keeps its history, says what is
 * wrong. */
#include "policy/tiny_policy.h"

#include <sys/wait.h>

static char model[600], history[600];

static int run_loop(const char *arguments, char *text, size_t size) {
    char command[2048];
    snprintf(command, sizeof command, "%s/examples/robot_loop %s 2>&1", BEX_BINARY_DIR, arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    text[fread(text, 1, size - 1, pipe)] = 0;
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect_run(const char *arguments, int code, const char *part) {
    char text[2000];
    int got = run_loop(arguments, text, sizeof text);
    if (got != code || !strstr(text, part))
        fail_msg("robot_loop %s: code %d and: %s", arguments, got, text);
}

static void it_runs_and_remembers(void **state) {
    (void)state;
    char arguments[1400];
    snprintf(arguments, sizeof arguments, "%s %s 2 3", model, history);
    expect_run(arguments, 0, "2 plans");
    expect_run(arguments, 0, " 12 states kept"); // six of the run before
}

static void mistakes_are_told(void **state) {
    (void)state;
    char arguments[1400];
    expect_run("", 2, "usage: ");
    expect_run("no/such/model x", 1, "no/such/model");
    snprintf(arguments, sizeof arguments, "%s %s 1 1", model, model);
    expect_run(arguments, 1, "history.states");
}

int main(void) {
    snprintf(model, sizeof model, "%s", scratch_path("robot.safetensors"));
    snprintf(history, sizeof history, "%s", scratch_path("robot-history.safetensors"));
    tiny_policy_save(NULL, 0, 1, model);
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_runs_and_remembers),
                                       cmocka_unit_test(mistakes_are_told)};
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(model), unlink(history);
    return code;
}
