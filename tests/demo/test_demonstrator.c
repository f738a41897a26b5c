/* The table of demonstrators: who knows which world, options that are not theirs, the command they are made
 * by. */
#include "demo/demonstrator.h"

#include "base/error.h"
#include "env/mj.h"

#include "test.h"

static bex_world *opened(const char *name, const char *keys) {
    bex_world *w;
    if (bex_world_open(&w, name, &(bex_world_options){.keys = keys}) < 0)
        fail_msg("%s", bex_error());
    return w;
}

static void every_family_has_its_own(void **state) {
    (void)state;
    static const struct {
        const char *world, *algorithm;
    } known[] = {
        {"maze2d-umaze", "PD law"}, {"antmaze-umaze", "walks"}, {"kitchen-mixed", "human"}};
    for (int i = 0; i < 3; i++) {
        bex_world *w = opened(known[i].world, NULL);
        assert_non_null(strstr(bex_demonstrator_for(w)->algorithm, known[i].algorithm));
        bex_world_close(w);
    }
    bex_world *w = opened("ant", NULL);
    assert_null(bex_demonstrator_for(w));
    assert_message("no demonstrator knows ant");
    bex_world_close(w);
}

static void mistakes_are_the_callers(void **state) {
    (void)state;
    static const struct {
        const char *world, *keys, *message;
    } wrong[] = {
        {"ant", NULL, "no demonstrator knows ant"},
        {"kitchen", NULL, "bex data import-kitchen"},
        {"maze2d-umaze", "noise=20", "maze2d-umaze: demo.noise = '20'"},
        {"maze2d-umaze", "controller=x", "unknown key 'demo.controller'"},
        {"maze2d-umaze", "patence=3", "did you mean demo.patience?"},
        {"maze2d-umaze", "rare=corner", "not understood"},
        {"antmaze-umaze", "rare=far:3", "unknown key 'demo.rare'"},
        {"antmaze-umaze", "episode_length=0", "not a whole number in [1, 1000000]"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bex_world *w = opened(wrong[i].world, NULL);
        bex_demonstrations *d = (bex_demonstrations *)&wrong;
        assert_true(bex_demonstrations_open(&d, w, wrong[i].keys, 0, 10) < 0);
        assert_null(d);
        assert_message(wrong[i].message);
        assert_true(bex_error_is_misuse());
        bex_world_close(w);
    }
    // a file that is not there is the world's fault
    bex_world *w = opened("antmaze-umaze", NULL);
    bex_demonstrations *d;
    assert_true(bex_demonstrations_open(&d, w, "controller=no/such", 0, 10) < 0);
    assert_message("no/such");
    assert_false(bex_error_is_misuse());
    bex_world_close(w);
}

static void the_command_tells_all_options(void **state) {
    (void)state;
    bex_world *w = opened("maze2d-umaze", "start=1,2");
    bex_demonstrations *d;
    assert_int_equal(bex_demonstrations_open(&d, w, "noise=0.25\nrare=far:3", 0, 10), 0);
    char *text = bex_demonstrations_command(d, " --start 1,2");
    assert_string_equal(text,
                        " --noise 0.25 --start 1,2 --rare far:3 --episode-length 0 --patience 0");
    free(text);
    bex_demonstrations_free(d);
    assert_int_equal(bex_demonstrations_open(&d, w, "episode_length=20", 0, 100), 0);
    text = bex_demonstrations_command(d, "");
    assert_string_equal(text, " --noise 0 --episode-length 20 --patience 0");
    assert_int_equal(bex_demonstrations_piece(d), 20);
    free(text);
    bex_demonstrations_free(d);
    bex_world_close(w);
}

/* Whatever is wanted in all, a wave is whole pieces and no more than that. */
static void a_wave_is_whole_pieces(void **state) {
    (void)state;
    static const struct {
        long long rows;
        const char *keys;
        int room;
    } cases[] = {{1, NULL, 1},
                 {45000, NULL, 45000},
                 {1000000, NULL, 200000},
                 {1000000, "episode_length=300", 199800},
                 {1000000, "episode_length=300000", 300000}};
    bex_world *w = opened("maze2d-umaze", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bex_demonstrations *d;
        assert_int_equal(bex_demonstrations_open(&d, w, cases[i].keys, 0, cases[i].rows), 0);
        assert_int_equal(d->room, cases[i].room);
        bex_demonstrations_free(d);
    }
    bex_world_close(w);
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family_has_its_own),
        cmocka_unit_test(mistakes_are_the_callers),
        cmocka_unit_test(the_command_tells_all_options),
        cmocka_unit_test(a_wave_is_whole_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
