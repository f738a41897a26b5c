/* `bex explore --resume`: killed or stopped and gone on with, an exploration ends as if it had not been; what
 * has changed since is refused. */
#include "base/file.h"
#include "cli/program.h"
#include "env/mj.h"
#include "host/folder.h"
#include "host/json.h"
#include "policy/tiny_policy.h"

#include <fcntl.h>
#include <signal.h>

static const char *const proposing[] = {"model.waypoints=true", NULL};
static char data[600], model[600], out[600], whole[600], command[4096];

static run explore(const char *who) {
    snprintf(command, sizeof command,
             "explore %s --env maze2d-medium --start 3,3 --save-every 0 --out %s", who, out);
    run r = run_program(command);
    if (r.code != 0) fail_msg("%s", r.text);
    return r;
}

static bool exists(const char *name) {
    char path[800];
    snprintf(path, sizeof path, "%s/%s", out, name);
    return access(path, F_OK) == 0;
}

// the same command, ended by a signal as soon as something is saved; false: it was faster than that
static bool interrupt(const char *who, int number) {
    char program[2000];
    snprintf(program, sizeof program,
             "exec %s/bin/bex explore %s --env maze2d-medium --start 3,3 --save-every 0 --out %s",
             BEX_BINARY_DIR, who, out);
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1), dup2(null, 2);
        execl("/bin/sh", "sh", "-c", program, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    while (!exists("unfinished/000001.hdf5"))
        if (waitpid(child, &status, WNOHANG) == child)
            return false;
        else
            usleep(500);
    kill(child, number);
    waitpid(child, &status, 0);
    return exists("unfinished/request.json");
}

static void assert_same_file(const char *name) {
    char path[2][800], *text[2];
    size_t size[2];
    const char *folders[] = {whole, out};
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s", folders[i], name);
        if (bex_file_read(&text[i], &size[i], path[i], 1u << 30) < 0) fail_msg("%s", bex_error());
    }
    if (size[0] != size[1] || memcmp(text[0], text[1], size[0]) != 0) fail_msg("%s differs", name);
    free(text[0]), free(text[1]);
}

// all but when and on which machine
static void assert_same_results(void) {
    json_t *r[2];
    const char *folders[] = {whole, out};
    for (int i = 0; i < 2; i++) {
        char path[800];
        snprintf(path, sizeof path, "%s/results.json", folders[i]);
        r[i] = bex_json_load(path);
        if (!r[i]) fail_msg("%s", bex_error());
        json_object_del(r[i], "started"), json_object_del(r[i], "machine");
    }
    assert_true(json_equal(r[0], r[1]));
    json_decref(r[0]), json_decref(r[1]);
}

// the text of a key of a file in `out`; the caller frees
static char *text_of(const char *file, const char *key) {
    char path[800];
    const char *text;
    snprintf(path, sizeof path, "%s/%s", out, file);
    json_t *j = bex_json_load(path);
    if (!j || bex_json_get_string(j, key, &text) < 0) fail_msg("%s", bex_error());
    char *copy = strdup(text);
    json_decref(j);
    return copy;
}

// it has begun when it began at first
static void resume(void) {
    char *began = text_of("unfinished/request.json", "started");
    sleep(1); // as fine as times are told
    snprintf(command, sizeof command, "explore --resume %s", out);
    run r = run_program(command);
    if (r.code != 0) fail_msg("%s", r.text);
    assert_non_null(strstr(r.text, "regions visited"));
    assert_false(exists("unfinished"));
    char *started = text_of("results.json", "started");
    assert_string_equal(started, began);
    free(began), free(started);
}

static void assert_goes_on(const char *who, int number) {
    bex_folder_remove(out), bex_folder_remove(whole);
    explore(who);
    assert_int_equal(rename(out, whole), 0);
    if (interrupt(who, number)) resume();
    assert_same_results();
    assert_same_file("trajectories.hdf5");
    assert_same_file("rollouts.svg");
}

static void retrieval_goes_on_after_a_kill(void **state) {
    (void)state;
    char who[1000];
    snprintf(who, sizeof who,
             "--retrieval %s --k 64 --future 40 --choose top:3 --trials 2 --steps 6050", data);
    assert_goes_on(who, SIGKILL);
}

static void a_policy_goes_on_after_a_stop(void **state) {
    (void)state;
    char who[1000];
    snprintf(who, sizeof who, "%s --candidates 2 --noise 0.1 --trials 2 --steps 2040", model);
    assert_goes_on(who, SIGTERM);
}

