/* Which columns count, told from made-up demonstrations whose answer is known; what settings follow; real
 * files. */
#include "suggest/suggest.h"

#include "agent/agent.h"
#include "base/error.h"
#include "base/rng.h"
#include "data/load.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EPISODES = 60, LENGTH = 120 };

typedef enum { PLACE_X, PLACE_Y, SPEED_X, GAIT, NOISE, GOAL, STILL, COPY, QUATERNION } kind;

// walkers that go one of four ways; columns as `kinds` says, a quaternion taking four
static bex_dataset *make(const kind *kinds, int n, const char *const *names, bool ends) {
    bex_dataset *d = bex_dataset_new();
    int O = 0, row = 0, *start = malloc((EPISODES + 1) * sizeof *start);
    for (int i = 0; i < n; i++) O += kinds[i] == QUATERNION ? 4 : 1;
    assert_int_equal(bex_dataset_allocate(d, EPISODES * LENGTH, (unsigned)O, 3, 0, 0), 0);
    bex_rng g = bex_rng_seed(5);
    for (int e = 0; e < EPISODES; e++) {
        int way = (int)bex_rng_below(&g, 4),
            length = ends ? LENGTH - (int)bex_rng_below(&g, 60) : LENGTH;
        double x = 0, y = 0, goal = bex_rng_normal(&g), phase = 6 * bex_rng_uniform(&g),
               turn = 3 * bex_rng_uniform(&g);
        start[e] = row;
        for (int t = 0; t < length; t++, row++) {
            double vx = way == 0 ? 1 : way == 1 ? -1 : 0, vy = way == 2 ? 1 : way == 3 ? -1 : 0;
            double push = 0.6 * bex_rng_normal(&g);
            bex_real *o = d->observations + (size_t)row * (size_t)O;
            for (int i = 0; i < n; i++) {
                double v[] = {[PLACE_X] = x,
                              [PLACE_Y] = y,
                              [SPEED_X] = vx + push,
                              [GAIT] = sin(0.9 * t + phase),
                              [NOISE] = bex_rng_normal(&g),
                              [GOAL] = goal,
                              [STILL] = 7,
                              [COPY] = 3 - 2 * x,
                              [QUATERNION] = 0};
                if (kinds[i] != QUATERNION) {
                    *o++ = R(v[kinds[i]]);
                    continue;
                }
                double a = turn + 0.02 * t; // heading lasts, but is no place
                *o++ = R(cos(a)), *o++ = R(0.6 * sin(a)), *o++ = R(0), *o++ = R(0.8 * sin(a));
            }
            x += 0.1 * (vx + push), y += 0.1 * vy; // a speed is of the step that follows
            for (int k = 0; k < 3; k++) d->actions[row * 3 + k] = R(push + k);
        }
    }
    start[EPISODES] = row;
    d->rows = row;
    assert_int_equal(bex_dataset_take_episodes(d, start, EPISODES), 0);
    for (int i = 0; names && i < O; i++)
        assert_int_equal(bex_columns_add(&d->columns, names[i]), 0);
    return d;
}

static bex_suggestions ask(bex_train_config *c, const bex_dataset *d, const char *const *settings) {
    bex_suggestions s;
    bex_config_defaults(&bex_train_schema, c);
    bex_config_all_auto(&bex_train_schema, c);
    for (int i = 0; settings && settings[i]; i++)
        if (bex_config_set(&bex_train_schema, c, settings[i]) < 0) fail_msg("%s", bex_error());
    if (bex_agent_settle(c) < 0 || bex_suggest_settle(c, d, &s) < 0) fail_msg("%s", bex_error());
    return s;
}

static void places_count(void **state) {
    (void)state;
    static const kind columns[] = {NOISE, PLACE_X, SPEED_X, GAIT,      PLACE_Y,
                                   GOAL,  STILL,   COPY,    QUATERNION};
    static const bex_column_role roles[] = {BEX_COLUMN_FREE,     BEX_COLUMN_FREE, BEX_COLUMN_RATE,
                                            BEX_COLUMN_FREE,     BEX_COLUMN_FREE, BEX_COLUMN_GIVEN,
                                            BEX_COLUMN_CONSTANT, BEX_COLUMN_COPY};
    bex_dataset *d = make(columns, 9, NULL, false);
    bex_train_config c;
    bex_suggestions s = ask(&c, d, NULL);
    assert_string_equal(c.policy.coverage.dims, "1,4");
    assert_string_equal(s.dims, "1,4");
    for (int j = 0; j < 8; j++) assert_int_equal(s.columns.column[j].role, roles[j]);
    assert_int_equal(s.columns.column[2].of, 1);
    assert_int_equal(s.columns.column[7].of, 1);
    for (int j = 8; j < 12; j++)
        if (j != 10) assert_true(s.columns.column[j].word < 0.5);
    assert_true(s.columns.column[3].worth < 0.1 && s.columns.column[0].worth < 0.1);
    assert_false(s.columns.doubtful);
    assert_true(c.data.drop_constant);
    assert_true(c.policy.model.waypoints && c.policy.deploy.candidates > 1);
    bex_suggestions_fini(&s);
    bex_dataset_free(d);
}

