/* `bex explore` as a user runs it: files, figures, equal trials on any number of cores, history from a
 * file, mistakes. */
#include "cli/program.h"

#include "base/error.h"
#include "env/mj.h"
#include "host/json.h"
#include "policy/memory.h"

#include <math.h>
#include <sys/stat.h>

static char data[600], out[600], other[600], command[4096];

static const char *const written[] = {"results.json", "trajectories.hdf5", "coverage.svg",
                                      "coverage.png", "rollouts.svg",      "rollouts.png"};

static void clean(const char *directory) {
    for (int i = 0; i < 6; i++) {
        snprintf(command, sizeof command, "%s/%s", directory, written[i]);
        unlink(command);
    }
    rmdir(directory);
}

static void explore(const char *before, const char *directory, const char *options) {
    snprintf(command, sizeof command,
             "explore --retrieval %s --env maze2d-medium --start 3,3 --trials 3 --episodes 2 "
             "--episode-length 60 --future 40 --k 16 --out %s %s",
             data, directory, options);
    run r = run_program_in(before, command);
    if (r.code != 0) fail_msg("%s", r.text);
}

static bool same_file(const char *a, const char *b, const char *name) {
    char path[2][800];
    snprintf(path[0], sizeof path[0], "%s/%s", a, name);
    snprintf(path[1], sizeof path[1], "%s/%s", b, name);
    FILE *f = fopen(path[0], "rb"), *g = fopen(path[1], "rb");
    assert_true(f && g);
    int x, y;
    do {
        x = fgetc(f), y = fgetc(g);
    } while (x == y && x != EOF);
    fclose(f), fclose(g);
    return x == y;
}

static json_t *results_of(const char *directory) {
    char path[800];
    snprintf(path, sizeof path, "%s/results.json", directory);
    json_t *r = bex_json_load(path);
    if (!r) fail_msg("%s", bex_error());
    return r;
}

static void everything_is_written(void **state) {
    (void)state;
    explore("", out, "--seed 3");
    for (int i = 0; i < 6; i++) {
        struct stat s;
        snprintf(command, sizeof command, "%s/%s", out, written[i]);
        assert_int_equal(stat(command, &s), 0);
        assert_true(s.st_size > 300);
    }
    json_t *r = results_of(out);
    long long seed;
    const char *text;
    assert_int_equal(bex_json_get_integer(r, "seed", &seed), 0);
    assert_int_equal(seed, 3);
    assert_int_equal(bex_json_get_string(r, "command", &text), 0);
    assert_non_null(strstr(text, "bex explore --retrieval"));
    double mean = json_number_value(json_object_get(json_object_get(r, "final"), "mean"));
    assert_true(mean >= 1 && mean <= 104);
    json_decref(r);

    snprintf(command, sizeof command,
             "explore --retrieval %s --env maze2d-medium --trials 1 --episodes 1 --out %s", data,
             out);
    assert_refused(command, 1, "--force replaces it");
    explore("", out, "--seed 3 --force");
    clean(out);
}

static void same_trials_on_any_number_of_cores(void **state) {
    (void)state;
    explore("OMP_NUM_THREADS=1", out, "--choose top:4");
    explore("OMP_NUM_THREADS=3", other, "--choose top:4 --seed 0 --history uniform");
    // the command is part of the file: compare what the trials did
    json_t *a = results_of(out), *b = results_of(other);
    static const char *const same[] = {"by_episode", "by_step", "occupancy", "rollouts"};
    for (int i = 0; i < 4; i++)
        assert_true(json_equal(json_object_get(a, same[i]), json_object_get(b, same[i])));
    json_decref(a), json_decref(b);
    assert_true(same_file(out, other, "rollouts.svg"));
    clean(other);
    explore("", other, "--choose top:4 --seed 1");
    assert_false(same_file(out, other, "rollouts.svg"));
    clean(out), clean(other);
}

