/* model/segment_vae.c - encoder, prior, decoder and their loss. */
#include "model/segment_vae.h"

#include "base/error.h"

#include <string.h>

static bex_segment_gru add_gru(bex_params *p, int layer, const char *way, int in, int H) {
    bex_segment_gru g;
#define ADD(member, init, rank, ...)                                                               \
    g.member = bex_param_add(p, init, rank, BEX_DIMS(__VA_ARGS__), "encoder.gru.%d.%s." #member,   \
                             layer, way)
    ADD(W, BEX_INIT_LECUN, 3, BEX_SEGMENT_GATES, H, in);
    ADD(b, BEX_INIT_ZERO, 2, BEX_SEGMENT_GATES, H);
    ADD(U, BEX_INIT_ORTHOGONAL(1), 3, BEX_SEGMENT_GATES, H, H);
    ADD(c, BEX_INIT_ZERO, 1, H);
#undef ADD
    return g;
}

bex_segment_vae bex_segment_vae_add(bex_params *p, bex_segment_vae_options o) {
    int H = o.hidden, wide = o.T * 2 * H;
    bex_segment_vae m = {.o = o};
    m.state = bex_mlp_add(
        p, "encoder.state",
        (bex_mlp_options){
            .in = o.O, .out = H, .hidden = {H}, .act = BEX_ACTIVATION_RELU, .xavier = true});
    for (int i = 0; i < BEX_SEGMENT_LAYERS; i++) {
        int in = i ? 2 * H : H + o.A;
        m.gru[i][0] = add_gru(p, i, "forward", in, H);
        m.gru[i][1] = add_gru(p, i, "backward", in, H);
    }
    m.out_weight =
        bex_param_add(p, BEX_INIT_XAVIER, 2, BEX_DIMS(2 * o.Z, wide), "encoder.out.weight");
    m.out_bias = bex_param_add(p, BEX_INIT_ZERO, 1, BEX_DIMS(2 * o.Z), "encoder.out.bias");
    bex_diagonal_gaussian_options g = {
        .in = o.O, .out = o.Z, .hidden = {H, H}, .low = -20, .high = 2};
    m.prior = bex_diagonal_gaussian_add(p, "prior", g);
    g.in = o.O + o.Z, g.out = o.A;
    m.decoder = bex_diagonal_gaussian_add(p, "decoder", g);
    return m;
}

static bex_tensor *run_gru(bex_tape *tape, const bex_segment_gru *g, bex_tensor *x, int T,
                           bool backwards) {
    bex_tensor *gx = bex_linear(tape, x, g->W, g->b, BEX_ACTIVATION_ID); // (3,B T,H)
    return bex_gru(tape, gx, g->U, g->c, T, backwards);
}

void bex_segment_vae_encode(bex_tape *tape, const bex_segment_vae *m, bex_tensor *states,
                            bex_tensor *actions, bex_tensor **mean, bex_tensor **log_std) {
    const bex_segment_vae_options *o = &m->o;
    int B = states->dim[0], T = o->T, H = o->hidden;
    BEX_CHECK(states->rank == 3 && states->dim[1] == T, "segments %s of %d steps",
              bex_shape(states), T);
    bex_tensor *x =
        bex_mlp_run(tape, &m->state, bex_reshape(tape, states, 2, BEX_DIMS(B * T, o->O)));
    x = bex_activate(tape, x, BEX_ACTIVATION_RELU);
    x = bex_concat(tape, x, bex_reshape(tape, actions, 2, BEX_DIMS(B * T, o->A)), 1);
    for (int i = 0; i < BEX_SEGMENT_LAYERS; i++) {
        bex_tensor *f = run_gru(tape, &m->gru[i][0], x, T, false);
        bex_tensor *b = run_gru(tape, &m->gru[i][1], x, T, true);
        x = bex_reshape(tape, bex_concat(tape, f, b, 2), 2, BEX_DIMS(B * T, 2 * H));
    }
    x = bex_reshape(tape, x, 2, BEX_DIMS(B, T * 2 * H));
    x = bex_linear(tape, x, m->out_weight, m->out_bias, BEX_ACTIVATION_ID); // (B,2Z)
    *mean = bex_slice(tape, x, 1, 0, o->Z);
    *log_std = bex_affine(tape, bex_slice(tape, x, 1, o->Z, o->Z), 0.5, 0);
}

// row b of x (B,C), T times
static bex_tensor *repeat_rows(bex_tape *tape, bex_tensor *x, int T) {
    bex_tensor *wide = x;
    for (int t = 1; t < T; t++) wide = bex_concat(tape, wide, x, 1);
    return bex_reshape(tape, wide, 2, BEX_DIMS(x->dim[0] * T, x->dim[1]));
}

void bex_segment_vae_loss(bex_tape *tape, const bex_segment_vae *m, bex_tensor *states,
                          bex_tensor *actions, const bex_tensor *noise, bex_tensor **reconstruction,
                          bex_tensor **divergence) {
    const bex_segment_vae_options *o = &m->o;
    int B = states->dim[0], T = o->T;
    bex_tensor *mean, *log_std, *prior_mean, *prior_log_std, *act_mean, *act_log_std;
    bex_segment_vae_encode(tape, m, states, actions, &mean, &log_std);
    bex_tensor *z = bex_gaussian_sample(tape, mean, log_std, noise);
    bex_tensor *rows = bex_reshape(tape, states, 2, BEX_DIMS(B * T, o->O));
    bex_diagonal_gaussian_run(tape, &m->decoder, bex_concat(tape, rows, repeat_rows(tape, z, T), 1),
                              &act_mean, &act_log_std);
    bex_tensor *logp = bex_gaussian_logp(tape, bex_reshape(tape, actions, 2, BEX_DIMS(B * T, o->A)),
                                         act_mean, act_log_std);
    *reconstruction = bex_sum_all(tape, logp, -1.0 / T);
    bex_tensor *first = bex_reshape(tape, bex_slice(tape, states, 1, 0, 1), 2, BEX_DIMS(B, o->O));
    bex_diagonal_gaussian_run(tape, &m->prior, first, &prior_mean, &prior_log_std);
    *divergence = bex_sum_all(
        tape, bex_gaussian_divergence(tape, mean, log_std, prior_mean, prior_log_std), 1);
}
