/* model/dit.c - tokens in, pooled conditioning out, and the denoiser on top. */
#include "model/dit.h"

#include "base/error.h"

#include <string.h>

bex_dit bex_dit_add(bex_params *p, bex_dit_options o) {
    bex_dit d = {.o = o};
    BEX_CHECK(o.O > 0 && o.A > 0 && o.K > 0 && (o.N > 0 || o.mode == BEX_DIT_FULL),
              "policy of %d states, %d actions, chunks of %d, %d history tokens", o.O, o.A, o.K,
              o.N);
    // a projection of `in` numbers to one token: default linear init
#define TOKEN(w, b, in, name)                                                                      \
    (w = bex_param_add(p, BEX_INIT_UNIFORM(in), 2, BEX_DIMS(o.C, in), "token." name ".weight"),    \
     b = bex_param_add(p, BEX_INIT_UNIFORM(in), 1, BEX_DIMS(o.C), "token." name ".bias"))
    TOKEN(d.state_w, d.state_b, o.O, "state");
    if (o.coverage) {
        TOKEN(d.coverage_w, d.coverage_b, 1, "coverage");
        d.null = bex_param_add(p, BEX_INIT_UNIFORM(o.C), 1, BEX_DIMS(o.C), "token.null");
    }
    if (o.tasks) TOKEN(d.task_w, d.task_b, o.tasks, "task");
    if (o.scenes) TOKEN(d.scene_w, d.scene_b, o.scenes, "scene");
    if (o.timestep) TOKEN(d.timestep_w, d.timestep_b, 1, "timestep");
    if (o.N) TOKEN(d.history_w, d.history_b, o.O, "history");
#undef TOKEN
    d.Q = 1 + o.coverage + (o.tasks > 0) + (o.scenes > 0) + o.timestep;
    d.encoder = bex_encoder_add(p, "encoder", o.blocks, o.C, o.F, o.heads, o.dropout);
    d.decoder =
        bex_decoder_add(p, "decoder", o.blocks, o.C, o.F, o.heads, o.A, o.K, o.T, o.dropout);
    return d;
}

// numbers (B,in) -> one token (B,1,C)
static bex_tensor *token(bex_tape *tape, const bex_real *numbers, int B, int in, const bex_param *w,
                         const bex_param *b) {
    bex_tensor *x = bex_constant(tape, numbers, 2, BEX_DIMS(B, in));
    return bex_reshape(tape, bex_linear(tape, x, w, b, BEX_ACTIVATION_ID), 3,
                       BEX_DIMS(B, 1, w->dim[0]));
}

static bex_tensor *label_token(bex_tape *tape, const int *label, int B, int labels,
                               const bex_param *w, const bex_param *b) {
    bex_real *hot = bex_scratch(tape, (size_t)B * (size_t)labels);
    memset(hot, 0, (size_t)B * (size_t)labels * sizeof *hot);
    for (int i = 0; i < B; i++) {
        BEX_CHECK(label[i] >= 0 && label[i] < labels, "label %d of %d", label[i], labels);
        hot[(size_t)i * (size_t)labels + (size_t)label[i]] = R(1);
    }
    return token(tape, hot, B, labels, w, b);
}

static bex_tensor *coverage_token(bex_tape *tape, const bex_dit *d, const bex_dit_input *in) {
    bex_tensor *x = bex_constant(tape, in->coverage, 2, BEX_DIMS(in->B, 1));
    x = bex_linear(tape, x, d->coverage_w, d->coverage_b, BEX_ACTIVATION_ID);
    if (in->hidden) x = bex_select(tape, x, bex_use(tape, d->null), in->hidden);
    return bex_reshape(tape, x, 3, BEX_DIMS(in->B, 1, d->o.C));
}

