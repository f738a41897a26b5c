/* An episode as its steps: what follows what. */
#include "data/transitions.h"

#include "test.h"

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
        cmocka_unit_test(an_episode_is_its_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
