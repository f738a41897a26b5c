/* A whole report from a small synthetic set: pooled numbers worked by hand, each missing piece named
 * and nothing put in its place, inputs that are not what they say refused. */
#include "report/report.h"

#include "base/error.h"
#include "base/file.h"
#include "host/folder.h"
#include "host/json.h"
#include "report/exploration.h"

#include "report/html_check.h"

#include <math.h>

static char root[512];

static const char *below(const char *name) {
    static char path[4][700];
    static int at;
    at = (at + 1) % 4;
    snprintf(path[at], sizeof path[at], "%s/%s", root, name);
    return path[at];
}

static void put(const char *folder, const char *name, const char *text) {
    char path[800];
    bex_folder_make(below(folder));
    snprintf(path, sizeof path, "%s/%s", below(folder), name);
    FILE *f = fopen(path, "wb");
    fputs(text, f);
    fclose(f);
}

// two episodes of 10 steps, `final` regions at the end; extra: more members, with a leading comma
static void put_exploration(const char *folder, const char *agent, int trials, double final,
                            double error, const char *extra) {
    char text[4096];
    snprintf(
        text, sizeof text,
        "{\"command\": \"bex explore %s <x>\", \"seed\": 3, \"trials\": %d, \"episodes\": 2,"
        "\"environment\": {\"name\": \"maze2d-tiny\", \"episode_length\": 10, \"regions\": 20},"
        "\"agent\": %s,"
        "\"by_episode\": {\"regions\": {\"episode\": [1, 2], \"mean\": [4, %g], \"error\": [1, %g]}},"
        "\"by_step\": {\"regions\": {\"step\": [0, 10, 20], \"mean\": [1, 4, %g], \"error\": [0, 1, %g]}},"
        "\"final\": {\"mean\": %g, \"error\": %g}%s}",
        folder, trials, agent, final, error, final, error, final, error, extra);
    put(folder, "results.json", text);
}

static char *write_report(const char *const *paths, int count) {
    char *text;
    size_t size;
    if (bex_report_write(paths, count, NULL, below("out")) < 0) fail_msg("%s", bex_error());
    assert_int_equal(bex_file_read(&text, &size, below("out/report.html"), 1 << 26), 0);
    check_html(text);
    return text;
}

#define assert_has(html, part)                                                                     \
    do {                                                                                           \
        if (!strstr(html, part)) fail_msg("the page lacks '%s'", part);                            \
    } while (0)
#define assert_lacks(html, part)                                                                   \
    do {                                                                                           \
        if (strstr(html, part)) fail_msg("the page has '%s'", part);                               \
    } while (0)

static const char map[] = ", \"map\": {\"walls\": [[0, 0, 0.5, 0.5], [1, 0, 0.5, 0.5]], \"start\": "
                          "[[1, 1, 0.1, 0.1]], \"goal\": []}, \"occupancy\": {\"grid\": {\"left\": "
                          "-0.5, \"top\": -0.5, \"unit\": 1, \"rows\": 2, \"columns\": 2, "
                          "\"counts\": [0, 0, 90, 10]}}";

static void make_set(void) {
    bex_folder_remove(root);
    char extra[2000];
    snprintf(extra, sizeof extra,
             "%s, \"demonstrations\": {\"grid\": {\"left\": -0.5, \"top\": -0.5, "
             "\"unit\": 1, \"rows\": 2, \"columns\": 2, \"counts\": [0, 0, 5, 5]}}",
             map);
    put_exploration("set/a1", "{\"name\": \"be\", \"history\": \"uniform\", \"exp\": \"q:0.9\"}",
                    10, 12, 1, extra);
    put_exploration("set/a2", "{\"name\": \"be\", \"history\": \"uniform\", \"exp\": \"q:0.9\"}",
                    30, 16, 0.5, map);
    put_exploration("set/a3", "{\"name\": \"be\", \"history\": \"uniform\", \"exp\": \"q:0.1\"}",
                    10, 6, 0.5, map);
    put_exploration("set/a4", "{\"name\": \"be\", \"history\": \"uniform\", \"exp\": \"q:0.5\"}",
                    10, 9, 0.5, map);
    put_exploration("set/b", "{\"name\": \"be\", \"history\": \"first\", \"exp\": \"q:0.9\"}", 10,
                    7, 0.5, map);
    put_exploration("set/c", "{\"name\": \"bc\", \"history\": \"uniform\"}", 10, 8, 0.5, map);
    snprintf(extra, sizeof extra,
             "%s, \"overlap\": {\"mean\": 0.125, \"error\": 0.01}, \"segment\": [[0,1],[1,1]], "
             "\"rollouts\": [[[[1,1],[0.5,1]], [[1,1],[0,1]]]]",
             map);
    put_exploration("set/d",
                    "{\"name\": \"be\", \"history\": \"file:s/<1>.hdf5\", \"exp\": \"q:0.9\"}", 5,
                    8, 0.5, extra);
    put("set/be", "metrics.csv",
        "step,loss,held_out,lr,grad_norm\n100,1,nan,1e-3,2\n200,0.5,0.625,1e-4,1\n300,0.25,0.375,1e-5,nan\n");
    put("set/be", "status", "finished\n");
    put("set/be", "config.ini", "[train]\nlr = 0.1 ; <&>\n");
    put("set/be", "provenance.json",
        "{\"command\": \"bex train x.ini\", \"seed\": 11, \"commit\": \"abc123\", "
        "\"started\": \"2026-01-02T03:04:05Z\", \"resumed\": [{\"command\": \"bex train --resume be\"}]}");
}

