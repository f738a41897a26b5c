/* policy/route.c - positions of a future, read on straight lines. */
#include "policy/route.h"

#include "base/error.h"

#include <stdlib.h>

struct bex_route {
    const bex_policy *policy;
    bex_real *position; // (K,W) the world's units
};

bex_route *bex_route_new(const bex_policy *p) {
    bex_route *r = calloc(1, sizeof *r);
    if (!r) return bex_fail("out of memory"), NULL;
    r->policy = p;
    r->position = calloc((size_t)p->chunk.K * (size_t)p->chunk.W, sizeof *r->position);
    if (r->position) return r;
    bex_route_free(r);
    return bex_fail("out of memory: a future of %d positions", p->chunk.K), NULL;
}

void bex_route_free(bex_route *r) {
    if (!r) return;
    free(r->position);
    free(r);
}

void bex_route_set(bex_route *r, const bex_real *x, const bex_real *state) {
    bex_chunk_positions(&r->policy->chunk, &r->policy->normaliser, x, state, r->position);
}

void bex_route_show(const bex_route *r, double steps, const bex_real *state, bex_real *x) {
    const bex_policy *p = r->policy;
    const bex_chunk_shape *s = &p->chunk;
    int last = s->K - 1;
    double later = steps * s->K / (double)p->config.coverage.future; // in waypoints
    int whole = later < last ? (int)later : last;
    bex_real part = R(later < last ? later - whole : 0);
    for (int k = 0; k < s->K; k++)
        for (int i = 0; i < s->W; i++) {
            int dim = s->dim[i], a = k + whole < last ? k + whole : last;
            int b = a < last ? a + 1 : last;
            bex_real from = r->position[a * s->W + i], to = r->position[b * s->W + i];
            bex_real std = p->normaliser.std[dim], *column = bex_chunk_waypoint(s, x, k) + i;
            *column = std > 0 ? bex_waypoint_encode(s, k, (from + part * (to - from)) / std,
                                                    state[dim] / std)
                              : 0;
        }
}
