/* `bex plans` as a user runs it: after an exploration by a policy, one by retrieval, with the policy gone. */
#include "cli/program.h"
#include "env/mj.h"
#include "host/folder.h"
#include "host/json.h"
#include "policy/tiny_policy.h"

static const char *const proposing[] = {"model.waypoints=true", "coverage.future=20", NULL};
static char data[600], model[600], out[600], file[600], picture[600], command[4096];

static void explore(const char *who) {
    snprintf(command, sizeof command,
             "explore %s --env maze2d-medium --start 3,3 --trials 2 --episodes 3 --episode-length "
             "60 --force --out %s",
             who, out);
    run r = run_program(command);
    if (r.code != 0) fail_msg("%s", r.text);
}

static void explore_by_policy(void) {
    char who[800];
    snprintf(who, sizeof who, "%s --candidates 8 --commit 10 --act 2", model);
    explore(who);
}

static const char *plans(const char *options) {
    snprintf(command, sizeof command, "plans %s %s", out, options);
    return command;
}

static double value(const json_t *j, const char *key) {
    return json_number_value(json_object_get(j, key));
}

static void an_exploration_is_explained(void **state) {
    (void)state;
    char options[1400];
    explore_by_policy();
    unlink(file), unlink(picture);
    snprintf(options, sizeof options, "--json --out %s --picture %s --episode 3", file, picture);
    run r = run_program(plans(options));
    const char *from = strchr(r.text, '{'); // behind what progress said
    json_t *j = from ? json_loads(from, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
    if (r.code != 0 || !j) fail_msg("%s", r.text);
    assert_float_equal(value(j, "choices"), 2 * 3 * 6, 0);
    assert_float_equal(value(j, "proposals"), 8, 0);
    assert_float_equal(value(j, "actions_as_recorded"), 1, 0);
    assert_int_equal(access(file, R_OK), 0);
    assert_int_equal(access(picture, R_OK), 0);
    json_decref(j);
    r = run_program(plans("--trials 1"));
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.text, "18 choices among 8 futures"));
    assert_non_null(strstr(r.text, "the newest of the possible"));
    // neither file is overwritten silently but the picture
    snprintf(options, sizeof options, "--trials 1 --out %s", file);
    r = run_program(plans(options));
    assert_int_equal(r.code, 1);
    assert_non_null(strstr(r.text, "exists"));
    unlink(file), unlink(picture);
}

static void mistakes_are_told(void **state) {
    (void)state;
    char who[800], away[700];
    assert_refused("plans", 2, "which exploration?");
    assert_refused("plans /nowhere", 1, "/nowhere/results.json");
    assert_refused(plans("--episodes 3"), 2, "did you mean");
    explore_by_policy();
    run r = run_program(plans("--trials 1 --episode 9 --picture /tmp/no.png"));
    assert_int_equal(r.code, 1);
    assert_non_null(strstr(r.text, "no choice in an episode 9"));
    snprintf(away, sizeof away, "%s.away", model);
    assert_int_equal(rename(model, away), 0);
    assert_refused(plans(""), 1, "(--policy tells where it is now)");
    snprintf(who, sizeof who, "--trials 1 --policy %s", away);
    assert_int_equal(run_program(plans(who)).code, 0);
    assert_int_equal(rename(away, model), 0);
    snprintf(who, sizeof who, "%s --candidates 1", model);
    explore(who);
    assert_refused(plans(""), 1, "does not choose");
    snprintf(who, sizeof who, "--retrieval %s", data);
    explore(who);
    assert_refused(plans(""), 1, "was not explored by a trained policy");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exploration_is_explained),
        cmocka_unit_test(mistakes_are_told),
    };
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    snprintf(model, sizeof model, "%s", scratch_path("plans.safetensors"));
    snprintf(out, sizeof out, "%s", scratch_path("plans-explored"));
    snprintf(file, sizeof file, "%s", scratch_path("plans-choices.hdf5"));
    snprintf(picture, sizeof picture, "%s", scratch_path("plans.png"));
    snprintf(data, sizeof data, "%s", scratch_path("plans-demos.hdf5"));
    snprintf(command, sizeof command, "data gen maze2d-medium --steps 2000 --out %s", data);
    run r = run_program(command);
    if (strstr(r.text, "cannot read or write HDF5")) return skip_all("this build has no HDF5");
    tiny_policy_save(proposing, 0, 3, model);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(model), unlink(data);
    bex_folder_remove(out);
    return failed;
}
