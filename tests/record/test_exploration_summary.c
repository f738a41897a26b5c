/* results.json read into the struct: every published one, what is missing, and what is wrong. What is written
 * and read back: tests/explore/test_explore.c. */
#include "record/exploration_summary.h"

#include "base/error.h"

#include "test.h"

#include <glob.h>
#include <math.h>

static const json_t *below(const json_t *r, const char *a, const char *b, const char *c) {
    r = json_object_get(json_object_get(r, a), b);
    return c ? json_object_get(r, c) : r;
}

static double value_at(const json_t *array, int i) {
    return json_number_value(json_array_get(array, (size_t)i));
}

static void published_files_still_read(void **state) {
    (void)state;
    glob_t found;
    assert_int_equal(glob(BEX_SOURCE_DIR "/results/*/explored/*.json", 0, NULL, &found), 0);
    assert_true(found.gl_pathc > 10);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        json_t *r = bex_json_load(found.gl_pathv[i]);
        bex_exploration_summary s;
        if (!r || bex_exploration_summary_read(&s, r) < 0)
            fail_msg("%s: %s", found.gl_pathv[i], bex_error());
        assert_true(s.trials >= 1 && s.by_episode.n >= 1 && *s.environment && *s.agent.name);
        const json_t *mean = below(r, "by_step", "regions", "mean");
        assert_int_equal(s.by_step.n, json_array_size(mean));
        for (int k = 0; k < s.by_step.n; k++) assert_true(s.by_step.mean[k] == value_at(mean, k));
        assert_true(s.final.mean == json_number_value(below(r, "final", "mean", NULL)));
        bex_exploration_summary_fini(&s);
        json_decref(r);
    }
    globfree(&found);
}

static bex_exploration_summary read_text(const char *text) {
    bex_exploration_summary s;
    json_t *r = bex_json_parse(text, strlen(text), "text");
    if (!r || bex_exploration_summary_read(&s, r) < 0) fail_msg("%s", bex_error());
    json_decref(r);
    return s;
}

#define CURVE "\"by_episode\": {\"regions\": {\"episode\": [1], \"mean\": [2], \"error\": [0]}}"

static void what_is_missing_is_told_apart(void **state) {
    (void)state;
    bex_exploration_summary s = read_text("{" CURVE "}");
    assert_true(s.seed == -1 && s.trials == -1 && s.budget == -1 && s.regions == -1);
    assert_true(isnan(s.final.mean) && isnan(s.final_goals.mean) && isnan(s.overlap.error));
    assert_string_equal(s.environment, "");
    assert_string_equal(s.agent.exp, "");
    assert_true(isnan(s.agent.quantile) && isnan(s.agent.guidance));
    assert_true(!s.map && !s.goals && !s.conducts && !s.visits.rows && !s.by_step.n);
    bex_exploration_summary_fini(&s);
}

static void exp_is_read_as_the_policy_reads_it(void **state) {
    (void)state;
    static const struct {
        const char *exp;
        double quantile;
    } cases[] = {{"q:0.95", 0.95}, {"q:0", 0},   {"z:2", NAN},
                 {"raw:0.1", NAN}, {"q:2", NAN}, {"x", NAN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text, "{\"agent\": {\"exp\": \"%s\"}, " CURVE "}", cases[i].exp);
        bex_exploration_summary s = read_text(text);
        assert_true(isnan(cases[i].quantile) ? isnan(s.agent.quantile)
                                             : s.agent.quantile == cases[i].quantile);
        bex_exploration_summary_fini(&s);
    }
}

// a point or a wall that is none is left out; the others stay
static void shapes_that_are_none_are_left_out(void **state) {
    (void)state;
    bex_exploration_summary s =
        read_text("{\"map\": {\"walls\": [[1, 2, 3, 4], [1, 2], \"x\", [5, 6, 7, 8]]}, "
                  "\"rollouts\": [[[[1, 2], [3], [4, 5]]], []], " CURVE "}");
    assert_int_equal(s.walls.n, 2);
    assert_true(s.walls.at[1][0] == 5 && s.walls.at[1][3] == 8);
    assert_int_equal(s.rollout_trials, 2);
    assert_true(s.rollout_episodes[0] == 1 && s.rollout_episodes[1] == 0);
    assert_int_equal(s.rollouts[0].n, 2);
    assert_true(s.rollouts[0].at[1][1] == 5);
    bex_exploration_summary_fini(&s);
}

static void wrong_keys_are_named(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"{}", "no by_episode.regions"},
        {"{\"by_episode\": {\"regions\": {\"episode\": [1], \"mean\": [], \"error\": [1]}}}",
         "by_episode.regions: episode, mean and error"},
        {"{" CURVE ", \"demonstrations\": {\"grid\": {\"rows\": 1}}}",
         "demonstrations.grid: not a grid"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bex_exploration_summary s;
        json_t *r = bex_json_parse(cases[i][0], strlen(cases[i][0]), "text");
        assert_int_equal(bex_exploration_summary_read(&s, r), -1);
        assert_message(cases[i][1]);
        bex_exploration_summary_fini(&s);
        json_decref(r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_files_still_read),
        cmocka_unit_test(what_is_missing_is_told_apart),
        cmocka_unit_test(exp_is_read_as_the_policy_reads_it),
        cmocka_unit_test(shapes_that_are_none_are_left_out),
        cmocka_unit_test(wrong_keys_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
