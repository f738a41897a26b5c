/* Demonstrations as transitions: which rows, what follows what, where the value ends. */
#include "data/transitions.h"

#include "base/error.h"

#include "test.h"

enum { O = 2, A = 3 };

// episodes of 3, 1 and 2 rows; every entry tells its row
static bex_dataset *demonstrations(bool rewards) {
    static const int from[] = {0, 3, 4, 6};
    int *start = malloc(sizeof from);
    bex_dataset *d = bex_dataset_new();
    memcpy(start, from, sizeof from);
    assert_int_equal(bex_dataset_allocate(d, 6, O, A, rewards, 0), 0);
    assert_int_equal(bex_dataset_take_episodes(d, start, 3), 0);
    for (int r = 0; r < 6; r++) {
        for (int i = 0; i < O; i++) d->observations[r * O + i] = R(10 * r + i);
        for (int i = 0; i < A; i++) d->actions[r * A + i] = R(100 * r + i);
        if (rewards) d->rewards[r] = R(-r);
    }
    d->terminals[1] = 1; // in the middle of an episode, as AntMaze has it
    d->timeouts[4] = 1;
    d->terminals[5] = 1; // of a last row, which is left out
    return d;
}

static void the_last_row_of_an_episode_is_left_out(void **state) {
    (void)state;
    static const int row[] = {0, 1, 4};
    bex_dataset *d = demonstrations(true);
    bex_transitions t;
    assert_int_equal(bex_transitions_from(&t, d), 0);
    assert_int_equal(t.n, 3);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < O; i++) {
            assert_true(t.obs[k * O + i] == R(10 * row[k] + i));
            assert_true(t.next[k * O + i] == R(10 * (row[k] + 1) + i));
        }
        for (int i = 0; i < A; i++) assert_true(t.act[k * A + i] == R(100 * row[k] + i));
        assert_true(t.reward[k] == R(-row[k]));
        assert_true(t.mask[k] == (row[k] == 1 ? R(0) : R(1))); // a time limit is no end
    }
    bex_transitions_fini(&t);
    bex_dataset_free(d);
}

static void what_cannot_be_learned_from_is_refused(void **state) {
    (void)state;
    bex_transitions t;
    bex_dataset *d = demonstrations(false);
    assert_int_equal(bex_transitions_from(&t, d), -1);
    assert_message("no rewards");
    bex_transitions_fini(&t);
    bex_dataset_free(d);
    d = demonstrations(true);
    d->episodes = 1, d->start[0] = 3, d->start[1] = 4;
    assert_int_equal(bex_transitions_from(&t, d), -1);
    assert_message("no episode has two rows");
    bex_transitions_fini(&t);
    bex_dataset_free(d);
}

static void an_episode_is_its_steps(void **state) {
    (void)state;
    static const bex_real obs[] = {0, 1, 2, 3}, act[] = {4, 5}, reward[] = {6, 7}, last[] = {8, 9};
    static const unsigned char terminal[] = {0, 0}, timeout[] = {0, 1};
    bex_episode e = {2, 2, 1, obs, act, reward, terminal, timeout, last};
    bex_step one = bex_episode_step(&e, 0), two = bex_episode_step(&e, 1);
    assert_ptr_equal(one.next.state, two.obs.state);
    assert_ptr_equal(two.next.state, last);
    assert_true(one.act[0] == R(4) && two.act[0] == R(5) && two.reward == R(7));
    assert_true(!one.timeout && two.timeout && !two.terminal);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_row_of_an_episode_is_left_out),
        cmocka_unit_test(what_cannot_be_learned_from_is_refused),
        cmocka_unit_test(an_episode_is_its_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