static void the_whole_set(void **state) {
    (void)state;
    make_set();
    const char *paths[] = {below("set/")};
    char *html = write_report(paths, 1);
    // the same again, and given twice
    const char *twice[] = {below("set"), below("set/a1")};
    char *again = write_report(twice, 2);
    assert_string_equal(html, again);
    free(again);
    assert_has(html, "<title>Behavioral exploration: maze2d-tiny</title>");
    assert_has(html, "1 training run, 7 explorations of 85 trials in all");
    // q:0.9 has most trials: (10 * 12 + 30 * 16) / 40 = 15; variance within and between trials:
    // (10*9*1 + 30*29*0.25 + 10*9 + 30*1) / 39 / 40 = 0.2740
    assert_has(html,
               "<b>15.0 \u00b1 0.5</b><span>BE, with its past: regions of 20 after 2 episodes");
    assert_has(html, "<td>BE, without its past</td>");
    assert_has(html, "Regions more than BC at the same budget");
    // 15 - 8 = 7 over sqrt(0.2740 + 0.25)
    assert_has(html, "+7.0 (9.7)");
    assert_has(html, "\u22121.0 (1.4)");
    assert_has(html, "alt=\"Map of visits: Demonstrations\"");
    assert_has(html, "alt=\"Rollouts of BE given past 1\"");
    assert_has(html, "0.12 \u00b1 0.01");
    assert_has(html, "file:s/&lt;1&gt;.hdf5");
    assert_has(
        html,
        "<td>BE, with its past</td><td class=\"r\">3</td><td class=\"r\">60</td><td class=\"r\">2</td>"
        "<td class=\"r\">1.00</td>");
    assert_has(html, "<td>be</td><td>finished</td><td class=\"r\">300</td><td class=\"r\">0.25</td>"
                     "<td class=\"r\">0.375</td>");
    assert_has(html, "bex train x.ini\nbex train --resume be\nbex explore set/a1 &lt;x&gt;\n");
    assert_has(html, "lr = 0.1 ; &lt;&amp;&gt;");
    assert_has(html, "<summary>Other metrics</summary>");
    assert_lacks(html, "Left out");
    free(html);
#ifdef BEX_HAVE_CAIRO
    static const char *const figures[] = {"maze2d-tiny-coverage", "maze2d-tiny-maps",
                                          "maze2d-tiny-segments", "maze2d-tiny-calibration",
                                          "training-loss",        "training-lr"};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        for (int k = 0; k < 2; k++) {
            char name[128];
            snprintf(name, sizeof name, "out/figures/%s.%s", figures[i], k ? "png" : "svg");
            if (access(below(name), F_OK) != 0) fail_msg("no %s", name);
        }
#endif
}

// published results are without grids: the others still make a map
static void a_map_of_those_that_have_one(void **state) {
    (void)state;
    make_set();
    put_exploration("set/a1", "{\"name\": \"be\", \"history\": \"uniform\", \"exp\": \"q:0.9\"}",
                    10, 12, 1, "");
    const char *paths[] = {below("set")};
    char *html = write_report(paths, 1);
    assert_has(html, "alt=\"Map of visits: BE, with its past\"");
    assert_has(html, "Not in them: 1 exploration without a grid.");
    free(html);
}