static void rules_and_features_work(void **state) {
    (void)state;
    static const char *const options[] = {
        "--choose random", "--history first --phi onehot",
        "--history last3 --phi mlp --phi-dims all --phi-raw",
        "--phi cosine_relative --phi-features 8 --phi-dims 0,1 --bandwidth 1 --lambda 0.1",
        "--phi onehot --bin 1 --splits 1 --history-states 7"};
    for (int i = 0; i < 5; i++) {
        explore("", out, options[i]);
        clean(out);
    }
}

// what one run saved is another's history; those who follow a path again overlap it wholly
static void a_history_file_gives_the_overlap(void **state) {
    (void)state;
    char path[600], options[800];
    snprintf(path, sizeof path, "%s", scratch_path("segment.safetensors"));
    snprintf(options, sizeof options, "--choose random --seed 5 --save-history %s", path);
    explore("", out, options);
    clean(out);
    bex_memory *h = bex_memory_new(&(bex_memory_options){.O = 4, .N = 1});
    assert_int_equal(bex_memory_load(h, path), 0);
    assert_int_equal(bex_memory_episodes(h), 2);
    assert_int_equal(bex_memory_states(h), 120);
    bex_memory_free(h);
    snprintf(options, sizeof options, "--choose random --seed 5 --history file:%s", path);
    explore("", out, options);
    json_t *r = results_of(out), *overlap = json_object_get(r, "overlap");
    double mean = json_number_value(json_object_get(overlap, "mean"));
    double first = json_number_value(json_array_get(json_object_get(overlap, "trials"), 0));
    assert_true(first > 0.9); // but for final states, which no actor sees
    assert_true(mean > 0 && mean < first);
    json_decref(r);
    clean(out);
    unlink(path);
}

static double nested(const json_t *r, const char *a, const char *b) {
    return json_number_value(json_object_get(json_object_get(r, a), b));
}

// a file of one's own; what the command line says counts more
static void a_protocol_gives_way_to_options(void **state) {
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s", scratch_path("own.ini"));
    FILE *f = fopen(path, "w");
    fputs("[protocol]\nenv = maze2d-medium\nstart = 3,3\nepisode_length = 60\nsteps = 150\n"
          "trials = 2\nhistory = last3\n[env]\nsplits = 3\n",
          f);
    fclose(f);
    static const struct {
        const char *options;
        int budget, episodes, trials, length;
        const char *history;
        int splits; // of the protocol's own [env], unless said
    } cases[] = {{"", 150, 3, 2, 60, "last3", 3},
                 {"--trials 3 --steps 100 --history first", 100, 2, 3, 60, "first", 3},
                 {"--episodes 2 --splits 2", 0, 2, 2, 60, "last3", 2},
                 {"--episode-length 40 --env maze2d-medium", 150, 4, 2, 40, "last3", 3},
                 {"--splits 2 --env.splits=4 --env.time_limit=50", 150, 3, 2, 50, "last3", 4}};
    for (int i = 0; i < 5; i++) {
        snprintf(command, sizeof command,
                 "explore --retrieval %s --future 40 --k 16 --protocol %s --out %s %s", data, path,
                 out, cases[i].options);
        run r = run_program(command);
        if (r.code != 0) fail_msg("%s", r.text);
        if (cases[i].budget)
            assert_non_null(strstr(r.text, "steps   regions visited   goals found"));
        json_t *j = results_of(out);
        assert_int_equal(json_integer_value(json_object_get(j, "budget")), cases[i].budget);
        assert_int_equal(json_integer_value(json_object_get(j, "episodes")), cases[i].episodes);
        assert_int_equal(json_integer_value(json_object_get(j, "trials")), cases[i].trials);
        assert_int_equal((int)nested(j, "environment", "episode_length"), cases[i].length);
        assert_int_equal((int)nested(j, "environment", "regions"),
                         26 * cases[i].splits * cases[i].splits);
        assert_string_equal(
            json_string_value(json_object_get(json_object_get(j, "agent"), "history")),
            cases[i].history);
        json_decref(j);
        clean(out);
    }
    unlink(path);
}

