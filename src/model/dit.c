/* model/dit.c - the table of tokens; tokens in, pooled conditioning out, and the denoiser on top. */
#include "model/dit.h"

#include "base/error.h"

#include <string.h>

/* ---- tokens: one row each ---- */

typedef struct token_kind {
    const char *name; // its parameters are token.<name>.weight (C,width) and .bias (C)
    int (*width)(
        const bex_dit_options *o); // of what it is projected from; 0: there is no such token
    // (B,width) or (B,places,width), a constant or what a network of its own gives; NULL: not a query token
    bex_tensor *(*fill)(bex_tape *tape, const bex_dit *d, const bex_dit_input *in);
    int camera; // which it is of, from 1; 0: of none
    bool hides; // a learned vector, token.null, stands for it in the windows of input->hidden
} token_kind;

static int state_width(const bex_dit_options *o) {
    return o->O;
}
static bex_tensor *state_fill(bex_tape *tape, const bex_dit *d, const bex_dit_input *in) {
    return bex_constant(tape, in->state, 2, BEX_DIMS(in->B, d->o.O));
}

static int coverage_width(const bex_dit_options *o) {
    return o->coverage;
}
static bex_tensor *coverage_fill(bex_tape *tape, const bex_dit *d, const bex_dit_input *in) {
    (void)d;
    return bex_constant(tape, in->coverage, 2, BEX_DIMS(in->B, 1));
}

// labels (B) as rows of zeros with a one
static bex_tensor *one_hot(bex_tape *tape, const int *label, int B, int labels) {
    bex_tensor *x = bex_tensor_new(tape, 2, BEX_DIMS(B, labels), false);
    memset(x->data, 0, bex_count(x) * sizeof *x->data);
    for (int i = 0; i < B; i++) {
        BEX_CHECK(label[i] >= 0 && label[i] < labels, "label %d of %d", label[i], labels);
        x->data[(size_t)i * (size_t)labels + (size_t)label[i]] = R(1);
    }
    return x;
}

static int task_width(const bex_dit_options *o) {
    return o->tasks;
}
static bex_tensor *task_fill(bex_tape *tape, const bex_dit *d, const bex_dit_input *in) {
    return one_hot(tape, in->task, in->B, d->o.tasks);
}

static int scene_width(const bex_dit_options *o) {
    return o->scenes;
}
static bex_tensor *scene_fill(bex_tape *tape, const bex_dit *d, const bex_dit_input *in) {
    return one_hot(tape, in->scene, in->B, d->o.scenes);
}

static int timestep_width(const bex_dit_options *o) {
    return o->timestep;
}
static bex_tensor *timestep_fill(bex_tape *tape, const bex_dit *d, const bex_dit_input *in) {
    (void)d;
    return bex_constant(tape, in->timestep, 2, BEX_DIMS(in->B, 1));
}

// a camera's features, the same width of all; which camera is there is the kind's number
static int camera_width(const bex_dit_options *o) {
    return o->cameras ? o->features : 0;
}
#define CAMERA(n)                                                                                  \
    static bex_tensor *camera##n##_fill(bex_tape *tape, const bex_dit *d,                          \
                                        const bex_dit_input *in) {                                 \
        (void)tape, (void)d;                                                                       \
        return in->seen[n];                                                                        \
    }
CAMERA(0)
CAMERA(1)
CAMERA(2)
CAMERA(3)

static int history_width(const bex_dit_options *o) {
    return o->N ? o->O : 0;
}

// in the order of their parameters, and of the tokens of a query
static const token_kind kinds[BEX_DIT_TOKENS] = {
    [BEX_TOKEN_STATE] = {"state", state_width, state_fill, 0, false},
    [BEX_TOKEN_COVERAGE] = {"coverage", coverage_width, coverage_fill, 0, true},
    [BEX_TOKEN_TASK] = {"task", task_width, task_fill, 0, false},
    [BEX_TOKEN_SCENE] = {"scene", scene_width, scene_fill, 0, false},
    [BEX_TOKEN_TIMESTEP] = {"timestep", timestep_width, timestep_fill, 0, false},
    [BEX_TOKEN_CAMERA] = {"camera0", camera_width, camera0_fill, 1, false},
    [BEX_TOKEN_CAMERA + 1] = {"camera1", camera_width, camera1_fill, 2, false},
    [BEX_TOKEN_CAMERA + 2] = {"camera2", camera_width, camera2_fill, 3, false},
    [BEX_TOKEN_CAMERA + 3] = {"camera3", camera_width, camera3_fill, 4, false},
    [BEX_TOKEN_HISTORY] = {"history", history_width, NULL, 0, false},
};

