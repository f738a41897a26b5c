/* Scripted demonstrations: a task is done, the same whatever the threads, and its file replays. */
#include "demo/tabletop/episodes.h"

#include "base/error.h"
#include "data/hdf5.h"
#include "demo/tabletop/libero_import.h"

#include "test.h"

static bex_world *world;

static int open_world(void **state) {
    (void)state;
    return bex_world_open(&world, "libero", &(bex_world_options){.keys = "scene=KITCHEN_SCENE3"});
}

static int close_world(void **state) {
    (void)state;
    bex_world_close(world);
    return 0;
}

static bex_tabletop_job job_of(const char *task) {
    bex_tabletop_job job = {
        .world = world, .task = -1, .settle = 10, .seed = 7, .noise = 0.1, .limit = 300};
    const bex_bddl *s = bex_libero_scene(world);
    for (int i = 0; i < s->tasks; i++)
        if (!strcmp(s->task[i].name, task)) job.task = i;
    assert_true(job.task >= 0);
    return job;
}

static void a_stove_is_turned_on(void **state) {
    (void)state;
    bex_tabletop_job job = job_of("turn_on_the_stove");
    bex_tabletop_tally tally;
    if (bex_tabletop_demonstrate(&tally, &job, 4, 5, NULL, NULL) < 0) fail_msg("%s", bex_error());
    assert_int_equal(tally.kept, 4);
    assert_true(tally.steps / tally.successes < 120);
}

static void an_attempt_is_its_seed(void **state) {
    (void)state;
    bex_tabletop_job job = job_of("put_the_moka_pot_on_the_stove");
    bex_tabletop_episode a, b;
    assert_int_equal(bex_tabletop_attempt(&a, &job, 1), 0);
    assert_int_equal(bex_tabletop_attempt(&b, &job, 1), 0);
    assert_int_equal(a.rows, b.rows);
    assert_memory_equal(a.states, b.states, (size_t)a.rows * (size_t)a.width * sizeof *a.states);
    assert_true(a.success);
    bex_tabletop_episode_fini(&b);
    assert_int_equal(bex_tabletop_attempt(&b, &job, 2), 0);
    assert_memory_not_equal(a.actions, b.actions, 7 * sizeof *a.actions);
    bex_tabletop_episode_fini(&a);
    bex_tabletop_episode_fini(&b);
}

typedef struct seen {
    int demos;
    double arm, things;
    bool success;
} seen;

static void look(const bex_libero_replay *r, void *payload) {
    seen *s = payload;
    s->demos++;
    s->arm = r->arm, s->things = r->things;
    s->success = r->checked && r->success;
}

// what a file of one demonstration holds: rows, columns of an array
static bex_h5_shape shape_of(const char *path, const char *key) {
    bex_h5 *f;
    bex_h5_shape shape;
    if (bex_h5_open(&f, path) < 0 || bex_h5_measure(f, key, &shape) < 0)
        fail_msg("%s", bex_error());
    bex_h5_close(f);
    return shape;
}

static void check_replay(const char *path, const bex_libero_import_options *o) {
    seen s = {0};
    if (bex_libero_import(path, o, look, &s) < 0) fail_msg("%s", bex_error());
    assert_int_equal(s.demos, 1);
    assert_true(s.success);
    if (s.arm > 1e-6 || s.things > 1e-5) fail_msg("'%s': off by %g and %g", path, s.arm, s.things);
}

// drawn anew at another size, then replayed from the new file
static void redraw(const char *path, int rows) {
    const char *again = scratch_path("again.hdf5");
    const bex_libero_import_options draw = {.libero = "",
                                            .robosuite = "",
                                            .out = again,
                                            .images = 48},
                                    only = {.libero = "", .robosuite = ""};
    unlink(again);
    seen s = {0};
    int code = bex_libero_import(path, &draw, look, &s);
    if (code < 0 && strstr(bex_error(), "draw")) {
        print_message("no pictures here: %s\n", bex_error());
        return;
    }
    if (code < 0) fail_msg("%s", bex_error());
    check_replay(again, &only);
    bex_h5_shape p = shape_of(again, "data/demo_0/obs/agentview_rgb");
    assert_int_equal(p.rows, rows);
    assert_int_equal(p.columns, 48 * 48 * 3);
    assert_int_equal(shape_of(again, "data/demo_0/obs/poses").columns,
                     shape_of(path, "data/demo_0/obs/poses").columns);
    assert_true(bex_libero_import(path, &draw, look, &s) < 0); // never overwritten
    assert_message("exists");
    unlink(again);
}

static void a_file_replays(void **state) {
    (void)state;
    bex_tabletop_job job = job_of("turn_on_the_stove");
    bex_tabletop_episode e;
    char path[300];
    snprintf(path, sizeof path, "%s", scratch_path("demo.hdf5"));
    assert_int_equal(bex_tabletop_attempt(&e, &job, 0), 0);
    assert_true(e.success);
    char *model = bex_libero_model_text(world),
         *bddl = bex_bddl_text(bex_libero_scene(world), job.task);
    const bex_libero_import_options o = {.libero = "", .robosuite = ""};
    // with its settling steps; then as LIBERO's own, where row 0 is all that is known of the start
    for (int settle = 10; settle >= 0; settle -= 10) {
        const bex_libero_about about = {"env", "{}",  "{}", "KITCHEN_SCENE3_turn_on_the_stove.bddl",
                                        bddl,  settle};
        bex_libero_demo d = bex_tabletop_demo(&e, model);
        bex_libero_file *f;
        unlink(path);
        if (!settle) d.init_state = d.states;
        if (bex_libero_file_create(&f, path, &about) < 0) fail_msg("%s", bex_error());
        assert_int_equal(bex_libero_file_add(f, &d), 0);
        if (bex_libero_file_commit(f) < 0) fail_msg("%s", bex_error());
        bex_libero_file_free(f);
        assert_true(bex_libero_file_create(&f, path, &about) < 0); // never overwritten
        check_replay(path, &o);
        redraw(path, e.rows);
    }
    unlink(path);
    free(model);
    free(bddl);
    bex_tabletop_episode_fini(&e);
    seen s = {0};
    assert_true(bex_libero_import("/nowhere.hdf5", &o, look, &s) < 0);
    assert_message("/nowhere.hdf5");
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_stove_is_turned_on),
                                       cmocka_unit_test(an_attempt_is_its_seed),
                                       cmocka_unit_test(a_file_replays)};
    return cmocka_run_group_tests(tests, open_world, close_world);
}