static void names_say_what_values_do_not(void **state) {
    (void)state;
    // the same motion thrice: in joints, as a hand, as sines
    static const kind columns[] = {PLACE_X, PLACE_Y, PLACE_X, PLACE_Y, NOISE};
    static const char *const names[] = {"joint_pos[0]", "joint_pos[1]", "eef_pos[0]", "eef_pos[1]",
                                        "joint_vel"};
    bex_dataset *d = make(columns, 5, names, false);
    bex_train_config c;
    bex_suggestions s = ask(&c, d, NULL);
    assert_string_equal(s.dims, "eef_pos");
    assert_string_equal(c.policy.coverage.dims, "2,3");
    bex_suggestions_fini(&s);
    // a choice of one's own by name
    static const char *const mine[] = {"coverage.dims=joint_pos[1],eef_pos", NULL};
    s = ask(&c, d, mine);
    assert_string_equal(c.policy.coverage.dims, "1,2,3");
    for (int i = 0; i < s.count; i++) assert_string_not_equal(s.row[i].key, "coverage.dims");
    bex_suggestions_fini(&s);
    bex_config_defaults(&bex_train_schema, &c);
    assert_int_equal(bex_config_set(&bex_train_schema, &c, "coverage.dims=hand"), 0);
    assert_true(bex_suggest_settle(&c, d, &s) < 0);
    assert_message(
        "coverage.dims: dims 'hand': no column 'hand'; there are joint_pos[0:2], eef_pos[0:2], joint_vel");
    bex_suggestions_fini(&s);
    bex_dataset_free(d);
}

static void what_is_given_stays(void **state) {
    (void)state;
    static const kind columns[] = {PLACE_X, PLACE_Y};
    static const char *const settings[] = {"model.waypoints=false", "coverage.future=50",
                                           "model.chunk=3", NULL};
    bex_dataset *d = make(columns, 2, NULL, true);
    bex_train_config c, untouched;
    bex_suggestions s = ask(&c, d, settings);
    assert_int_equal(c.policy.coverage.future, 50);
    assert_int_equal(c.policy.model.chunk, 3);
    assert_false(c.policy.model.waypoints);
    assert_int_equal(c.policy.deploy.candidates, 1); // nothing to choose by
    assert_true(c.policy.coverage.truncate);         // ends of different lengths matter
    for (int i = 0; i < s.count; i++) {
        assert_true(s.row[i].reason[0] && s.row[i].value[0]);
        assert_false(bex_config_is_auto(&bex_train_schema, &c, s.row[i].key));
    }
    bex_suggestions_fini(&s);
    // a clone has no coverage: only what it has is answered
    static const char *const clone[] = {"train.agent=bc", NULL};
    s = ask(&c, d, clone);
    for (int i = 0; i < s.count; i++) assert_null(strstr(s.row[i].key, "coverage."));
    assert_int_equal(c.policy.model.history, 0);
    bex_suggestions_fini(&s);
    // where nothing is auto nothing changes
    bex_config_defaults(&bex_train_schema, &c);
    untouched = c;
    assert_int_equal(bex_suggest_settle(&c, d, &s), 0);
    assert_int_equal(s.count, 0);
    assert_memory_equal(&c.policy, &untouched.policy, sizeof c.policy);
    bex_suggestions_fini(&s);
    bex_dataset_free(d);
}

static void nothing_that_lasts_is_told(void **state) {
    (void)state;
    static const kind columns[] = {NOISE, GAIT};
    bex_dataset *d = make(columns, 2, NULL, false);
    bex_train_config c;
    bex_suggestions s = ask(&c, d, NULL);
    assert_true(s.columns.doubtful);
    bex_suggestions_fini(&s);
    bex_dataset_free(d);
    static const kind constant[] = {STILL};
    d = make(constant, 1, NULL, false);
    bex_config_defaults(&bex_train_schema, &c);
    bex_config_all_auto(&bex_train_schema, &c);
    assert_true(bex_suggest_settle(&c, d, &s) < 0);
    assert_message("no column of the states changes");
    bex_suggestions_fini(&s);
    bex_dataset_free(d);
}

// files none of us made, where they are
static void real_files(void **state) {
    (void)state;
    static const struct {
        const char *path, *has, *lacks; // in the dims by name or number
    } files[] = {
        {"robosuite_demos/robomimic_ph_lift_low_dim.hdf5", "robot0_eef_pos", "joint"},
        {"robosuite_demos/robomimic_ph_lift_low_dim.hdf5", "object", "vel"},
        {"d4rl/antmaze-large-diverse-v0.hdf5", "0,1", "3"},
        {"d4rl/door-human-v1.hdf5", "observations[31:35]", "qpos"}, // palm and handle, no joint
    };
    int read = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[600];
        snprintf(path, sizeof path, BEX_SOURCE_DIR "/../shared/data/%s", files[i].path);
        if (access(path, R_OK) != 0) continue;
        bex_load_options o = BEX_LOAD_INIT;
        bex_dataset *d = bex_dataset_load(path, &o);
        if (!d) {
            assert_message("cannot read or write HDF5"); // a build without
            continue;
        }
        bex_train_config c;
        bex_suggestions s = ask(&c, d, NULL);
        if (!strstr(s.dims, files[i].has) || strstr(s.dims, files[i].lacks))
            fail_msg("%s: %s", path, s.dims);
        bex_suggestions_fini(&s);
        bex_dataset_free(d);
        read++;
    }
    if (!read) print_message("SKIP: no real files in ../shared/data\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_count),        cmocka_unit_test(names_say_what_values_do_not),
        cmocka_unit_test(what_is_given_stays), cmocka_unit_test(nothing_that_lasts_is_told),
        cmocka_unit_test(real_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
