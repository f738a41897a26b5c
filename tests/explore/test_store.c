/* Episodes on disk: saved piece by piece they come back as they were; what does not belong is refused. */
#include "base/error.h"
#include "explore/store.h"
#include "host/folder.h"

#include "test.h"

enum { TRIALS = 3, BUDGET = 40 };

static int region(const bex_world *w, const bex_real *obs) {
    (void)w;
    return (int)obs[1];
}
static unsigned found(const bex_world *w, const bex_real *obs) {
    (void)w;
    return obs[1] == R(3);
}
static const bex_env_class plain_class = {.name = "plain", .region = region, .found = found};
static const bex_world plain = {.class = &plain_class,
                                .name = "plain",
                                .spec.state = 2,
                                .A = 3,
                                .time_limit = 9,
                                .regions = 5,
                                .goals = 1};
static char folder[600];

// episode k of a trial: its length, rows and end depend on (trial, k) alone
static void play(bex_explored *e, int trial) {
    int k = e->trial[trial].episodes;
    bex_rng rng = bex_rng_split(bex_rng_seed(3), "trial", (uint64_t)(100 * trial + k));
    int length = 1 + (int)bex_rng_below(&rng, 9);
    bool over = false;
    bex_real obs[2], act[3];
    assert_int_equal(bex_explored_begin(e, trial), 0);
    for (int t = 0; !over; t++) {
        obs[0] = R(bex_rng_normal(&rng)), obs[1] = R(bex_rng_below(&rng, 5));
        for (int i = 0; i < 3; i++) act[i] = R(bex_rng_normal(&rng));
        bex_step row = {.obs.state = obs,
                        .act = act,
                        .reward = R(bex_rng_uniform(&rng)),
                        .terminal = t == length - 1 && k % 2,
                        .timeout = t == length - 1 && !(k % 2)};
        over = bex_explored_step(e, trial, &row);
    }
    bex_explored_end(e, trial, obs);
}

static void assert_same(const bex_explored *a, const bex_explored *b) {
    for (int i = 0; i < TRIALS; i++) {
        const bex_trial *x = &a->trial[i], *y = &b->trial[i];
        size_t rows = (size_t)x->start[x->episodes], episodes = (size_t)x->episodes;
        assert_int_equal(x->episodes, y->episodes);
        assert_memory_equal(x->start, y->start, (episodes + 1) * sizeof *x->start);
        assert_memory_equal(x->obs, y->obs, rows * 2 * sizeof *x->obs);
        assert_memory_equal(x->act, y->act, rows * 3 * sizeof *x->act);
        assert_memory_equal(x->reward, y->reward, rows * sizeof *x->reward);
        assert_memory_equal(x->terminal, y->terminal, rows);
        assert_memory_equal(x->timeout, y->timeout, rows);
        assert_memory_equal(x->final_obs, y->final_obs, episodes * 2 * sizeof *x->obs);
        assert_memory_equal(x->visited, y->visited, episodes * 5);
        assert_memory_equal(x->first_step, y->first_step, 5 * sizeof *x->first_step);
        assert_memory_equal(x->occupancy, y->occupancy, 5 * sizeof *x->occupancy);
        assert_int_equal(x->goal_step[0], y->goal_step[0]);
    }
}

static bex_explore_store *begin(void) {
    json_t *request = json_pack("{s:s}", "who", "a test");
    bex_explore_store *s = bex_explore_store_new(folder, request);
    json_decref(request);
    if (!s) fail_msg("%s", bex_error());
    return s;
}

static bex_explored record(int budget) {
    bex_explored e;
    assert_int_equal(bex_explored_init(&e, &plain, TRIALS, 0, budget), 0);
    return e;
}

static void episodes_come_back(void **state) {
    (void)state;
    assert_false(bex_explore_store_exists(folder));
    bex_explored e = record(BUDGET);
    bex_explore_store *s = begin();
    assert_true(bex_explore_store_exists(folder));
    assert_int_equal(bex_explore_store_save(s, &e), 0); // nothing yet: no file
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < TRIALS; i++)
            if (!bex_explored_complete(&e, i) && (i != 1 || round > 2)) play(&e, i);
        if (round % 3 == 0) assert_int_equal(bex_explore_store_save(s, &e), 0);
        if (round % 6 != 0) continue;
        // as after a kill: another process opens what is there, and saves on
        bex_explore_store_free(s);
        s = bex_explore_store_open(folder);
        assert_non_null(s);
        assert_string_equal(json_string_value(json_object_get(bex_explore_store_request(s), "who")),
                            "a test");
        bex_explored again = record(BUDGET);
        assert_int_equal(bex_explore_store_restore(s, &again), 0);
        assert_same(&e, &again);
        bex_explored_fini(&again);
    }
    for (int i = 0; i < TRIALS; i++) assert_true(bex_explored_complete(&e, i));
    bex_explore_store_free(s);
    bex_explored_fini(&e);
    assert_int_equal(bex_explore_store_remove(folder), 0);
    assert_false(bex_explore_store_exists(folder));
    assert_int_equal(bex_explore_store_remove(folder), 0); // none is fine
}

