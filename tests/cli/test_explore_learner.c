/* `bex train` of skills and `bex explore --agent`: from demonstrations to results, killed and gone on with
 * to the same files; every agent; mistakes in one line. */
#include "base/file.h"
#include "cli/program.h"
#include "env/mj.h"
#include "host/folder.h"
#include "host/json.h"

#include <fcntl.h>
#include <signal.h>

static char data[600], skills[2][600], out[600], whole[600];
static const char small[] =
    "--online.actor=16,16 --online.critic=16,16 --online.novelty=16,16 --online.features=8 "
    "--online.model=16,16 --online.updates=2 --online.batch=32 --online.critics=2 "
    "--online.warmup=100 --online.reward=goal --episode-length 150 --trials 2 --steps 700";

static void command_of(char text[2000], const char *who) {
    snprintf(text, 2000, "explore %s %s --env maze2d-umaze --save-every 0 --out %s", who, small,
             out);
}

static void explore(const char *who) {
    char text[2000];
    command_of(text, who);
    run r = run_program(text);
    if (r.code != 0) fail_msg("%s", r.text);
}

// killed as soon as an episode and what was learned from it are there; false: it was faster than that
static bool kill_it(const char *who) {
    char text[2000], program[2700], learned[800];
    command_of(text, who);
    snprintf(program, sizeof program, "exec %s/bin/bex %s", BEX_BINARY_DIR, text);
    snprintf(learned, sizeof learned, "%s/unfinished/trial-000001.safetensors", out);
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1), dup2(null, 2);
        execl("/bin/sh", "sh", "-c", program, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    while (access(learned, F_OK) != 0) {
        if (waitpid(child, &status, WNOHANG) == child) return false;
        usleep(500);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return access(learned, F_OK) == 0;
}

static void assert_same(const char *name) {
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

static const char *who_of(int agent) {
    static char text[1500];
    static const char *const names[] = {"rnd", "explore", "supe", "hilp"};
    snprintf(text, sizeof text, "%s --agent %s %s %s", agent > 1 ? skills[agent - 2] : "",
             names[agent], agent ? "--data" : "", agent ? data : "");
    return text;
}

static void every_agent_explores_and_goes_on_after_a_kill(void **state) {
    (void)state;
    int killed = 0;
    for (int agent = 0; agent < 4; agent++) {
        char text[700];
        bex_folder_remove(out), bex_folder_remove(whole);
        explore(who_of(agent));
        assert_int_equal(rename(out, whole), 0);
        if (kill_it(who_of(agent))) {
            snprintf(text, sizeof text, "explore --resume %s", out);
            run r = run_program(text);
            if (r.code != 0) fail_msg("%s", r.text);
            killed++;
        }
        assert_same("trajectories.hdf5");
    }
    assert_true(killed > 0);
}

static void results_say_how_it_learned(void **state) {
    (void)state;
    char path[800];
    const char *label, *warmup;
    snprintf(path, sizeof path, "%s/results.json", whole);
    json_t *j = bex_json_load(path);
    if (!j) fail_msg("%s", bex_error());
    const json_t *agent = json_object_get(j, "agent");
    assert_int_equal(bex_json_get_string(agent, "label", &label), 0);
    assert_string_equal(label, "HILP, warm-up 100, UTD 2, 2 critics, one goal");
    assert_int_equal(bex_json_get_string(json_object_get(agent, "online"), "warmup", &warmup), 0);
    assert_string_equal(warmup, "100");
    json_decref(j);
}

// nothing is learned: what acts is the proposal
static void an_untaught_learner_is_called_by_its_proposal(void **state) {
    (void)state;
    char text[3000], path[1000];
    const char *label;
    for (int hilp = 0; hilp < 2; hilp++) {
        char who[1300] = "--agent rnd";
        if (hilp) snprintf(who, sizeof who, "%s --data %s", skills[1], data);
        snprintf(text, sizeof text,
                 "explore %s --env maze2d-umaze --online.warmup=whole --episode-length 30 "
                 "--trials 1 --steps 60 --out %s-untaught%d",
                 who, out, hilp);
        run r = run_program(text);
        if (r.code != 0) fail_msg("%s", r.text);
        snprintf(path, sizeof path, "%s-untaught%d/results.json", out, hilp);
        json_t *j = bex_json_load(path);
        if (!j) fail_msg("%s", bex_error());
        assert_int_equal(bex_json_get_string(json_object_get(j, "agent"), "label", &label), 0);
        assert_string_equal(label, hilp ? "HILP before it learns" : "Random actions");
        json_decref(j);
    }
}

static void mistakes(void **state) {
    (void)state;
    char text[2000];
    static const struct {
        const char *who, *more, *part;
        int code;
    } wrong[] = {
        {"--agent sup", "", "(did you mean supe?)", 2},
        {"--agent supe", "", "supe explores by skills: no RUN is given", 2},
        {"SKILLS --agent supe", "", "supe learns from demonstrations too: --data FILE", 2},
        {"SKILLS --agent rnd", "", "rnd needs no skills", 2},
        {"--agent rnd --data DATA", "", "rnd learns from what it does alone: no --data", 2},
        {"--data DATA", "", "--data: whose?", 2},
        {"SKILLS --agent hilp --data DATA", "", "skills of supe, not of hilp", 1},
        {"SKILLS --data DATA", "--env maze2d-medium", "skills of maze2d-umaze, and maze2d-medium",
         1},
        {"SKILLS --data DATA", "--env antmaze-umaze", "skills of maze2d-umaze, and antmaze-umaze",
         1},
        {"--agent explore --data DATA", "--env antmaze-umaze",
         "have 4 observation and 2 action columns, antmaze-umaze has 29 and 8", 1},
        {"--agent rnd", "--online.warmup=5000", "online.warmup = 5000, a trial has 3600 steps", 1},
        {"--agent rnd", "--online.warmups=3", "did you mean online.warmup?", 2},
        {"--agent rnd --retrieval x", "", "either --agent or --retrieval, not both", 2},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char who[1300] = "";
        for (const char *at = wrong[i].who; *at;) {
            size_t n = strcspn(at, " "), used = strlen(who);
            const char *word = !strncmp(at, "SKILLS", 6) ? skills[0]
                               : !strncmp(at, "DATA", 4) ? data
                                                         : at;
            snprintf(who + used, sizeof who - used, "%.*s ", word == at ? (int)n : 600, word);
            at += n + (at[n] == ' ');
        }
        snprintf(text, sizeof text,
                 "explore %s --env maze2d-umaze --online.warmup=50 --trials 1 %s", who,
                 wrong[i].more);
        assert_refused(text, wrong[i].code, wrong[i].part);
    }
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    char text[1500];
    snprintf(data, sizeof data, "%s", scratch_path("demos.hdf5"));
    snprintf(out, sizeof out, "%s", scratch_path("out"));
    snprintf(whole, sizeof whole, "%s", scratch_path("whole"));
    snprintf(text, sizeof text, "data gen maze2d-umaze --steps 3000 --episode-length 150 --out %s",
             data);
    run r = run_program(text);
    if (strstr(r.text, "cannot read or write HDF5")) return skip_all("this build has no HDF5");
    static const char *const names[] = {"supe", "hilp"};
    for (int k = 0; k < 2; k++) {
        snprintf(skills[k], sizeof skills[k], "%s", scratch_path(names[k]));
        snprintf(text, sizeof text,
                 "train --agent %s --data %s --out %s --force --quiet --env.name=maze2d-umaze "
                 "--supe.hidden=16 --supe.skill=3 --hilp.hidden=16,16 --hilp.skill=4 "
                 "--train.batch=32 --train.lanes=1 --train.threads=1 --train.steps=20",
                 names[k], data, skills[k]);
        r = run_program(text);
        if (r.code) return printf("%s", r.text), 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_agent_explores_and_goes_on_after_a_kill),
        cmocka_unit_test(results_say_how_it_learned),
        cmocka_unit_test(an_untaught_learner_is_called_by_its_proposal),
        cmocka_unit_test(mistakes),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(data);
    bex_folder_remove(skills[0]), bex_folder_remove(skills[1]);
    bex_folder_remove(out), bex_folder_remove(whole);
    return code;
}
