/* data/transitions.c - steps to rows of transitions. */
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
