/* host/interrupt.c - one flag, set by the first SIGINT or SIGTERM; a second one kills. */
#include "host/interrupt.h"

#include "base/ranks.h"

#include <signal.h>

static volatile sig_atomic_t asked;
static struct sigaction before[2];

static void on_signal(int number) {
    (void)number;
    asked = 1;
    bex_ranks_hurry();
}

void bex_interrupt_begin(void) {
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    asked = 0;
    sigaction(SIGINT, &a, &before[0]);
    sigaction(SIGTERM, &a, &before[1]);
}

bool bex_interrupted(void) {
    return asked;
}

void bex_interrupt_end(void) {
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGTERM, &before[1], NULL);
}
