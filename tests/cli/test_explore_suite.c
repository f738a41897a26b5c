/* LIBERO's two protocols, from demonstrations to tasks.json: in each scene and for each task, stopped by a
 * signal and gone on with, and what is refused. */
#include "base/file.h"
#include "cli/program.h"
#include "env/mj.h"
#include "host/folder.h"
#include "host/json.h"

#include <fcntl.h>
#include <signal.h>

static char demos[600], hidden[600], given[600], out[600], whole[600], command[3000];

static run must(const char *arguments) {
    run r = run_program(arguments);
    if (r.code != 0) fail_msg("'bex %.400s' gave %d and: %s", arguments, r.code, r.text);
    return r;
}

#define SIZES                                                                                      \
    "--data.obs_keys=robot_states,objects --data.drop_constant=true --data.least_deviation=0.02 "  \
    "--model.timestep=true --model.chunk=4 --model.width=16 --model.heads=2 --model.blocks=1 "     \
    "--model.feedforward=16 --train.batch=8 --train.steps=3 --train.warmup=1 --quiet "

static void prepare(void) {
    snprintf(demos, sizeof demos, "%s", scratch_path("demos"));
    snprintf(hidden, sizeof hidden, "%s", scratch_path("hidden"));
    snprintf(given, sizeof given, "%s", scratch_path("given"));
    snprintf(out, sizeof out, "%s", scratch_path("out"));
    snprintf(whole, sizeof whole, "%s", scratch_path("whole"));
    const char *const all[] = {demos, hidden, given, out, whole};
    for (int i = 0; i < 5; i++) bex_folder_remove(all[i]);
    static const char *const scenes[] = {"KITCHEN_SCENE3", "LIVING_ROOM_SCENE3"};
    for (int i = 0; i < 2; i++) {
        snprintf(command, sizeof command,
                 "data gen libero-90 --scene %s --demos 2 --limit 250 --out %s", scenes[i], demos);
        must(command);
    }
    snprintf(command, sizeof command,
             "train --agent bc --data %s " SIZES "--model.scene=true --out %s", demos, hidden);
    must(command);
    snprintf(command, sizeof command,
             "train --agent bc-history --data %s " SIZES
             "--model.task=true --model.history=6 --train.samples_per_history=2 --out %s",
             demos, given);
    must(command);
}

static json_t *load(const char *folder, const char *name) {
    char path[900];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    json_t *j = bex_json_load(path);
    if (!j) fail_msg("%s", bex_error());
    return j;
}

static bool exists(const char *name) {
    char path[900];
    snprintf(path, sizeof path, "%s/%s", out, name);
    return access(path, F_OK) == 0;
}

static void hidden_command(void) {
    snprintf(
        command, sizeof command,
        "explore %s --protocol libero-hidden --scenes KITCHEN_SCENE3,LIVING_ROOM_SCENE3 --trials 2 "
        "--episodes 2 --episode-length 12 --save-every 0 --seed 4 --out %s",
        hidden, out);
}

// one exploration a scene tells of all its tasks
static void a_hidden_task(void **state) {
    (void)state;
    hidden_command();
    run r = must(command);
    assert_non_null(strstr(r.text, "attempts   success"));
    json_t *t = load(out, "tasks.json"), *one = load(out, "KITCHEN_SCENE3/results.json");
    assert_int_equal(json_array_size(json_object_get(t, "tasks")), 4 + 5);
    assert_int_equal(json_integer_value(json_object_get(t, "attempts")), 2);
    assert_true(json_is_true(json_object_get(t, "shared")));
    assert_int_equal(
        json_array_size(json_object_get(json_object_get(one, "goals"), "first_attempt")), 2);
    json_decref(t), json_decref(one);
    assert_true(exists("success.svg") && exists("each-task.png"));
    // a complete one is not begun again, nor replaced unasked
    assert_refused(command, 1, "--force begins anew");
    assert_int_equal(rename(out, whole), 0);
}

// what the two have but when and where
static void assert_same(const char *name) {
    json_t *a = load(whole, name), *b = load(out, name);
    json_object_del(a, "started"), json_object_del(b, "started");
    json_object_del(a, "machine"), json_object_del(b, "machine");
    if (!json_equal(a, b)) fail_msg("%s differs", name);
    json_decref(a), json_decref(b);
}

static void a_killed_one_goes_on(void **state) {
    (void)state;
    char program[3200];
    int status;
    hidden_command();
    snprintf(program, sizeof program, "exec %s/bin/bex %s", BEX_BINARY_DIR, command);
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1), dup2(null, 2);
        execl("/bin/sh", "sh", "-c", program, (char *)NULL);
        _exit(127);
    }
    // within the first scene, or after it
    while (!exists("KITCHEN_SCENE3/unfinished/000001.hdf5") &&
           !exists("KITCHEN_SCENE3/results.json"))
        if (waitpid(child, &status, WNOHANG) == child)
            break;
        else
            usleep(500);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    snprintf(command, sizeof command, "explore --resume %s", out);
    must(command);
    assert_same("tasks.json");
    assert_same("KITCHEN_SCENE3/results.json");
    assert_same("LIVING_ROOM_SCENE3/results.json");
    bex_folder_remove(out);
}

// an exploration a task: told its own, and over for a trial that has done it
static void a_given_task(void **state) {
    (void)state;
    snprintf(command, sizeof command,
             "explore %s --protocol libero-given --scenes KITCHEN_SCENE3 --trials 1 --episodes 2 "
             "--episode-length 8 --out %s",
             given, out);
    must(command);
    json_t *t = load(out, "tasks.json"),
           *one = load(out, "KITCHEN_SCENE3_turn_on_the_stove/results.json");
    assert_int_equal(json_array_size(json_object_get(t, "tasks")), 4);
    assert_true(json_is_false(json_object_get(t, "shared")));
    assert_string_equal(json_string_value(json_object_get(json_object_get(one, "agent"), "told")),
                        "given");
    json_decref(t), json_decref(one);
    bex_folder_remove(out);
}

static void what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *words;
        int code;
        const char *part;
    } bad[] = {
        {"--protocol libero-hidden --scenes KITCHEN_SCENE33 --out X", 2,
         "did you mean KITCHEN_SCENE3"},
        {"--protocol libero-hidden --scenes STUDY_SCENE1 --trials 1 --out X", 2,
         "knows no scene 'STUDY_SCENE1'"},
        {"--protocol libero-hidden", 2, "--out DIR"},
        {"--env maze2d-medium --each scene --out X", 2, "is one world"},
        {"--env libero --each room --out X", 2, "world, scene or task"},
        {"--env libero --each scene --steps 40 --out X", 2, "counted in attempts"},
        {"--protocol libero-hidden --tell some --scenes KITCHEN_SCENE3 --out X", 2,
         "no such rule 'some'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char words[600], *at = strstr(bad[i].words, "--out X");
        if (at)
            snprintf(words, sizeof words, "%.*s--out %s", (int)(at - bad[i].words), bad[i].words,
                     out);
        else
            snprintf(words, sizeof words, "%s", bad[i].words);
        snprintf(command, sizeof command, "explore %s %s", hidden, words);
        assert_refused(command, bad[i].code, bad[i].part);
        bex_folder_remove(out);
    }
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    prepare();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hidden_task), cmocka_unit_test(a_killed_one_goes_on),
        cmocka_unit_test(a_given_task), cmocka_unit_test(what_is_refused)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    const char *const all[] = {demos, hidden, given, out, whole};
    for (int i = 0; i < 5; i++) bex_folder_remove(all[i]);
    return failed;
}