// two goals, a budget of 20 steps; final: share found, error; last: of trials, at the end
static void put_goals(const char *folder, const char *agent, int trials, double final, double error,
                      const char *last) {
    char text[4096];
    snprintf(
        text, sizeof text,
        "{\"trials\": %d, \"episodes\": 3, \"budget\": 20, \"environment\": {\"name\": "
        "\"kitchen-tiny\", \"episode_length\": 8, \"regions\": 4},"
        "\"agent\": {\"name\": \"%s\", \"history\": \"uniform\"},"
        "\"by_episode\": {\"regions\": {\"episode\": [1, 2], \"mean\": [1, 2], \"error\": [0, 0]}},"
        "\"by_step\": {\"regions\": {\"step\": [0, 20], \"mean\": [1, 2], \"error\": [0, 0]},"
        " \"goals\": {\"step\": [0, 20], \"mean\": [0, %g], \"error\": [0, %g], \"each\": "
        "[[0, %s], [0, 0.5]]}},"
        "\"goals\": {\"names\": [\"kettle <1>\", \"door\"]},"
        "\"conduct\": {\"flipped_states\": {\"mean\": 0.25, \"error\": 0.125}},"
        "\"demonstrations\": {\"conduct\": {\"flipped_states\": 0.0625}},"
        "\"final\": {\"mean\": 2, \"error\": 0.1, \"goals\": {\"mean\": %g, \"error\": %g}}}",
        trials, agent, final, error, last, final, error);
    put(folder, "results.json", text);
}

static void goals_have_a_part_of_their_own(void **state) {
    (void)state;
    bex_folder_remove(root);
    put_goals("set/a", "be", 10, 0.75, 0.05, "1");
    put_goals("set/b", "be", 30, 0.35, 0.05, "0.2");
    put_goals("set/c", "bc", 10, 0.25, 0.05, "0");
    const char *paths[] = {below("set")};
    char *html = write_report(paths, 1);
    // (10 * 0.75 + 30 * 0.35) / 40; (10*9*.0025 + 30*29*.0025 + 10*.09 + 30*.01) / 39 / 40
    assert_has(html,
               "<b>0.450 \u00b1 0.048</b><span>BE, with its past: share of 2 goals found in 20 "
               "steps; 2.0 \u00b1 0.1 regions of 4");
    // 0.45 / 0.25; of each goal the pooled share
    assert_has(html,
               "<td>BE, with its past</td><td class=\"r\">40</td><td class=\"r\">0.450 \u00b1 "
               "0.048</td><td class=\"r\">2.0 \u00b1 0.1</td><td class=\"r\">1.80</td><td "
               "class=\"r\">0.40 [0.26, 0.55]</td><td class=\"r\">0.50 [0.35, 0.65]</td>");
    assert_has(html, "kettle &lt;1&gt;</th>");
    assert_has(html, "alt=\"Share of trials that have found kettle &lt;1&gt;\"");
    assert_has(html, "flipped states</th>");
    assert_has(html, "<td>Demonstrations</td><td class=\"r\">0.062</td>");
    free(html);
    // other goals: no panels of each, what is common stays
    put_goals("set/c", "bc", 10, 0.25, 0.05, "0");
    char *text, *name;
    size_t size;
    assert_int_equal(bex_file_read(&text, &size, below("set/c/results.json"), 1 << 20), 0);
    name = strstr(text, "door");
    memcpy(name, "doow", 4);
    put("set/c", "results.json", text);
    free(text);
    paths[0] = below("set");
    html = write_report(paths, 1);
    assert_lacks(html, "Share of trials that have found");
    assert_has(html, "Share of the goals found against environment steps");
    free(html);
}

static void missing_pieces_are_named(void **state) {
    (void)state;
    bex_folder_remove(root);
    put("set/only", "results.json",
        "{\"by_episode\": {\"regions\": {\"episode\": [1], \"mean\": [4], \"error\": [null]}}}");
    const char *paths[] = {below("set/only")};
    char *html = write_report(paths, 1);
    assert_has(html, "Left out: no coverage curve");
    assert_has(html, "Left out: results.json holds no occupancy grid");
    assert_has(html, "Left out: no exploration here was given a past");
    assert_has(html, "Left out: no agent was explored at 3 quantiles");
    assert_has(html, "Left out: no training run");
    assert_has(html, "1 of the inputs name no command");
    assert_lacks(html, "nan");
    free(html);
    put("set/run", "metrics.csv", "step,loss\n");
    put("set/run", "status", "running\n");
    paths[0] = below("set/run");
    html = write_report(paths, 1);
    assert_has(html, "Run run has logged nothing yet.");
    assert_has(html, "Run run had not ended");
    assert_has(html, "Left out: no exploration (results.json");
    assert_lacks(html, "<figure>");
    free(html);
}

