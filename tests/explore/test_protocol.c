/* Protocols: the paper's values, a file of one's own, mistakes. */
#include "explore/protocol.h"

#include "base/error.h"

#include "test.h"

static void the_papers(void **state) {
    (void)state;
    static const struct {
        const char *name, *env;
        int length, steps;
    } paper[] = {{"antmaze-medium", "antmaze-medium", 500, 20000},
                 {"antmaze-large", "antmaze-large", 750, 20000},
                 {"kitchen", "kitchen-partial", 280, 3000}};
    for (int i = 0; i < 3; i++) {
        bex_protocol p;
        assert_int_equal(bex_protocol_load(&p, paper[i].name), 0);
        assert_string_equal(p.env, paper[i].env);
        assert_string_equal(p.history, "uniform");
        assert_int_equal(p.episode_length, paper[i].length);
        assert_int_equal(p.steps, paper[i].steps);
        assert_int_equal(p.episodes, 0);
        assert_int_equal(p.trials, 10);
    }
}

static void liberos(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int each, episodes;
        bool until;
    } two[] = {{"libero-hidden", BEX_EACH_SCENE, 15, false},
               {"libero-given", BEX_EACH_TASK, 6, true}};
    for (int i = 0; i < 2; i++) {
        bex_protocol p;
        assert_int_equal(bex_protocol_load(&p, two[i].name), 0);
        assert_string_equal(p.env, "libero");
        assert_string_equal(p.history, "last3");
        assert_int_equal(p.each, two[i].each);
        assert_int_equal(p.episodes, two[i].episodes);
        assert_int_equal(p.episode_length, 300);
        assert_int_equal(p.until, two[i].until);
    }
}

static int load(bex_protocol *p, const char *text) {
    const char *path = scratch_path("own.ini");
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
    int code = bex_protocol_load(p, path);
    unlink(path);
    return code;
}

static void ones_own(void **state) {
    (void)state;
    bex_protocol p;
    assert_int_equal(load(&p, "[protocol]\nenv = maze2d-medium\nepisodes = 4\nstart = 3,3\n"), 0);
    assert_string_equal(p.env, "maze2d-medium");
    assert_string_equal(p.start, "3,3");
    assert_int_equal(p.episodes, 4);
    assert_int_equal(p.trials, 10);
}

static void mistakes(void **state) {
    (void)state;
    bex_protocol p;
    assert_true(bex_protocol_load(&p, "kitchn") < 0);
    assert_message("no protocol 'kitchn' (did you mean kitchen?)");
    assert_true(bex_protocol_load(&p, "something else") < 0);
    assert_message(
        "antmaze-large, antmaze-medium, kitchen, libero-given, libero-hidden, or the path of an "
        "ini file");
    assert_true(bex_protocol_load(&p, "no/such.ini") < 0);
    assert_message("no/such.ini");
    assert_true(load(&p, "[protocol]\nenv = kitchen\nsteps = 3\nepisodes = 4\n") < 0);
    assert_message("steps and episodes");
    assert_true(load(&p, "[protocol]\nsteps = 3\n") < 0);
    assert_message("no env");
    assert_true(load(&p, "[protocol]\nenv = kitchen\nstepps = 3\n") < 0);
    assert_message("did you mean protocol.steps?");
    assert_true(load(&p, "[protocol]\nenv = kitchen\ntrials = 0\n") < 0);
    assert_message("trials");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_papers),
        cmocka_unit_test(liberos),
        cmocka_unit_test(ones_own),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
