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

static void a_file_replays(void **state) {
    (void)state;
    bex_tabletop_job job = job_of("turn_on_the_stove");
    bex_tabletop_episode e;
    bex_libero_file *f;
    const char *path = scratch_path("demo.hdf5");
    unlink(path);
    assert_int_equal(bex_tabletop_attempt(&e, &job, 0), 0);
    assert_true(e.success);
    char *model = bex_libero_model_text(world),
         *bddl = bex_bddl_text(bex_libero_scene(world), job.task);
    const bex_libero_about about = {"env", "{}", "{}", "KITCHEN_SCENE3_turn_on_the_stove.bddl",
                                    bddl,  10};
    if (bex_libero_file_create(&f, path, &about) < 0) fail_msg("%s", bex_error());
    bex_libero_demo d = bex_tabletop_demo(&e, model);
    assert_int_equal(bex_libero_file_add(f, &d), 0);
    if (bex_libero_file_commit(f) < 0) fail_msg("%s", bex_error());
    bex_libero_file_free(f);
    assert_true(bex_libero_file_create(&f, path, &about) < 0); // never overwritten

    seen s = {0};
    const bex_libero_import_options o = {.libero = "", .robosuite = ""};
    if (bex_libero_import(path, &o, look, &s) < 0) fail_msg("%s", bex_error());
    assert_int_equal(s.demos, 1);
    assert_true(s.success);
    assert_true(s.arm < 1e-5 && s.things < 1e-4);
    unlink(path);
    free(model);
    free(bddl);
    bex_tabletop_episode_fini(&e);
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
