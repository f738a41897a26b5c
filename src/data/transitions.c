/* data/transitions.c - steps and demonstrations to rows of transitions. */
#include "data/transitions.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

int bex_transitions_init(bex_transitions *t, int O, int A, int n) {
    bool whole = true;
    *t = (bex_transitions){.n = n, .O = O, .A = A};
#define ALLOCATE(member, per)                                                                      \
    t->member = calloc((size_t)n * (size_t)(per), sizeof *t->member);                              \
    whole = whole && t->member;
    BEX_TRANSITION_FIELDS(ALLOCATE, t)
#undef ALLOCATE
    if (whole) return 0;
    bex_transitions_fini(t);
    return bex_fail("out of memory for %d transitions of %d + %d reals", n, 2 * O + 2, A);
}

void bex_transitions_fini(bex_transitions *t) {
#define FREE(member, per) free(t->member);
    BEX_TRANSITION_FIELDS(FREE, t)
#undef FREE
    *t = (bex_transitions){0};
}

void bex_transitions_set(bex_transitions *t, int i, const bex_step *step) {
    size_t at = (size_t)i, O = (size_t)t->O, A = (size_t)t->A;
    BEX_CHECK(i >= 0 && i < t->n, "transition %d of %d", i, t->n);
    memcpy(t->obs + at * O, step->obs.state, O * sizeof *t->obs);
    memcpy(t->act + at * A, step->act, A * sizeof *t->act);
    memcpy(t->next + at * O, step->next.state, O * sizeof *t->next);
    t->reward[at] = step->reward;
    t->mask[at] = step->terminal ? R(0) : R(1);
}

int bex_transitions_from(bex_transitions *t, const bex_dataset *d) {
    int n = 0;
    *t = (bex_transitions){0};
    if (!d->has_rewards) return bex_fail("the demonstrations have no rewards");
    for (int e = 0; e < d->episodes; e++) n += bex_dataset_length(d, e) - 1;
    if (n < 1) return bex_fail("no episode has two rows: what an action led to is unknown");
    if (bex_transitions_init(t, d->O, d->A, n) < 0) return -1;
    n = 0;
    for (int e = 0; e < d->episodes; e++)
        for (int row = d->start[e]; row + 1 < d->start[e + 1]; row++) {
            size_t at = (size_t)row, O = (size_t)d->O;
            bex_step step = {.obs.state = d->observations + at * O,
                             .act = d->actions + at * (size_t)d->A,
                             .reward = d->rewards[row],
                             .terminal = d->terminals[row],
                             .timeout = d->timeouts[row],
                             .next.state = d->observations + (at + 1) * O};
            bex_transitions_set(t, n++, &step);
        }
    return 0;
}