static void mistakes_are_one_line(void **state) {
    (void)state;
    static const refusal bad[] = {
        {"--env maze2d-medium", 2, "who explores? (RUN, --retrieval FILE, or --agent rnd)"},
        {"--retrieval %s", 2, "in which environment?"},
        {"--retrieval %s --env maze2d-mediun", 2, "did you mean maze2d-medium?"},
        {"--retrieval %s --env maze2d-medium --start 0,0", 2, "start 0,0 is a wall"},
        {"--retrieval %s --env maze2d-medium --start 3", 2, "start takes ROW,COLUMN"},
        {"--retrieval %s --env maze2d-medium --env.strat=3,3", 2, "did you mean env.start?"},
        {"--retrieval %s --env kitchen --env.start=3,3", 2, "kitchen: unknown key 'env.start'"},
        {"--retrieval %s --env maze2d-medium --history lasst3", 2, "did you mean last3?"},
        {"--retrieval %s --env maze2d-medium --history file:none", 1, "none"},
        {"--retrieval %s --env maze2d-medium --choose worst", 2, "best, top:N or random"},
        {"--retrieval %s --env maze2d-medium --choose top:65", 1, "top 65 of 64"},
        {"--retrieval %s --env maze2d-medium --phi cosin", 1, "did you mean cosine"},
        {"--retrieval %s --env maze2d-medium --phi-dims 0,9", 2, "numbers from 0 to 3"},
        {"--retrieval %s --env maze2d-medium --phi-dims 0,", 2, "numbers from 0 to 3"},
        {"--retrieval %s --env maze2d-medium --phi-dims x", 2, "--phi-dims: dims 'x'"},
        {"--retrieval %s --env maze2d-medium --future 5000", 1, "retrieval"},
        {"--retrieval %s --env maze2d-medium --steps 90 --episodes 3", 2,
         "--steps and --episodes: a trial ends after the one or the other"},
        {"--retrieval %s --protocol antmaze-mediun", 2, "did you mean antmaze-medium?"},
        {"--retrieval %s --protocol no/such.ini", 2, "no/such.ini"},
        {"--retrieval %s --protocol kitchen", 1, "kitchen-partial has 60 and 9"},
        {"--retrieval %s --env maze2d-medium --trials 0", 2, "--trials must be in"},
        {"--retrieval none.hdf5 --env maze2d-medium", 1, "none.hdf5"},
        {"--retrieval %s --env maze2d-medium --trials 1 --episodes 1 --out no/such/dir", 1,
         "no/such/dir"},
        {"no-such-run --env maze2d-medium", 1, "no-such-run"},
        {"run --retrieval %s --env maze2d-medium", 2, "either RUN or --retrieval, not both"},
        {"run more --env maze2d-medium", 2, "unexpected argument 'more'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char arguments[1024];
        snprintf(arguments, sizeof arguments, bad[i].arguments, data);
        snprintf(command, sizeof command, "explore %s", arguments);
        assert_refused(command, bad[i].code, bad[i].part);
    }
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    snprintf(data, sizeof data, "%s", scratch_path("demos.hdf5"));
    snprintf(out, sizeof out, "%s", scratch_path("out"));
    snprintf(other, sizeof other, "%s", scratch_path("other"));
    unlink(data);
    snprintf(command, sizeof command,
             "data gen maze2d-medium --steps 6000 --episode-length 300 --start 3,3 --out %s", data);
    run r = run_program(command);
    if (strstr(r.text, "cannot read or write HDF5")) return skip_all("this build has no HDF5");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_written),
        cmocka_unit_test(same_trials_on_any_number_of_cores),
        cmocka_unit_test(rules_and_features_work),
        cmocka_unit_test(a_history_file_gives_the_overlap),
        cmocka_unit_test(a_protocol_gives_way_to_options),
        cmocka_unit_test(mistakes_are_one_line),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(data);
    return code;
}
