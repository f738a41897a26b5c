/* `bex explore` of a run that learned in a world: what acts there is the actor of its model file. */
#include "base/error.h"
#include "cli/program.h"
#include "env/mj.h"
#include "host/folder.h"
#include "host/json.h"

static char trained[600], explored[600];

static run explore(const char *options) {
    char text[1500];
    snprintf(text, sizeof text, "explore %s %s", trained, options);
    return run_program(text);
}

static void a_sac_run_explores(void **state) {
    (void)state;
    double regions[2];
    for (int i = 0; i < 2; i++) {
        char options[800], path[700];
        snprintf(options, sizeof options,
                 "--env maze2d-umaze --episode-length 40 --trials 2 --episodes 3 --seed 5 --out %s "
                 "--force",
                 explored);
        run r = explore(options);
        if (r.code) fail_msg("%s", r.text);
        snprintf(path, sizeof path, "%s/results.json", explored);
        json_t *j = bex_json_load(path);
        if (!j) fail_msg("%s", bex_error());
        const json_t *agent = json_object_get(j, "agent");
        assert_string_equal(json_string_value(json_object_get(agent, "name")), "sac");
        assert_string_equal(json_string_value(json_object_get(agent, "learned_in")),
                            "maze2d-umaze");
        regions[i] = json_number_value(json_object_get(json_object_get(j, "final"), "mean"));
        json_decref(j);
    }
    assert_true(regions[0] >= 1 && regions[0] == regions[1]);
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    run r = explore("--env antmaze-umaze");
    assert_int_equal(r.code, 1);
    assert_non_null(strstr(r.text, "expects 4 observation and 2 action values, antmaze-umaze has"));
    r = explore("--env maze2d-umaze --episode-length 5 --trials 1 --episodes 1 --save-history x");
    assert_int_equal(r.code, 1);
    assert_non_null(strstr(r.text, "this policy has no history"));
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    char text[1200];
    snprintf(trained, sizeof trained, "%s", scratch_path("explore-sac"));
    snprintf(explored, sizeof explored, "%s", scratch_path("explored-sac"));
    snprintf(text, sizeof text,
             "train --agent sac --out %s --force --quiet --env.name=maze2d-umaze "
             "--env.time_limit=30 --env.instances=4 --sac.actor=16,16 --sac.critic=16 "
             "--sac.start=40 --sac.replay=500 --sac.evaluate_episodes=2 --train.batch=16 "
             "--train.lanes=1 --train.threads=1 --train.steps=20",
             trained);
    run r = run_program(text);
    if (r.code) return printf("%s", r.text), 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sac_run_explores),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    bex_folder_remove(trained), bex_folder_remove(explored);
    return code;
}
