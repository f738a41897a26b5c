/* `bex theory` as a user runs it: exit codes, one line of error, JSON, figures. */
#include "base/file.h"
#include "host/json.h"

#include "test.h"

#include <sys/wait.h>

static char output[1 << 18];

// runs bex with arguments, both streams to `output`; returns the exit code
static int run(const char *arguments) {
    char command[2048];
    snprintf(command, sizeof command, "'%s/bin/bex' %s 2>&1", BEX_BINARY_DIR, arguments);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    size_t n = fread(output, 1, sizeof output - 1, f);
    output[n] = 0;
    int status = pclose(f);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void assert_output(const char *part) {
    if (!strstr(output, part)) fail_msg("output '%s' lacks '%s'", output, part);
}

// one line on the error stream, exit code 2
static void assert_usage_error(const char *arguments, const char *part) {
    int code = run(arguments);
    if (code != 2) fail_msg("'%s' exits %d: %s", arguments, code, output);
    assert_output(part);
    char *end = strchr(output, '\n');
    assert_true(end && !end[1]);
    assert_int_equal(strncmp(output, "bex theory: ", 12), 0);
}

static void trials_report_no_violation(void **state) {
    (void)state;
    assert_int_equal(run("theory --trials 300 --seed 7 --json"), 0);
    json_t *o = bex_json_parse(output, strlen(output), "output");
    assert_non_null(o);
    long long trials, violations;
    assert_int_equal(bex_json_get_integer(o, "trials", &trials), 0);
    assert_int_equal(bex_json_get_integer(o, "violations", &violations), 0);
    assert_true(trials == 300 && violations == 0);
    json_decref(o);
    assert_int_equal(run("theory --trials 300"), 0);
    assert_output("proposition: 0 violations in 300 trials");
}

static void a_violation_exits_1_and_prints_its_world(void **state) {
    (void)state;
    assert_int_equal(run("theory --trials 500 --features state"), 1);
    char *world = strstr(output, "# trial ");
    assert_non_null(world);
    // what was printed reads back and violates again
    char path[512], again[600];
    snprintf(path, sizeof path, "%s", scratch_path("violation.txt"));
    bex_file_out out;
    assert_int_equal(bex_file_create(&out, path, 1), 0);
    fputs(world, out.stream);
    assert_int_equal(bex_file_commit(&out), 0);
    snprintf(again, sizeof again, "theory '%s' --features state --trials 50", path);
    assert_int_equal(run(again), 1);
    snprintf(again, sizeof again, "theory '%s' --trials 50", path);
    assert_int_equal(run(again), 0); // and keeps the proposition with the proposition's features
    unlink(path);
    assert_int_equal(run("theory --trials 500 --features state --json"), 1);
    json_t *o = bex_json_parse(output, strlen(output), "output");
    assert_non_null(o);
    assert_true(json_is_string(json_object_get(json_object_get(o, "first_violation"), "world")));
    json_decref(o);
}

static void two_goals_and_worlds(void **state) {
    (void)state;
    assert_int_equal(run("theory --two-goals --p 0.05"), 0);
    assert_output("20.0526 episodes until all are seen (exact, 1/p + 1/(1-p) - 1; measured ");
    assert_output("2 episodes until all are seen, in every play");
    assert_int_equal(run("theory --two-goals --p 0.000001 --trials 100000"), 0);
    assert_output("too many to measure");
    assert_int_equal(run("theory " BEX_SOURCE_DIR "/examples/worlds/corridors.txt --trials 50"), 0);
    assert_output("n_beta = 5 of 6 terminals");
}

static void bad_worlds_exit_2(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"states 2\nactions 1\nhorizon 1\nstart 0\nterminal 1\n", "no move for action 0"},
        {"states 2\nactions 1\nhorizon 1\nstart 0\nterminal 1\nmove 0 0 1 0.9\n",
         ":6: probabilities in state 0 sum to 0.9, not 1"},
        {"states 2\nactions 1\nhorizon 1\nstart 0\nterminal 1\nmove 0 0 0 1\n",
         ":6: states 0 -> 0 form a cycle"},
        {"states two\n", ":1: states: 'two' is not a whole number"},
        {"", "'states' is missing"},
    };
    char path[512], arguments[600];
    snprintf(path, sizeof path, "%s", scratch_path("bad.txt"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bex_file_out out;
        assert_int_equal(bex_file_create(&out, path, 1), 0);
        fputs(cases[i].text, out.stream);
        assert_int_equal(bex_file_commit(&out), 0);
        snprintf(arguments, sizeof arguments, "theory '%s'", path);
        assert_usage_error(arguments, cases[i].message);
    }
    unlink(path);
    assert_usage_error("theory /nowhere/world.txt", "/nowhere/world.txt");
    assert_usage_error("theory /", "not a regular file");
}

static void bad_requests_exit_2(void **state) {
    (void)state;
    assert_usage_error("theory --trials -1", "--trials must be in");
    assert_usage_error("theory --p 0.2", "--p belongs to --two-goals");
    assert_usage_error("theory --two-goals --p 0", "--p must be in");
    assert_usage_error("theory a.txt --two-goals", "two requests");
    assert_usage_error("theory a.txt b.txt", "unexpected argument 'b.txt'");
    assert_usage_error("theory --features pixels", "no features 'pixels' (terminal or state)");
    assert_usage_error("theory --trails 5", "did you mean --trials?");
}

static void figures_are_drawn(void **state) {
    (void)state;
#ifdef BEX_HAVE_CAIRO
    char svg[512], png[512], arguments[1200];
    snprintf(svg, sizeof svg, "%s", scratch_path("theory.svg"));
    snprintf(png, sizeof png, "%s", scratch_path("theory.png"));
    snprintf(arguments, sizeof arguments, "theory --trials 100 --figure '%s,%s'", svg, png);
    assert_int_equal(run(arguments), 0);
    char *text;
    size_t size;
    assert_int_equal(bex_file_read(&text, &size, svg, 1 << 24), 0);
    assert_non_null(strstr(text, "distinct terminals seen"));
    free(text);
    assert_int_equal(access(png, R_OK), 0);
    unlink(svg), unlink(png);
    assert_int_equal(run("theory --trials 10 --figure x.gif"), 1);
    assert_output("unknown extension");
    assert_int_equal(run("theory --two-goals --trials 10 --figure /nowhere/x.svg"), 1);
    assert_output("bex theory: cannot write '/nowhere/x.svg'");
#else
    assert_int_equal(run("theory --trials 10 --figure x.svg"), 1);
    assert_output("this build has no cairo");
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trials_report_no_violation),
        cmocka_unit_test(a_violation_exits_1_and_prints_its_world),
        cmocka_unit_test(two_goals_and_worlds),
        cmocka_unit_test(bad_worlds_exit_2),
        cmocka_unit_test(bad_requests_exit_2),
        cmocka_unit_test(figures_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
