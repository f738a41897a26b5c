/* bindings/python with Debian's numpy: the same actions as from C, every call, every mistake, the example. */
#include <bex/bex.h>

#include "policy/tiny_policy.h"

#include <sys/wait.h>

#define PYTHON "/usr/bin/python3"

enum { SEEN_SIDE = 20, SEEN_GIVEN = 2 }; // pictures larger than the policy sees; columns given

static char be[600], bc[600], reference[600], scratch[600], chooser[600], seeing[600];

static void python(const char *script, const char *arguments, int code, const char *part) {
    char command[4096], text[4096];
    snprintf(command, sizeof command,
             "BEX_LIBRARY=%s/libbex.so BEX_PROGRAM=%s/bin/bex PYTHONDONTWRITEBYTECODE=1 " PYTHON
             " %s/%s %s 2>&1",
             BEX_BINARY_DIR, BEX_BINARY_DIR, BEX_SOURCE_DIR, script, arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    text[fread(text, 1, sizeof text - 1, pipe)] = 0;
    int status = pclose(pipe);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != code || !strstr(text, part))
        fail_msg("%s: status %d: %s", script, status, text);
}

// the actions of two episodes, from C
static void write_reference(void) {
    bex_policy *p;
    bex_session *s;
    bex_session_options o = BEX_SESSION_OPTIONS_INIT;
    o.seed = 7, o.exp = "q:0.5", o.guidance = 2;
    FILE *f = fopen(reference, "wb");
    assert_non_null(f);
    assert_int_equal(bex_policy_open(&p, be), 0);
    assert_int_equal(bex_session_open(&s, p, &o), 0);
    for (int e = 0; e < 2; e++) {
        assert_int_equal(bex_session_begin(s), 0);
        for (int t = 0; t < 9; t++) {
            float state[TINY_O], action[TINY_A];
            tiny_state(state, e, t);
            assert_int_equal(bex_session_act(s, state, TINY_O, action, TINY_A), 0);
            fwrite(action, sizeof *action, TINY_A, f);
        }
        assert_int_equal(bex_session_end(s), 0);
    }
    fclose(f);
    bex_session_close(s);
    bex_policy_close(p);
}

// actions of an episode with pictures of two cameras, behind those of a state alone
static void write_seen_reference(void) {
    bex_policy *p;
    bex_session *s;
    static unsigned char picture[2][SEEN_SIDE * SEEN_SIDE * 3];
    bex_session_options o = BEX_SESSION_OPTIONS_INIT;
    o.seed = 7;
    FILE *f = fopen(reference, "ab");
    assert_non_null(f);
    assert_int_equal(bex_policy_open(&p, seeing), 0);
    assert_int_equal(bex_session_open(&s, p, &o), 0);
    assert_int_equal(bex_session_begin(s), 0);
    for (int t = 0; t < 9; t++) {
        float state[TINY_O], action[TINY_A];
        tiny_state(state, 0, t);
        for (int c = 0; c < 2; c++)
            for (int i = 0; i < SEEN_SIDE * SEEN_SIDE * 3; i++)
                picture[c][i] = (unsigned char)(i * 7 + c * 50 + t * 11);
        bex_sensors in = {.size = sizeof in,
                          .state = state,
                          .n_state = SEEN_GIVEN,
                          .cameras = 2,
                          .height = SEEN_SIDE,
                          .width = SEEN_SIDE,
                          .image = {picture[0], picture[1]}};
        assert_int_equal(bex_session_act_seen(s, &in, action, TINY_A), 0);
        fwrite(action, sizeof *action, TINY_A, f);
    }
    fclose(f);
    bex_session_close(s);
    bex_policy_close(p);
}

static void bindings_are_the_interface(void **state) {
    (void)state;
    char arguments[3000];
    write_reference();
    write_seen_reference();
    snprintf(arguments, sizeof arguments, "%s/bindings/python %s %s %s %s %s %s", BEX_SOURCE_DIR,
             be, bc, scratch, reference, chooser, seeing);
    python("tests/bindings/check_python.py", arguments, 0, "ok threads");
}

static void the_example_runs(void **state) {
    (void)state;
    char arguments[700];
    snprintf(arguments, sizeof arguments, "%s 2 5", be);
    python("bindings/python/example_env.py", arguments, 0, "10 states remembered");
    python("bindings/python/example_env.py", "no/such/model", 1, "example_env: cannot read");
    python("bindings/python/example_env.py", "", 1, "python3 example_env.py");
}

static void a_missing_library_is_told(void **state) {
    (void)state;
    char command[2000];
    snprintf(command, sizeof command,
             "cd %s/bindings/python && BEX_LIBRARY=/no/libbex.so PYTHONDONTWRITEBYTECODE=1 " PYTHON
             " -c 'import bex' 2>&1 | grep -q 'ImportError: no libbex (set BEX_LIBRARY'",
             BEX_SOURCE_DIR);
    assert_int_equal(system(command), 0);
}

// worlds, training, exploring, packing: with a stand-in for Gymnasium where there is none
static void the_lab_is_there(void **state) {
    (void)state;
    char arguments[1400];
    if (access(BEX_BINARY_DIR "/bin/bex", X_OK) != 0) return;
    snprintf(arguments, sizeof arguments, "%s/bindings/python %s", BEX_SOURCE_DIR, scratch);
    python("tests/bindings/check_lab.py", arguments, 0, "ok all");
}

// eight candidates and names of columns
static void make_chooser(void) {
    static const char *const choice[] = {"model.waypoints=true", "deploy.candidates=8",
                                         "coverage.future=8", NULL};
    bex_column_names names = {0};
    bex_policy *p = tiny_policy(choice, 0, 1);
    snprintf(chooser, sizeof chooser, "%s", scratch_path("python-chooser.safetensors"));
    assert_int_equal(bex_columns_parse(&names, "x,y,vx,vy", TINY_O), 0);
    assert_int_equal(bex_policy_name_columns(p, &names), 0);
    assert_int_equal(bex_policy_save(p, chooser), 0);
    bex_columns_fini(&names);
    bex_policy_free(p);
}

int main(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return skip_all("a sanitized library cannot be loaded into a plain Python");
#endif
    if (system(PYTHON " -c 'import numpy' 2>/dev/null") != 0)
        return skip_all("no " PYTHON " with numpy");
    static const char *const clone[] = {"model.agent=bc", NULL};
    snprintf(be, sizeof be, "%s", scratch_path("python-be.safetensors"));
    snprintf(bc, sizeof bc, "%s", scratch_path("python-bc.safetensors"));
    snprintf(reference, sizeof reference, "%s", scratch_path("python-reference"));
    snprintf(scratch, sizeof scratch, "%s", scratch_path("python"));
    tiny_policy_save(NULL, 0, 1, be);
    tiny_policy_save(clone, 0, 2, bc);
    static const char *const sees[] = {
        "model.encoder=frozen", "vision.images=front,wrist", "vision.height=16",  "vision.width=16",
        "vision.channels=16",   "vision.columns=2",          "coverage.dims=2,3", NULL};
    snprintf(seeing, sizeof seeing, "%s", scratch_path("python-seeing.safetensors"));
    tiny_policy_save(sees, 0, 2, seeing);
    make_chooser();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bindings_are_the_interface), cmocka_unit_test(the_lab_is_there),
        cmocka_unit_test(the_example_runs), cmocka_unit_test(a_missing_library_is_told)};
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(be), unlink(bc), unlink(reference), unlink(chooser), unlink(seeing);
    snprintf(scratch + strlen(scratch), sizeof scratch - strlen(scratch), "-history");
    unlink(scratch);
    return code;
}
