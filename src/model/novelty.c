#include "model/novelty.h"

#include <string.h>

static bex_mlp network(bex_params *p, const char *name, const bex_novelty_options *o) {
    bex_mlp_options m = {
        .in = o->in, .out = o->features, .act = BEX_ACTIVATION_RELU, .xavier = true};
    memcpy(m.hidden, o->hidden, sizeof m.hidden);
    return bex_mlp_add(p, name, m);
}

int bex_novelty_init(bex_novelty *n, bex_novelty_options o, int blocks, bex_rng rng) {
    *n = (bex_novelty){.o = o, .params = bex_params_new(), .targets = bex_params_new()};
    n->predictor = network(n->params, "predictor", &o);
    n->target = network(n->targets, "target", &o);
    if (bex_params_build(n->params, blocks, rng) < 0) return -1;
    return bex_params_build(n->targets, 0, rng);
}

void bex_novelty_fini(bex_novelty *n) {
    bex_params_free(n->params);
    bex_params_free(n->targets);
    *n = (bex_novelty){0};
}

bex_tensor *bex_novelty_error(bex_tape *tape, const bex_novelty *n, bex_tensor *x) {
    bex_tensor *off =
        bex_sub(tape, bex_mlp_run(tape, &n->predictor, x), bex_mlp_run(tape, &n->target, x));
    return bex_affine(tape, bex_sum_last(tape, bex_square(tape, off)), 1.0 / n->o.features, 0);
}
