/* The record filled by hand: trials with different numbers of episodes, a budget, first times. */
#include "base/error.h"
#include "explore/explored.h"

#include "test.h"

// a line of R places; goal 0 at place 2, goal 1 at place 4
static int region(const bex_world *w, const bex_real *obs) {
    return obs[0] < R(w->regions) ? (int)obs[0] : -1;
}
static unsigned found(const bex_world *w, const bex_real *obs) {
    (void)w;
    return (unsigned)(obs[0] == R(2)) | (unsigned)(obs[0] == R(4)) << 1;
}
static const bex_env_class line_class = {.name = "line", .region = region, .found = found};
static const bex_world line = {.class = &line_class,
                               .name = "line",
                               .spec.state = 1,
                               .A = 1,
                               .time_limit = 50,
                               .regions = 5,
                               .goals = 2};

// an episode over these places; the last one is the state after the last action
static void play(bex_explored *e, int trial, const int *places, int n, bool terminal) {
    assert_int_equal(bex_explored_begin(e, trial), 0);
    for (int t = 0; t < n; t++) {
        bex_real obs = R(places[t]), act = R(t), last = R(places[n]);
        bool over = bex_explored_step(e, trial,
                                      &(bex_step){.obs.state = &obs,
                                                  .act = &act,
                                                  .reward = obs == R(3),
                                                  .terminal = terminal && t == n - 1});
        assert_int_equal(over, t == n - 1);
        if (over) bex_explored_end(e, trial, &last);
    }
}

static void trials_of_different_numbers_of_episodes(void **state) {
    (void)state;
    bex_explored e;
    assert_int_equal(bex_explored_init(&e, &line, 2, 0, 6), 0);
    play(&e, 0, (int[]){0, 1, 2, 1}, 3, true); // cut short by the world
    play(&e, 0, (int[]){0, 9, 3, 4}, 3, false);
    for (int k = 0; k < 6; k++) play(&e, 1, (int[]){0, k == 5 ? 2 : 1}, 1, k < 5);
    for (int i = 0; i < 2; i++) assert_true(bex_explored_complete(&e, i));
    const bex_trial *a = &e.trial[0], *b = &e.trial[1];
    assert_int_equal(a->episodes, 2);
    assert_int_equal(b->episodes, 6); // more than there was room for at first
    assert_int_equal(a->start[1], 3);
    assert_int_equal(b->start[6], 6);
    assert_int_equal(bex_explored_most_episodes(&e), 6);
    assert_int_equal(bex_explored_least_episodes(&e), 2);
    assert_int_equal(bex_explored_least_steps(&e), 6);
    // the world's end is no timeout, the budget's is
    assert_true(a->terminal[2] && !a->timeout[2] && a->timeout[5] && !a->terminal[5]);
    assert_true(b->timeout[5]);
    for (int k = 0; k < 6; k++) assert_int_equal(b->visited[k * 5 + 2], k == 5);

    assert_int_equal(a->goal_step[0], 2);
    assert_int_equal(a->goal_step[1], 6); // after the last step
    assert_int_equal(a->goal_episode[1], 1);
    assert_int_equal(b->goal_step[1], -1);
    for (int n = 0; n <= 6; n++) {
        assert_true(bex_explored_goals_after_steps(&e, 0, n) == (n < 2 ? 0 : n < 6 ? 0.5 : 1));
        assert_true(bex_explored_goals_after_steps(&e, 1, n) == (n < 6 ? 0 : 0.5));
    }
    assert_true(bex_explored_goals(&e, 0, 1) == 0.5 && bex_explored_goals(&e, 0, 2) == 1);
    assert_int_equal(bex_explored_after_steps(&e, 0, 5), 4);
    assert_int_equal(bex_explored_after_episodes(&e, 0, 1), 3);
    assert_int_equal(bex_explored_attempts(&e, 0), 2);
    assert_int_equal(bex_explored_attempts(&e, 1), 0);
    bex_explored_fini(&e);
}

static void a_limit_of_episodes(void **state) {
    (void)state;
    bex_explored e;
    assert_int_equal(bex_explored_init(&e, &line, 1, 2, 0), 0);
    assert_int_equal(e.room, 100);
    play(&e, 0, (int[]){0, 1, 2}, 2, true);
    assert_false(bex_explored_complete(&e, 0));
    play(&e, 0, (int[]){0, 1}, 1, true);
    assert_true(bex_explored_complete(&e, 0));
    assert_int_equal(e.trial[0].steps, 3);
    bex_explored_fini(&e);
}

static void what_cannot_be_recorded(void **state) {
    (void)state;
    bex_explored e;
    bex_world endless = line;
    endless.time_limit = 0;
    assert_true(bex_explored_init(&e, &endless, 1, 1, 0) < 0);
    assert_message("no time limit");
    bex_explored_fini(&e);
    assert_true(bex_explored_init(&e, &line, 1, 1 << 28, 0) < 0);
    assert_message("too many");
    bex_explored_fini(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trials_of_different_numbers_of_episodes),
        cmocka_unit_test(a_limit_of_episodes),
        cmocka_unit_test(what_cannot_be_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
