/* policy/lead.c */
#include "policy/lead.h"

#include "base/error.h"

#include <stdlib.h>

struct bex_lead {
    const bex_policy *policy;
    bex_real *place; // (K,W) the world's units
};

bex_lead *bex_lead_new(const bex_policy *p) {
    bex_lead *l = calloc(1, sizeof *l);
    if (!l) return bex_fail("out of memory"), NULL;
    l->policy = p;
    l->place = calloc((size_t)p->dit.o.K * (size_t)p->W, sizeof *l->place);
    if (l->place) return l;
    bex_lead_free(l);
    return bex_fail("out of memory: a future of %d places", p->dit.o.K), NULL;
}

void bex_lead_free(bex_lead *l) {
    if (!l) return;
    free(l->place);
    free(l);
}

void bex_lead_set(bex_lead *l, const bex_real *told, const bex_real *state) {
    bex_policy_places(l->policy, told, state, l->place);
}

void bex_lead_tell(const bex_lead *l, double steps, const bex_real *state, bex_real *x) {
    const bex_policy *p = l->policy;
    int K = p->dit.o.K, wide = p->dit.o.A, last = K - 1;
    double later = steps * K / (double)p->config.coverage.future; // in waypoints
    int whole = later < last ? (int)later : last;
    bex_real part = R(later < last ? later - whole : 0);
    for (int k = 0; k < K; k++)
        for (int i = 0; i < p->W; i++) {
            int dim = p->waypoint[i], a = k + whole < last ? k + whole : last;
            int b = a < last ? a + 1 : last;
            bex_real from = l->place[a * p->W + i], to = l->place[b * p->W + i];
            bex_real std = p->normaliser.std[dim];
            x[k * wide + p->A + i] =
                std > 0 ? bex_policy_waypoint_value(p, k, (from + part * (to - from)) / std,
                                                    state[dim] / std)
                        : 0;
        }
}