// (B,Q,C)
static bex_tensor *query_tokens(bex_tape *tape, const bex_dit *d, const bex_dit_input *in) {
    const bex_dit_options *o = &d->o;
    bex_tensor *x = token(tape, in->state, in->B, o->O, d->state_w, d->state_b);
    if (o->coverage) x = bex_concat(tape, x, coverage_token(tape, d, in), 1);
    if (o->tasks)
        x = bex_concat(tape, x, label_token(tape, in->task, in->B, o->tasks, d->task_w, d->task_b),
                       1);
    if (o->scenes)
        x = bex_concat(tape, x,
                       label_token(tape, in->scene, in->B, o->scenes, d->scene_w, d->scene_b), 1);
    if (o->timestep)
        x = bex_concat(tape, x, token(tape, in->timestep, in->B, 1, d->timestep_w, d->timestep_b),
                       1);
    return x;
}

// (G,N,C)
static bex_tensor *history_tokens(bex_tape *tape, const bex_dit *d, const bex_real *history,
                                  int G) {
    bex_tensor *x = bex_constant(tape, history, 3, BEX_DIMS(G, d->o.N, d->o.O));
    return bex_linear(tape, x, d->history_w, d->history_b, BEX_ACTIVATION_ID);
}

static void pool(bex_tape *tape, const bex_dit *d, bex_tensor **out, int tokens,
                 bex_tensor **pooled) {
    for (int i = 0; i < d->o.blocks; i++) pooled[i] = bex_mean_tokens(tape, out[i], 0, tokens);
}

void bex_dit_history(bex_tape *tape, const bex_dit *d, const bex_real *history, int G,
                     bex_encoder_prefix *prefix) {
    bex_encoder_history(tape, &d->encoder, history_tokens(tape, d, history, G), prefix);
}

void bex_dit_query(bex_tape *tape, const bex_dit *d, const bex_dit_input *in,
                   const bex_encoder_prefix *prefix, bex_tensor **pooled) {
    bex_tensor *out[BEX_ENCODER_BLOCKS];
    bex_encoder_query(tape, &d->encoder, query_tokens(tape, d, in), prefix, out);
    pool(tape, d, out, d->Q, pooled);
}

void bex_dit_encode(bex_tape *tape, const bex_dit *d, const bex_dit_input *in,
                    bex_tensor **pooled) {
    if (d->o.mode == BEX_DIT_PREFIX) {
        bex_encoder_prefix prefix[BEX_ENCODER_BLOCKS];
        bex_dit_history(tape, d, in->history, in->G, prefix);
        bex_dit_query(tape, d, in, prefix, pooled);
        return;
    }
    bex_tensor *out[BEX_ENCODER_BLOCKS], *x = query_tokens(tape, d, in);
    if (d->o.N) {
        BEX_CHECK(in->G == in->B, "full mode: %d histories for %d windows", in->G, in->B);
        x = bex_concat(tape, x, history_tokens(tape, d, in->history, in->G), 1);
    }
    bex_encoder_run(tape, &d->encoder, x, NULL, out);
    pool(tape, d, out, d->o.pool == BEX_POOL_ALL ? x->dim[1] : d->Q, pooled);
}

bex_tensor *bex_dit_denoise(bex_tape *tape, const bex_dit *d, bex_tensor *noised, const int *step,
                            bex_tensor **pooled) {
    return bex_decoder_run(tape, &d->decoder, noised, step, pooled);
}

void bex_dit_flops(const bex_dit_options *o, double windows_per_history, double *encoder,
                   double *decoder) {
    double C = o->C, F = o->F, L = o->blocks, K = o->K, N = o->N;
    double Q = 1 + o->coverage + (o->tasks > 0) + (o->scenes > 0) + o->timestep;
    double row = 8 * C * C + 4 * C * F;
    if (o->mode == BEX_DIT_FULL) {
        double T = Q + N;
        *encoder = L * (T * row + 4 * T * T * C);
    } else {
        // the last block of the history is only projected to keys and values
        double history = (L - 1) * (N * row + 4 * N * N * C) + N * 4 * C * C;
        *encoder = history / windows_per_history + L * (Q * row + 4 * Q * (Q + N) * C);
    }
    *decoder = L * (K * row + 4 * K * K * C + 12 * C * C);
}
