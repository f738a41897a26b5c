/* Signals become wishes, once, and only while asked for. */
#include "host/interrupt.h"

#include "test.h"

#include <signal.h>

static volatile sig_atomic_t ours;

static void own(int number) {
    (void)number;
    ours++;
}

static void signals_are_wishes(void **state) {
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        signal(signals[i], own);
        ours = 0;
        bex_interrupt_begin();
        assert_false(bex_interrupted());
        raise(signals[i]);
        assert_true(bex_interrupted());
        bex_interrupt_end();
        assert_int_equal(ours, 0);
        raise(signals[i]);
        assert_int_equal(ours, 1);
        signal(signals[i], SIG_DFL);
    }
    bex_interrupt_begin();
    assert_false(bex_interrupted()); // of now
    bex_interrupt_end();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(signals_are_wishes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
