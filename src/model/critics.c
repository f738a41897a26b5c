/* model/critics.c - an ensemble is one network of E members; targets are a second block of that layout. */
#include "model/critics.h"

#include "base/error.h"

#include <string.h>

static bex_mlp network(bex_params *p, const bex_critics_options *o) {
    bex_mlp_options m = {.in = o->O + o->A,
                         .out = 1,
                         .members = o->E,
                         .act = BEX_ACTIVATION_RELU,
                         .layernorm = o->layernorm,
                         .eps = 1e-6,
                         .xavier = true};
    memcpy(m.hidden, o->hidden, sizeof m.hidden);
    return bex_mlp_add(p, "critic", m);
}

void bex_critics_init(bex_critics *c, bex_critics_options o, int blocks, bex_rng rng) {
    *c = (bex_critics){.o = o, .params = bex_params_new(), .targets = bex_params_new()};
    c->q = network(c->params, &o);
    c->target = network(c->targets, &o);
    BEX_CHECK(bex_params_build(c->params, blocks, rng) == 0 &&
                  bex_params_build(c->targets, 0, rng) == 0,
              "%s", bex_error());
}

void bex_critics_fini(bex_critics *c) {
    bex_params_free(c->params);
    bex_params_free(c->targets);
    *c = (bex_critics){0};
}

bex_tensor *bex_critics_value(bex_tape *tape, const bex_critics *c, bex_tensor *su) {
    bex_tensor *q = bex_mlp_run(tape, &c->q, su); // (E,M,1)
    return bex_reshape(tape, q, 2, BEX_DIMS(c->o.E, su->dim[0]));
}

bex_tensor *bex_critics_target(bex_tape *tape, const bex_critics *c, bex_tensor *su,
                               const int *subset, int n) {
    int M = su->dim[0];
    bex_tensor *all = bex_tensor_new(tape, 2, BEX_DIMS(n, M), false);
    for (int i = 0; i < n; i++) {
        bex_mlp_member one;
        bex_tensor *q = bex_mlp_run(tape, bex_mlp_take_member(&one, &c->target, subset[i]), su);
        memcpy(all->data + (size_t)i * (size_t)M, q->data, (size_t)M * sizeof *q->data);
    }
    return bex_min_members(tape, all);
}

void bex_critics_follow(bex_critics *c, double tau, int threads) {
    bex_params_polyak(c->targets, c->params, R(tau), threads);
}