// numbers that a token of this kind is projected from; 0: this network has none
static int width_of(const token_kind *kind, const bex_dit_options *o) {
    return kind->camera > o->cameras ? 0 : kind->width(o);
}

// tokens of a kind that is configured
static int tokens_of(const token_kind *kind, const bex_dit_options *o) {
    return kind->camera ? o->places : 1;
}

int bex_dit_queries(const bex_dit_options *o) {
    int n = 0;
    for (int k = 0; k < BEX_DIT_TOKENS; k++)
        if (kinds[k].fill && width_of(&kinds[k], o) > 0) n += tokens_of(&kinds[k], o);
    return n;
}

// a projection of `width` numbers to one token: default linear init
static bex_dit_token token_add(bex_params *p, const token_kind *kind, const bex_dit_options *o) {
    int width = width_of(kind, o), C = o->C, tokens = tokens_of(kind, o);
    bex_dit_token t = {0};
    if (!width) return t;
    bex_init init = BEX_INIT_UNIFORM(width);
    t.w = bex_param_add(p, init, 2, BEX_DIMS(C, width), "token.%s.weight", kind->name);
    t.b = bex_param_add(p, init, 1, BEX_DIMS(C), "token.%s.bias", kind->name);
    if (kind->hides) t.null = bex_param_add(p, BEX_INIT_UNIFORM(C), 1, BEX_DIMS(C), "token.null");
    if (tokens > 1)
        t.place = bex_param_add(p, BEX_INIT_UNIFORM(C), 2, BEX_DIMS(tokens, C), "token.%s.place",
                                kind->name);
    return t;
}

bex_dit bex_dit_add(bex_params *p, bex_dit_options o) {
    bex_dit d = {.o = o, .Q = bex_dit_queries(&o)};
    BEX_CHECK(o.O > 0 && o.columns > 0 && o.K > 0 && (o.N > 0 || o.mode == BEX_DIT_FULL),
              "policy of %d states, %d columns, chunks of %d, %d history tokens", o.O, o.columns,
              o.K, o.N);
    for (int k = 0; k < BEX_DIT_TOKENS; k++) d.token[k] = token_add(p, &kinds[k], &o);
    bex_stack stack = {.blocks = o.blocks,
                       .C = o.C,
                       .feedforward = o.feedforward,
                       .heads = o.heads,
                       .dropout = o.dropout};
    d.encoder = bex_encoder_add(p, "encoder", stack);
    d.decoder = bex_decoder_add(
        p, "decoder",
        (bex_decoder_options){
            .stack = stack, .columns = o.columns, .K = o.K, .time_width = o.time_width});
    return d;
}

/* ---- forward ---- */

// (B,tokens,C)
static bex_tensor *query_token(bex_tape *tape, const bex_dit *d, int k, const bex_dit_input *in) {
    const bex_dit_token *t = &d->token[k];
    bex_tensor *x =
        bex_linear(tape, kinds[k].fill(tape, d, in), t->w, t->b, BEX_ACTIVATION_ID); // (..,C)
    if (t->null && in->hidden) x = bex_select(tape, x, bex_use(tape, t->null), in->hidden);
    x = bex_reshape(tape, x, 3, BEX_DIMS(in->B, tokens_of(&kinds[k], &d->o), d->o.C));
    return t->place ? bex_add(tape, x, bex_use(tape, t->place)) : x;
}

// (B,Q,C)
static bex_tensor *query_tokens(bex_tape *tape, const bex_dit *d, const bex_dit_input *in) {
    bex_tensor *x = NULL;
    for (int k = 0; k < BEX_DIT_TOKENS; k++) {
        if (!kinds[k].fill || !d->token[k].w) continue;
        bex_tensor *one = query_token(tape, d, k, in);
        x = x ? bex_concat(tape, x, one, 1) : one;
    }
    return x;
}

// (G,N,C)
static bex_tensor *history_tokens(bex_tape *tape, const bex_dit *d, const bex_real *history,
                                  int G) {
    const bex_dit_token *t = &d->token[BEX_TOKEN_HISTORY];
    bex_tensor *x = bex_constant(tape, history, 3, BEX_DIMS(G, d->o.N, d->o.O));
    return bex_linear(tape, x, t->w, t->b, BEX_ACTIVATION_ID);
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
    double C = o->C, L = o->blocks, K = o->K, N = o->N, Q = bex_dit_queries(o);
    double row = 8 * C * C + 4 * C * o->feedforward;
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
