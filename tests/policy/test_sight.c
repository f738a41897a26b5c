/* What a control stream sees: columns made from pictures join the state, are remembered, and come back with a
 * file; those that cannot be are refused. */
#include "policy/tiny_control.h"
#include "policy/tiny_policy.h"

enum { STEPS = 9 };

static void ok(int code) {
    if (code < 0) fail_msg("%s", bex_error());
}

static bex_control *make(const bex_policy *p, tiny_settings o) {
    bex_control *c = tiny_control(p, o);
    if (!c) fail_msg("%s", bex_error());
    return c;
}

static bool same(const bex_real *a, const bex_real *b, int n) {
    return !memcmp(a, b, (size_t)n * sizeof *a);
}

// two columns of what a frozen network sees behind two that are given: coverage is of them
static const char *const seeing[] = {
    "model.encoder=frozen", "vision.images=front", "vision.height=16",  "vision.width=16",
    "vision.channels=16",   "vision.columns=2",    "coverage.dims=2,3", NULL};
enum { GIVEN = 2, SIDE = 16, PICTURE = SIDE * SIDE * 3 };

static void paint(unsigned char *picture, int seed) {
    bex_rng g = bex_rng_seed((uint64_t)seed);
    for (int i = 0; i < PICTURE; i++) picture[i] = (unsigned char)bex_rng_below(&g, 256);
}

// an episode in which only pictures differ from another's
static void look_around(bex_control *c, int paintings, bex_real *actions) {
    unsigned char picture[PICTURE];
    bex_real s[TINY_O];
    ok(bex_control_begin(c));
    for (int t = 0; t < STEPS; t++) {
        tiny_state(s, 0, t);
        paint(picture, paintings + t);
        ok(bex_control_act(c, &(bex_observation){.state = s, .image = {picture}},
                           actions + t * TINY_A));
    }
    ok(bex_control_end(c));
}

static void what_is_seen_is_remembered(void **state) {
    (void)state;
    bex_policy *p = tiny_policy(seeing, 0, 5);
    bex_control *c = make(p, TINY_SETTINGS), *d = make(p, TINY_SETTINGS);
    bex_real a[STEPS * TINY_A], b[STEPS * TINY_A], s[TINY_O];
    assert_int_equal(p->given, GIVEN);
    look_around(c, 0, a), look_around(d, 100, b);
    assert_false(same(a, b, STEPS * TINY_A));
    bex_real *features = malloc(bex_policy_features(p) * sizeof *features), want[TINY_O];
    bex_arena *arena = bex_arena_new();
    bex_tape tape;
    bex_tape_init(&tape, arena);
    bex_tape_reset(&tape);
    unsigned char picture[PICTURE];
    for (int t = 0; t < STEPS; t++) {
        tiny_state(want, 0, t);
        paint(picture, t);
        bex_policy_see(p, &tape, &(bex_observation){.state = want, .image = {picture}}, features);
        bex_seen_columns(&p->seen, want + GIVEN, features);
        assert_memory_equal(bex_memory_rows(bex_control_memory(c)) + t * TINY_O, want, sizeof want);
        ok(bex_control_row(c, &(bex_observation){.state = want, .image = {picture}}, s));
        assert_memory_equal(s, want, sizeof want);
    }
    // between plans, too; without its picture a moment is none
    ok(bex_control_begin(c));
    ok(bex_control_observe(c, &(bex_observation){.state = s, .image = {picture}}));
    assert_true(bex_control_observe(c, &(bex_observation){.state = s}) < 0);
    assert_true(bex_error_is_misuse());
    assert_message("no picture of camera 0");
    ok(bex_control_end(c));
    assert_int_equal(bex_memory_states(bex_control_memory(c)), STEPS + 1);
    assert_true(bex_control_recall(c, s, 1, TINY_O) < 0);
    assert_message("holds what was seen");
    bex_control_free(c), bex_control_free(d);
    bex_arena_free(arena);
    free(features);
    bex_policy_free(p);
}

static void a_policy_that_sees_comes_back(void **state) {
    (void)state;
    char path[600];
    bex_real a[STEPS * TINY_A], b[STEPS * TINY_A];
    snprintf(path, sizeof path, "%s", scratch_path("seeing.safetensors"));
    bex_policy *p = tiny_policy(seeing, 0, 5);
    ok(bex_policy_save(p, path));
    bex_policy *q = bex_policy_load(path);
    if (!q) fail_msg("%s", bex_error());
    bex_control *c = make(p, TINY_SETTINGS), *d = make(q, TINY_SETTINGS);
    look_around(c, 0, a), look_around(d, 0, b);
    assert_true(same(a, b, STEPS * TINY_A));
    bex_control_free(c), bex_control_free(d);
    bex_policy_free(p), bex_policy_free(q);
    unlink(path);
}

// columns need pictures, a network that stays, and a state they stand behind
static void columns_that_cannot_be_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *settings[6], *part;
    } cases[] = {
        {{"vision.columns=2", NULL}, "data.images is empty"},
        {{"vision.columns=2", "vision.images=front", "vision.height=16", "vision.width=16", NULL},
         "needs a network that stays as it is"},
        {{"vision.columns=4", "vision.images=front", "vision.height=16", "vision.width=16",
          "model.encoder=frozen", NULL},
         "vision.columns 4, the state has 4 in all"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bex_policy_config c = tiny_config(cases[i].settings);
        assert_null(bex_policy_new(&c, TINY_O, TINY_A, 0, 0, 0, 1));
        assert_message(cases[i].part);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_seen_is_remembered),
        cmocka_unit_test(a_policy_that_sees_comes_back),
        cmocka_unit_test(columns_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