static void wrong_inputs_are_refused(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"{", "results.json: JSON line"},
        {"[]", "no by_episode.regions (is it from bex explore?)"},
        {"{\"by_episode\": {\"regions\": {\"episode\": [1], \"mean\": [], \"error\": [1]}}}",
         "not arrays of one length"},
        {"{\"by_episode\": {\"regions\": {\"episode\": [\"x\"], \"mean\": [1], \"error\": [1]}}}",
         "by_episode.regions: element 0 is not a number"},
        {"{\"by_episode\": {\"regions\": {\"episode\": [1], \"mean\": [1], \"error\": [1]}}, "
         "\"occupancy\": {\"grid\": {\"rows\": 2, \"columns\": 2, \"counts\": [1]}}}",
         "occupancy.grid: not a grid"},
        {"{\"by_episode\": {\"regions\": {\"episode\": [1], \"mean\": [1], \"error\": [1]}}, "
         "\"goals\": {\"names\": [\"a\"]}, \"by_step\": {\"goals\": {\"step\": [1, 2], "
         "\"mean\": [0, 1], \"error\": [0, 0], \"each\": [[1]]}}}",
         "by_step.goals.each: goal 0 has another length"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bex_folder_remove(root);
        put("bad", "results.json", cases[i][0]);
        const char *paths[] = {below("bad")};
        assert_int_equal(bex_report_write(paths, 1, NULL, below("out")), -1);
        assert_message(cases[i][1]);
        assert_false(bex_folder_exists(below("out")));
    }
    bex_folder_remove(root);
    put("bad", "metrics.csv", "step,loss\n1\n");
    const char *paths[] = {below("bad")};
    assert_int_equal(bex_report_write(paths, 1, NULL, below("out")), -1);
    assert_message("metrics.csv:2:");
    paths[0] = below("none");
    assert_int_equal(bex_report_write(paths, 1, NULL, below("out")), -1);
    assert_message("no such run: '");
    bex_folder_make(below("empty"));
    paths[0] = below("empty");
    assert_int_equal(bex_report_write(paths, 1, NULL, below("out")), -1);
    assert_message("holds neither a training run nor an exploration");
}

static void pooling_is_the_estimate_over_all(void **state) {
    (void)state;
    // trials {1, 3} and {2, 4, 9}
    double out[2], mean[] = {2, 5}, trials[] = {2, 3};
    double error[] = {1, sqrt((9 + 1 + 16) / 2.0 / 3)};
    bex_pool(out, mean, error, trials, 2);
    assert_true(fabs(out[0] - 3.8) < 1e-15);
    // squares about 3.8: 7.84 + .64 + 3.24 + .04 + 27.04 = 38.8
    assert_true(fabs(out[1] - sqrt(38.8 / 4 / 5)) < 1e-14);
    bex_pool(out, (double[]){7}, (double[]){NAN}, (double[]){1}, 1);
    assert_true(out[0] == 7 && isnan(out[1]));
}

static void put_tasks(const char *folder, const char *agent, const char *first) {
    char text[1000];
    snprintf(
        text, sizeof text,
        "{\"protocol\": \"libero-hidden\", \"agent\": %s, \"attempts\": 4, \"shared\": true, \"tasks\":"
        "[{\"scene\": \"KITCHEN_SCENE1\", \"task\": \"open_it\", \"first\": %s}]}",
        agent, first);
    put(folder, "tasks.json", text);
}

// two seeds of one agent are one line of the table: 1, 0, 3, 2 of four attempts
static void tasks_of_many_worlds(void **state) {
    (void)state;
    put_tasks("many/be1", "{\"name\": \"be\"}", "[1, 0]");
    put_tasks("many/be2", "{\"name\": \"be\"}", "[3, 2]");
    put_tasks("many/any", "{\"name\": \"bc\", \"noise\": 0.387, \"told\": \"any\"}", "[0, 0]");
    const char *const paths[] = {below("many")};
    char *html = write_report(paths, 1);
    assert_has(html, "Tasks: libero-hidden");
    assert_has(html, "0.750 \u00b1 0.250"); // three of four
    assert_has(html, "0.250 \u00b1 0.250"); // one of them at once
    assert_has(html, ">2.8<");              // (1 + 5 + 3 + 2) / 4 attempts
    assert_has(html, "BC, action noise 0.39, told a random task");
    free(html);
    put_tasks("many/bad", "{}", "[7]");
    assert_true(bex_report_write(paths, 1, NULL, below("out")) < 0);
    assert_message("attempt 7 of 4");
    bex_folder_remove(below("many"));
}

int main(void) {
    snprintf(root, sizeof root, "%s", scratch_path("report"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_of_many_worlds),
        cmocka_unit_test(the_whole_set),
        cmocka_unit_test(a_map_of_those_that_have_one),
        cmocka_unit_test(goals_have_a_part_of_their_own),
        cmocka_unit_test(missing_pieces_are_named),
        cmocka_unit_test(wrong_inputs_are_refused),
        cmocka_unit_test(pooling_is_the_estimate_over_all),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    bex_folder_remove(root);
    return code;
}
