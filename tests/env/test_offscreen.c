/* What a camera sees: something, the same twice, something else after a move, and no effect on the motion. */
#include "env/offscreen.h"

#include "base/error.h"
#include "test.h"

#include <math.h>

enum { W = 160, H = 120 };

typedef struct fixture {
    bex_world *world;
    bex_env *env;
    bex_mj_sim *sim;
} fixture;

static fixture open_world(const char *name) {
    fixture f;
    bex_real obs[64];
    if (bex_world_open(&f.world, name, NULL) < 0) fail_msg("%s", bex_error());
    f.env = f.world->class->new (f.world);
    f.sim = f.world->class->sim(f.env);
    assert_int_equal(f.world->class->reset(f.env, bex_rng_seed(1), &(bex_frame){.state = obs}), 0);
    return f;
}

static void close_world(fixture f) {
    f.world->class->free(f.env);
    bex_world_close(f.world);
}

static int colours(const unsigned char *rgb) {
    static unsigned char seen[1 << 15];
    int n = 0;
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < W * H; i++, rgb += 3) {
        int key = rgb[0] >> 3 << 10 | rgb[1] >> 3 << 5 | rgb[2] >> 3;
        n += !seen[key];
        seen[key] = 1;
    }
    return n;
}

static void an_ant_is_seen(void **state) {
    (void)state;
    static unsigned char a[3 * W * H], b[3 * W * H];
    fixture f = open_world("antmaze-umaze");
    bex_offscreen *o;
    bex_camera camera;
    if (bex_offscreen_open(&o, f.sim->model, W, H) < 0) fail_msg("%s", bex_error());
    f.world->class->camera(f.env, &camera);
    assert_true(fabs(camera.at[0]) < 0.2 && camera.distance > 1);
    double x = f.sim->qpos[0], before[15];
    memcpy(before, f.sim->qpos, sizeof before);
    assert_int_equal(bex_offscreen_draw(o, f.sim, &camera, a), 0);
    assert_true(colours(a) > 20);
    assert_int_equal(bex_offscreen_draw(o, f.sim, &camera, b), 0);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_equal(before, f.sim->qpos, sizeof before);
    // the torso, orange, is in the middle
    const unsigned char *middle = a + 3 * (H / 2 * W + W / 2);
    assert_true(middle[0] > middle[2] + 40);
    f.sim->qpos[0] = x + 1.5; // the camera stays: the ant has gone to the right
    assert_int_equal(bex_offscreen_draw(o, f.sim, &camera, b), 0);
    middle = b + 3 * (H / 2 * W + W / 2);
    assert_true(middle[0] < middle[2] + 40);
    assert_int_equal(bex_offscreen_draw(o, f.sim, NULL, b), 0); // all of it
    assert_true(colours(b) > 5);
    bex_offscreen_close(o);
    close_world(f);
}

static void a_kitchen_is_seen(void **state) {
    (void)state;
    static unsigned char a[3 * W * H], b[3 * W * H];
    fixture f = open_world("kitchen-partial");
    bex_offscreen *o;
    bex_camera camera;
    if (bex_offscreen_open(&o, f.sim->model, W, H) < 0) fail_msg("%s", bex_error());
    f.world->class->camera(f.env, &camera);
    assert_int_equal(bex_offscreen_draw(o, f.sim, &camera, a), 0);
    assert_true(colours(a) > 100);
    int red = 0, moved = 0; // the kettle
    for (int i = 0; i < W * H; i++) red += a[3 * i] > 120 && a[3 * i + 1] < 60 && a[3 * i + 2] < 60;
    assert_true(red > 50);
    f.sim->qpos[19] = 0.37; // the slide door
    assert_int_equal(bex_offscreen_draw(o, f.sim, &camera, b), 0);
    for (int i = 0; i < 3 * W * H; i++) moved += abs(a[i] - b[i]) > 20;
    assert_true(moved > 300 && moved < W * H);
    bex_offscreen_close(o);
    close_world(f);
}

/* A motion watched every step has the bits of one nobody watched. Another world, another renderer. */
static void watching_changes_nothing(void **state) {
    (void)state;
    static unsigned char rgb[3 * W * H];
    fixture f = open_world("maze2d-umaze"), g = open_world("maze2d-umaze");
    bex_offscreen *o;
    if (bex_offscreen_open(&o, f.sim->model, W, H) < 0) fail_msg("%s", bex_error());
    for (int t = 0; t < 10; t++) {
        bex_real act[2] = {1, -1}, obs[4], reward;
        bool terminated;
        f.world->class->step(f.env, act, &(bex_frame){.state = obs}, &reward, &terminated);
        g.world->class->step(g.env, act, &(bex_frame){.state = obs}, &reward, &terminated);
        assert_int_equal(bex_offscreen_draw(o, f.sim, NULL, rgb), 0);
        assert_memory_equal(f.sim->qpos, g.sim->qpos, 2 * sizeof(double));
        assert_memory_equal(f.sim->qvel, g.sim->qvel, 2 * sizeof(double));
    }
    bex_offscreen_close(o);
    bex_offscreen_close(NULL);
    close_world(f), close_world(g);
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    bex_world *w;
    if (bex_world_open(&w, "maze2d-umaze", NULL) < 0) return 1;
    bex_env *env = w->class->new (w);
    bex_offscreen *o;
    int code = bex_offscreen_open(&o, w->class->sim(env)->model, W, H);
    bex_offscreen_close(o);
    w->class->free(env);
    bex_world_close(w);
    if (code < 0) return skip_all(bex_error());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ant_is_seen),
        cmocka_unit_test(a_kitchen_is_seen),
        cmocka_unit_test(watching_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
