/* Acting on pictures: the same chunk as the network computes from them, whatever their size; the pictures
 * matter;
 * what does not fit is refused and changes nothing; no memory is taken. */
#include <bex/bex.h>

#include "malloc_count.h"
#include "policy/tiny_policy.h"

enum { H = 24, W = 20, BIG = 48, STEPS = 10, ALL = BIG * BIG * 3 };

static char model[600];
static unsigned char front[ALL], wrist[ALL];

static void ok(int code) {
    if (code != BEX_OK) fail_msg("code %d: %s", code, bex_error_message());
}

static void refused(int code, const char *part) {
    if (code != BEX_MISUSED || !strstr(bex_error_message(), part))
        fail_msg("code %d, message '%s', not '%s'", code, bex_error_message(), part);
}

static void fill(unsigned char *picture, int n, int tone) {
    for (int i = 0; i < n; i++) picture[i] = (unsigned char)(i * 7 + tone * 31 + i / 60 * tone);
}

static bex_session *open_session(const bex_policy *p) {
    bex_session *s;
    bex_session_options o = BEX_SESSION_OPTIONS_INIT;
    o.seed = 3;
    ok(bex_session_open(&s, p, &o));
    ok(bex_session_begin(s));
    return s;
}

static bex_sensors sensors_of(const float *x) {
    return (bex_sensors){.size = sizeof(bex_sensors),
                         .state = x,
                         .n_state = TINY_O,
                         .cameras = 2,
                         .image = {front, wrist}};
}

static void the_contract_tells_of_the_cameras(void **state) {
    bex_contract c = {.size = sizeof c};
    ok(bex_policy_contract(*state, &c));
    assert_int_equal(c.cameras, 2);
    assert_true(c.image_height == H && c.image_width == W);
    assert_string_equal(c.images, "front,wrist");
    assert_string_equal(c.flip, "vertical");
}

static void pictures_matter_and_are_turned(void **state) {
    bex_session *s = open_session(*state), *t = open_session(*state), *u = open_session(*state);
    float x[TINY_O], a[TINY_K * TINY_A], b[TINY_K * TINY_A], c[TINY_K * TINY_A];
    static unsigned char turned[H * W * 3];
    tiny_state(x, 0, 1);
    fill(front, H * W * 3, 1), fill(wrist, H * W * 3, 2);
    bex_sensors in = sensors_of(x);
    ok(bex_session_plan_seen(s, &in, a, TINY_K * TINY_A));
    ok(bex_session_plan_seen(t, &in, b, TINY_K * TINY_A));
    assert_memory_equal(a, b, sizeof a);
    in.image[0] = wrist, in.image[1] = front;
    ok(bex_session_plan_seen(u, &in, c, TINY_K * TINY_A));
    assert_memory_not_equal(a, c, sizeof a);
    bex_session_close(u);
    // upside down it is another picture
    for (int i = 0; i < H; i++) memcpy(turned + i * W * 3, front + (H - 1 - i) * W * 3, W * 3);
    u = open_session(*state);
    in.image[0] = turned, in.image[1] = wrist;
    ok(bex_session_plan_seen(u, &in, c, TINY_K * TINY_A));
    assert_memory_not_equal(a, c, sizeof a);
    bex_session_close(s), bex_session_close(t), bex_session_close(u);
}

// a picture of even tone is the same at any size
static void other_sizes_are_resized(void **state) {
    bex_session *s = open_session(*state), *t = open_session(*state);
    float x[TINY_O], a[TINY_A], b[TINY_A];
    tiny_state(x, 0, 1);
    memset(front, 90, sizeof front), memset(wrist, 160, sizeof wrist);
    bex_sensors in = sensors_of(x), large = in;
    large.height = BIG, large.width = BIG - 5;
    ok(bex_session_act_seen(s, &in, a, TINY_A));
    ok(bex_session_act_seen(t, &large, b, TINY_A));
    assert_memory_equal(a, b, sizeof a);
    bex_session_close(s), bex_session_close(t);
}

static void what_does_not_fit_changes_nothing(void **state) {
    bex_session *s = open_session(*state), *t = open_session(*state);
    float x[TINY_O], a[TINY_A], b[TINY_A];
    fill(front, H * W * 3, 3), fill(wrist, H * W * 3, 4);
    for (int step = 0; step < STEPS; step++) {
        tiny_state(x, 0, step);
        bex_sensors in = sensors_of(x), bad;
        bad = in, bad.image[1] = NULL;
        refused(bex_session_act_seen(t, &bad, b, TINY_A), "no picture of camera 1");
        bad = in, bad.image[2] = front;
        refused(bex_session_act_seen(t, &bad, b, TINY_A), "a picture of camera 2");
        bad = in, bad.cameras = 1;
        refused(bex_session_act_seen(t, &bad, b, TINY_A), "expects 2: front,wrist");
        bad = in, bad.height = -1, bad.width = 4;
        refused(bex_session_act_seen(t, &bad, b, TINY_A), "pictures of -1 x 4 pixels");
        bad = in, bad.height = 9;
        refused(bex_session_act_seen(t, &bad, b, TINY_A), "pictures of 9 x 0 pixels");
        bad = in, bad.height = 5000, bad.width = 5000;
        refused(bex_session_act_seen(t, &bad, b, TINY_A), "pictures of 5000 x 5000 pixels");
        refused(bex_session_act(t, x, TINY_O, b, TINY_A), "no picture of camera 0");
        refused(bex_session_plan_seen(t, &in, b, TINY_A), "room for");
        refused(bex_session_act_seen(NULL, &in, b, TINY_A), "NULL");
        refused(bex_session_plan_seen(t, NULL, b, TINY_A), "NULL");
        ok(bex_session_act_seen(s, &in, a, TINY_A));
        ok(bex_session_act_on(t, &in, b, TINY_A)); // the older name
        assert_memory_equal(a, b, sizeof a);
    }
    bex_session_close(s), bex_session_close(t);
}

static void no_memory_is_taken(void **state) {
    bex_session *s = open_session(*state);
    float x[TINY_O], a[TINY_A];
    fill(front, H * W * 3, 5), fill(wrist, H * W * 3, 6);
    tiny_state(x, 0, 0);
    bex_sensors in = sensors_of(x);
    ok(bex_session_act_seen(s, &in, a, TINY_A));
    long before = malloc_calls();
    for (int step = 1; step < 3 * TINY_K; step++) {
        tiny_state(x, 0, step);
        ok(bex_session_act_seen(s, &in, a, TINY_A));
    }
    assert_int_equal(malloc_calls(), before);
    bex_session_close(s);
}

static int set_up(void **state) {
    static const char *const sees[] = {"vision.images=front,wrist", "vision.height=24",
                                       "vision.width=20",           "vision.channels=16",
                                       "vision.shared=false",       "vision.pool=places",
                                       "vision.flip=vertical",      NULL};
    snprintf(model, sizeof model, "%s", scratch_path("seen.safetensors"));
    tiny_policy_save(sees, 0, 1, model);
    bex_policy *p;
    ok(bex_policy_open(&p, model));
    *state = p;
    return 0;
}

static int tear_down(void **state) {
    bex_policy_close(*state);
    unlink(model);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_contract_tells_of_the_cameras),
        cmocka_unit_test(pictures_matter_and_are_turned),
        cmocka_unit_test(other_sizes_are_resized),
        cmocka_unit_test(what_does_not_fit_changes_nothing),
        cmocka_unit_test(no_memory_is_taken),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
