/* Logs to a data set: the same rows for any number of threads, labels counted, real logs done. */
#ifndef BEX_HAVE_HDF5
#include "test.h"
int main(void) {
    return skip_all("a build without HDF5");
}
#else
#include "demo/kitchen_import.h"

#include "base/error.h"
#include "env/mj.h"

#include "data/still_log.h"

#include <omp.h>

static bex_world *open_world(const char *name) {
    bex_world *w;
    if (bex_world_open(&w, name, NULL) < 0) fail_msg("%s", bex_error());
    return w;
}

static void logs_become_episodes(void **state) {
    (void)state;
    make m = make_open("still.hdf5");
    add_still(&m, "friday_kettle_slide/demo_000");
    add_still(&m, "friday_kettle_slide/demo_001");
    add_still(&m, "friday_microwave_kettle_switch_slide/demo_000");
    const char *path = make_close(&m);
    bex_world *w = open_world("kitchen-partial"), *complete = open_world("kitchen-complete");
    bex_kitchen_import a, b;
    omp_set_num_threads(1);
    if (bex_kitchen_import_run(&a, w, path, 1, 4, NULL) < 0) fail_msg("%s", bex_error());
    omp_set_num_threads(3);
    assert_int_equal(bex_kitchen_import_run(&b, w, path, 1, 4, NULL), 0);
    const bex_dataset *d = a.data;
    assert_int_equal(d->episodes, 3);
    assert_int_equal(d->rows, 3 * (STILL_ROWS - 1));
    assert_int_equal(d->O, 60);
    assert_int_equal(d->A, 9);
    for (int t = 0; t < d->rows; t++) assert_int_equal(d->terminals[t], t % 5 == 4);
    assert_string_equal(d->tasks.text[d->task[2]], "friday_microwave_kettle_switch_slide");
    assert_memory_equal(d->observations, b.data->observations,
                        (size_t)d->rows * 60 * sizeof(bex_real));
    assert_memory_equal(d->actions, b.data->actions, (size_t)d->rows * 9 * sizeof(bex_real));
    // noise differs from log to log
    assert_true(memcmp(d->observations, d->observations + 5 * 60, 30 * sizeof(bex_real)) != 0);
    assert_int_equal(a.task_labelled[3], 3); // slide
    assert_int_equal(a.task_logged[3], 3);
    assert_int_equal(a.task_done[3], 0);
    assert_int_equal(a.task_labelled[5], 1); // microwave
    assert_int_equal(a.task_labelled[0], 0);
    bex_kitchen_import_fini(&b);
    assert_int_equal(bex_kitchen_import_run(&b, complete, path, 1, 4, NULL), 0);
    assert_int_equal(b.data->episodes, 1);
    // a log's rows do not depend on which others are taken along
    assert_memory_equal(b.data->observations, d->observations + 10 * 60, 5 * 60 * sizeof(bex_real));
    bex_kitchen_import_fini(&a);
    bex_kitchen_import_fini(&b);
    bex_world_close(w);
    bex_world_close(complete);
    unlink(path);
}

static void a_group_must_name_sub_tasks(void **state) {
    (void)state;
    make m = make_open("nameless.hdf5");
    add_still(&m, "friday_kettles/demo_000");
    const char *path = make_close(&m);
    bex_world *w = open_world("kitchen-partial");
    bex_kitchen_import a;
    assert_true(bex_kitchen_import_run(&a, w, path, 1, 0, NULL) < 0);
    assert_message("group 'friday_kettles' names no sub-task");
    assert_message(path);
    bex_world_close(w);
    unlink(path);
}

int main(void) {
    if (!bex_mj_version()) return skip_all("built without MuJoCo");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_become_episodes),
        cmocka_unit_test(a_group_must_name_sub_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