// by a longer exploration's rows, a file cut short, and none
static void what_does_not_belong(void **state) {
    (void)state;
    char path[800];
    snprintf(path, sizeof path, "%s/000001.hdf5", folder);
    bex_explored e = record(BUDGET), shorter = record(7), same = record(BUDGET);
    bex_explore_store *s = begin();
    for (int i = 0; i < TRIALS; i++)
        while (!bex_explored_complete(&e, i)) play(&e, i);
    assert_int_equal(bex_explore_store_save(s, &e), 0);
    bex_explore_store_free(s);
    s = bex_explore_store_open(folder);
    assert_true(bex_explore_store_restore(s, &shorter) < 0);
    assert_message("000001.hdf5");
    assert_int_equal(truncate(path, 500), 0);
    assert_true(bex_explore_store_restore(s, &same) < 0);
    assert_message("000001.hdf5");
    bex_explore_store_free(s);
    // begun anew, nothing of it is left
    s = begin();
    bex_explored empty = record(BUDGET);
    assert_int_equal(bex_explore_store_restore(s, &empty), 0);
    assert_int_equal(empty.trial[0].episodes, 0);
    bex_explore_store_free(s);
    assert_int_equal(bex_explore_store_remove(folder), 0);
    assert_null(bex_explore_store_open(folder));
    bex_explored_fini(&e), bex_explored_fini(&shorter);
    bex_explored_fini(&same), bex_explored_fini(&empty);
}

// flock belongs to the descriptor: a second one in the same process is as good as a second process
static void one_at_a_time(void **state) {
    (void)state;
    json_t *request = json_object();
    bex_explore_store *s = begin();
    assert_null(bex_explore_store_open(folder));
    assert_non_null(strstr(bex_error(), "is in use by process "));
    assert_null(bex_explore_store_new(folder, request));
    assert_non_null(strstr(bex_error(), "is in use by process "));
    assert_true(bex_explore_store_exists(folder)); // and nothing is lost
    bex_explore_store_free(s);
    s = bex_explore_store_open(folder);
    assert_non_null(s);
    bex_explore_store_free(s);
    json_decref(request);
    assert_int_equal(bex_explore_store_remove(folder), 0);
}

// a directory from a stranger must not lead us elsewhere
static void links_are_not_followed(void **state) {
    (void)state;
    char target[700], file[800];
    snprintf(target, sizeof target, "%s-elsewhere", folder);
    snprintf(file, sizeof file, "%s/request.json", target);
    bex_explore_store_remove(folder);
    assert_int_equal(bex_folder_make(target), 0);
    FILE *f = fopen(file, "wb");
    fputs("{}", f);
    fclose(f);
    assert_int_equal(symlink(target, folder), 0);
    json_t *request = json_object();
    assert_null(bex_explore_store_new(folder, request));
    assert_message("is a symbolic link");
    assert_null(bex_explore_store_open(folder));
    assert_int_equal(bex_explore_store_remove(folder), -1);
    assert_int_equal(access(file, F_OK), 0);
    json_decref(request);
    unlink(folder);
    bex_folder_remove(target);
}

// begun anew in the same folder: the lock is the same file, nothing of the old one is left
static void begun_anew(void **state) {
    (void)state;
    char file[700];
    bex_explore_store *s = begin();
    bex_explored e = record(9);
    play(&e, 0);
    assert_int_equal(bex_explore_store_save(s, &e), 0);
    bex_explored_fini(&e);
    bex_explore_store_free(s);
    assert_non_null(s = begin());
    snprintf(file, sizeof file, "%s/000001.hdf5", folder);
    assert_int_equal(access(file, F_OK), -1);
    assert_null(bex_explore_store_open(folder));
    assert_message("is in use by process");
    bex_explore_store_free(s);
    assert_int_equal(bex_explore_store_remove(folder), 0);
}

int main(void) {
    snprintf(folder, sizeof folder, "%s", scratch_path("store"));
    bex_explored e = record(9);
    play(&e, 0);
    bex_explore_store *s = begin();
    int code = bex_explore_store_save(s, &e);
    bex_explore_store_free(s);
    bex_explored_fini(&e);
    bex_explore_store_remove(folder);
    if (code < 0 && strstr(bex_error(), "HDF5")) return skip_all("this build has no HDF5");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(episodes_come_back),   cmocka_unit_test(one_at_a_time),
        cmocka_unit_test(what_does_not_belong), cmocka_unit_test(links_are_not_followed),
        cmocka_unit_test(begun_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