static void mistakes(void **state) {
    (void)state;
    char who[1000], again[700];
    bex_folder_remove(out), bex_folder_remove(whole);
    snprintf(again, sizeof again, "explore --resume %s", out);
    assert_refused(again, 1, "holds no unfinished exploration");
    snprintf(who, sizeof who, "%s --trials 1 --episodes 1", model);
    explore(who);
    assert_refused(again, 1, "holds no unfinished exploration (it is complete)");
    snprintf(again, sizeof again, "explore --resume %s --trials 3", out);
    assert_refused(again, 2, "goes on with the options it began with: no '--trials'");
}

static void what_changed_is_refused(void **state) {
    (void)state;
    char who[1000], own[600], again[700];
    snprintf(own, sizeof own, "%s", scratch_path("own.ini"));
    FILE *f = fopen(own, "w");
    fputs("[protocol]\nenv = maze2d-medium\nstart = 3,3\nsteps = 2040\ntrials = 2\n", f);
    fclose(f);
    bex_folder_remove(out);
    snprintf(who, sizeof who, "%s --protocol %s", model, own);
    snprintf(again, sizeof again, "explore --resume %s", out);
    if (!interrupt(who, SIGKILL)) skip();
    // begun again in its place
    snprintf(command, sizeof command, "explore %s --out %s", who, out);
    assert_refused(command, 1, "holds an unfinished exploration (bex explore --resume");
    f = fopen(own, "w");
    fputs("[protocol]\nenv = maze2d-medium\nstart = 3,3\nsteps = 500\ntrials = 2\n", f);
    fclose(f);
    assert_refused(again, 1, "steps is 500, was 2040 when this exploration began");
    unlink(own);
    assert_refused(again, 2, "own.ini");
    f = fopen(own, "w");
    fputs("[protocol]\nenv = maze2d-medium\nstart = 3,3\nsteps = 2040\ntrials = 2\n", f);
    fclose(f);
    tiny_policy_save(proposing, 0, 2, model); // another policy in its place
    assert_refused(again, 1, "has changed since this exploration began");
    tiny_policy_save(proposing, 0, 1, model);
    run r = run_program(again);
    if (r.code != 0) fail_msg("%s", r.text);
    unlink(own);
}

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    fputs(text, f);
    fclose(f);
}

// --save-history replaces a file only for who says --force now: a directory to resume may be a stranger's
static void a_saved_history_replaces_nothing(void **state) {
    (void)state;
    char who[1400], own[600], request[800], *text;
    size_t size;
    snprintf(own, sizeof own, "%s", scratch_path("own.safetensors"));
    write_text(own, "precious");
    bex_folder_remove(out);
    snprintf(who, sizeof who, "%s --trials 1 --episodes 9 --save-history %s", model, own);
    snprintf(command, sizeof command, "explore %s --env maze2d-medium --start 3,3 --out %s", who,
             out);
    assert_refused(command, 2, "exists (--force replaces it)");
    // as if it had been asked for with --force, and stopped
    unlink(own);
    if (!interrupt(who, SIGKILL)) skip();
    snprintf(request, sizeof request, "%s/unfinished/request.json", out);
    json_t *j = bex_json_load(request);
    json_array_append_new(json_object_get(j, "arguments"), json_string("--force"));
    assert_int_equal(bex_json_save(j, request), 0);
    json_decref(j);
    write_text(own, "precious");
    snprintf(command, sizeof command, "explore --resume %s", out);
    assert_refused(command, 2, "exists (--force replaces it)");
    assert_int_equal(bex_file_read(&text, &size, own, 100), 0);
    assert_string_equal(text, "precious");
    free(text);
    strcat(command, " --force");
    run r = run_program(command);
    if (r.code != 0) fail_msg("%s", r.text);
    assert_int_equal(bex_file_read(&text, &size, own, 1 << 20), 0);
    assert_true(size > 8);
    free(text);
    unlink(own);
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    snprintf(data, sizeof data, "%s", scratch_path("demos.hdf5"));
    snprintf(model, sizeof model, "%s", scratch_path("model.safetensors"));
    snprintf(out, sizeof out, "%s", scratch_path("out"));
    snprintf(whole, sizeof whole, "%s", scratch_path("whole"));
    snprintf(command, sizeof command,
             "data gen maze2d-medium --steps 6000 --episode-length 300 --start 3,3 --out %s", data);
    run r = run_program(command);
    if (strstr(r.text, "cannot read or write HDF5")) return skip_all("this build has no HDF5");
    tiny_policy_save(proposing, 0, 1, model);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(retrieval_goes_on_after_a_kill),
        cmocka_unit_test(a_policy_goes_on_after_a_stop),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(what_changed_is_refused),
        cmocka_unit_test(a_saved_history_replaces_nothing),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(data), unlink(model);
    bex_folder_remove(out), bex_folder_remove(whole);
    return code;
}
