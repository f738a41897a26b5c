/* Values, ranges and mistakes of the option table. What goes to stdout and stderr is captured. */
#include "base/error.h"
#include "cli/options.h"

#include "test.h"

#include <fcntl.h>
#include <unistd.h>

static bool json;
static long long trials;
static double rate;
static const char *out, *env;
static bex_option_keys keys;

static const bex_option options[] = {
    {"json", BEX_OPTION_FLAG, &json, NULL, "as JSON", 0, 0},
    {"trials", BEX_OPTION_INTEGER, &trials, "N", "how often", 1, 100},
    {"rate", BEX_OPTION_NUMBER, &rate, "X", "how fast", 0, 1},
    {"out", BEX_OPTION_TEXT, &out, "FILE", "where to", 0, 0},
    {"env", BEX_OPTION_TEXT, &env, "ENV", "which world", 0, 0},
    {"env", BEX_OPTION_KEYS, &keys, "KEY=VALUE", "an option of the world", 0, 0},
};
static const bex_usage usage = {
    .command = "theory",
    .synopsis = "[WORLD] [options]",
    .about = "About it.",
    .example = "bex theory\nbex theory --trials 5",
    .options = options,
    .count = sizeof options / sizeof *options,
};

static const char *positional[2];
static char said[4096]; // what the last parse printed, both streams

static int parse(const char *line) {
    static char copy[512];
    char *argv[16], *save = NULL;
    int argc = 0;
    json = false, trials = 7, rate = 0.5, out = NULL;
    positional[0] = positional[1] = NULL;
    snprintf(copy, sizeof copy, "theory %s", line);
    for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) argv[argc++] = w;
    // both streams into one file
    FILE *f = tmpfile();
    fflush(stdout), fflush(stderr);
    int saved[2] = {dup(1), dup(2)};
    dup2(fileno(f), 1), dup2(fileno(f), 2);
    int n = bex_options_parse(&usage, argc, argv, positional, 2);
    fflush(stdout), fflush(stderr);
    dup2(saved[0], 1), dup2(saved[1], 2);
    close(saved[0]), close(saved[1]);
    rewind(f);
    said[fread(said, 1, sizeof said - 1, f)] = 0;
    fclose(f);
    return n;
}

static void values_arrive(void **state) {
    (void)state;
    assert_int_equal(parse(""), 0);
    assert_true(!json && trials == 7 && rate == 0.5 && !out);
    assert_int_equal(parse("--trials 5 --rate=0.25 a --json --out x.csv b"), 2);
    assert_true(json && trials == 5 && rate == 0.25);
    assert_string_equal(out, "x.csv");
    assert_string_equal(positional[0], "a");
    assert_string_equal(positional[1], "b");
    assert_string_equal(said, "");
    assert_int_equal(parse("--out=--odd -- --json -x"), 2);
    assert_false(json);
    assert_string_equal(out, "--odd");
    assert_string_equal(positional[0], "--json");
    assert_int_equal(parse("-5 -"), 2); // a negative number and a bare dash are arguments
    assert_int_equal(parse("-o y.csv"), 0);
    assert_string_equal(out, "y.csv");
}

static void mistakes_are_one_line(void **state) {
    (void)state;
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"--trails 5", "unknown option --trails (did you mean --trials?)"},
        {"--frobnicate", "unknown option --frobnicate (try bex theory --help)"},
        {"--", NULL},
        {"--=5", "unknown option --"},
        {"-x", "unknown option -x"},
        {"--trials", "--trials needs a value (N)"},
        {"--trials --json", "--trials needs a value (N)"},
        {"--trials five", "--trials takes a whole number, not 'five'"},
        {"--trials 5.5", "takes a whole number"},
        {"--trials=", "takes a whole number, not ''"},
        {"--trials 99999999999999999999", "takes a whole number"},
        {"--trials 0", "--trials must be in [1, 100], not 0"},
        {"--trials 101", "must be in [1, 100]"},
        {"--rate nan", "--rate takes a number, not 'nan'"},
        {"--rate inf", "takes a number"},
        {"--rate 1.5", "--rate must be in [0, 1], not 1.5"},
        {"--rate -0.5", "must be in [0, 1]"},
        {"--out=", "--out is empty"},
        {"--json=yes", "--json takes no value"},
        {"a b c", "unexpected argument 'c'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int n = parse(cases[i].line);
        if (!cases[i].message) {
            assert_int_equal(n, 0);
            continue;
        }
        if (n != BEX_OPTIONS_WRONG) fail_msg("'%s' was accepted", cases[i].line);
        if (!strstr(said, cases[i].message))
            fail_msg("'%s' says '%s', not '%s'", cases[i].line, said, cases[i].message);
        assert_int_equal(strncmp(said, "bex theory: ", 12), 0);
        assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
    }
}

static void help_comes_from_the_table(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(parse(i ? "-h" : "--trials 3 --help --nonsense"), BEX_OPTIONS_HELP);
        assert_int_equal(strncmp(said, "usage: bex theory [WORLD] [options]\n", 36), 0);
        static const char *const parts[] = {"About it.", "--trials N", "how often",
                                            "--json ",   "[0.5]",      "  bex theory --trials 5\n"};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            if (!strstr(said, parts[k])) fail_msg("help lacks '%s'", parts[k]);
    }
}

static void keys_of_a_section_are_collected(void **state) {
    (void)state;
    assert_int_equal(parse("--env.start=3,3 a --env maze --env.note=x=y --env.empty="), 1);
    assert_string_equal(keys.lines, "start=3,3\nnote=x=y\nempty=\n");
    assert_string_equal(env, "maze");
    assert_int_equal(parse(""), 0); // a new line begins with none
    assert_string_equal(keys.lines, "");
    assert_int_equal(parse("-- --env.start=3,3"), 1);
    assert_string_equal(positional[0], "--env.start=3,3");
    assert_int_equal(parse("--env.start"), BEX_OPTIONS_WRONG);
    assert_non_null(strstr(said, "--env.start needs a value"));
    assert_int_equal(parse("--evn.start=3"), BEX_OPTIONS_WRONG);
    assert_int_equal(parse("--help"), BEX_OPTIONS_HELP);
    assert_non_null(strstr(said, "--env.KEY=VALUE"));
    char many[480] = "";
    for (int i = 0; i < 3; i++) { // 3 x 400 bytes are more than the lines hold
        snprintf(many, sizeof many, "--env.a=%0400d", 1);
        char *argv[] = {"theory", many, many, many};
        fflush(stderr);
        int saved = dup(2), null = open("/dev/null", O_WRONLY);
        dup2(null, 2);
        int n = bex_options_parse(&usage, i + 2, argv, positional, 2);
        dup2(saved, 2), close(saved), close(null);
        assert_int_equal(n, i < 2 ? 0 : BEX_OPTIONS_WRONG);
    }
    assert_message("too many --env.KEY=VALUE");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_a_section_are_collected),
        cmocka_unit_test(values_arrive),
        cmocka_unit_test(mistakes_are_one_line),
        cmocka_unit_test(help_comes_from_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
