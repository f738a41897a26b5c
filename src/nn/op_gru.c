/* nn/op_gru.c - gated recurrent units over a sequence, the form of flax: the bias of what the state gives
 * to n is inside r, those of r and g are in gx.
 *
 *   r = sigmoid(gx_r + U_r h)    g = sigmoid(gx_g + U_g h)    n = tanh(gx_n + r (U_n h + c))
 *   h' = (1 - g) n + g h         h = 0 before the first step
 *
 * The sequence lies in the second dimension, so a step's rows are T apart: they are gathered, M rows at a
 * time, for the products with U. From the packed copy of U where there is one: the same bits. */
#include "nn/ops.h"

#include "base/error.h"
#include "kernel/linear.h"
#include "kernel/vmath.h"

#include <string.h>

enum { GATES = 3 }; // r, g, n

typedef struct {
    const bex_param *Up;
    bex_tensor *gx, *U, *c, *y;
    bex_real *r, *g, *n, *q; // (M,T,H) as y; q = U_n h + c
    int M, T, H;
    bool backwards; // from the last step to the first
} context;

// the step that comes k-th
static int step_at(const context *c, int k) {
    return c->backwards ? c->T - 1 - k : k;
}

// where row m of a step begins in an array (M,T,H)
static size_t row_at(const context *c, int m, int t) {
    return ((size_t)m * (size_t)c->T + (size_t)t) * (size_t)c->H;
}

static void gather(bex_real *dense, const bex_real *from, const context *c, int t) {
    size_t H = (size_t)c->H;
    for (int m = 0; m < c->M; m++)
        memcpy(dense + (size_t)m * H, from + row_at(c, m, t), H * sizeof *dense);
}

// gh (3,M,H) = U h, and c in the last of them
static void from_state(bex_real *gh, const bex_real *h, const context *c) {
    size_t matrix = (size_t)c->H * (size_t)c->H, block = (size_t)c->M * (size_t)c->H;
    for (int e = 0; e < GATES; e++) {
        const bex_real *panels = bex_param_panels(c->Up, BEX_PANELS_Y, e);
        const bex_real *b = e == GATES - 1 ? c->c->data : NULL;
        bex_real *out = gh + (size_t)e * block;
        if (panels)
            bex_linear_fwd_packed(out, NULL, h, panels, b, c->M, c->H, c->H, BEX_ACTIVATION_ID);
        else
            bex_linear_fwd(out, NULL, h, c->U->data + (size_t)e * matrix, b, c->M, c->H, c->H,
                           BEX_ACTIVATION_ID);
    }
}

// gh NULL: there is no state yet
static void forward_step(const context *c, int t, const bex_real *gh, const bex_real *h) {
    size_t H = (size_t)c->H, block = (size_t)c->M * H, gate = block * (size_t)c->T;
    for (int m = 0; m < c->M; m++) {
        size_t at = row_at(c, m, t), dense = (size_t)m * H;
        const bex_real *x = c->gx->data + at;
        for (size_t j = 0; j < H; j++) {
            const bex_real *s = gh ? gh + dense + j : NULL;
            bex_real r = bex_sigmoid(x[j] + (s ? s[0] : R(0)));
            bex_real g = bex_sigmoid(x[gate + j] + (s ? s[block] : R(0)));
            bex_real q = s ? s[2 * block] : c->c->data[j];
            bex_real n = bex_tanh(x[2 * gate + j] + r * q);
            c->r[at + j] = r, c->g[at + j] = g, c->q[at + j] = q, c->n[at + j] = n;
            c->y->data[at + j] = (R(1) - g) * n + (h ? g * h[dense + j] : R(0));
        }
    }
}

// of one step: dz (3,M,H) of what U and c gave, dh (M,H) in: of the state after, out: of the one before, less
// what goes through U
static void backward_step(const context *c, int t, bex_real *dgx, bex_real *dz, bex_real *dh,
                          const bex_real *h) {
    size_t H = (size_t)c->H, block = (size_t)c->M * H, gate = block * (size_t)c->T;
    for (int m = 0; m < c->M; m++) {
        size_t at = row_at(c, m, t), dense = (size_t)m * H;
        for (size_t j = 0; j < H; j++) {
            bex_real r = c->r[at + j], g = c->g[at + j], n = c->n[at + j];
            bex_real d = c->y->grad[at + j] + dh[dense + j];
            bex_real da_n = d * (R(1) - g) * (R(1) - n * n);
            bex_real da_g = d * ((h ? h[dense + j] : R(0)) - n) * g * (R(1) - g);
            bex_real da_r = da_n * c->q[at + j] * r * (R(1) - r);
            dh[dense + j] = d * g;
            dz[dense + j] = da_r, dz[block + dense + j] = da_g;
            dz[2 * block + dense + j] = da_n * r;
            if (!dgx) continue;
            dgx[at + j] += da_r, dgx[gate + at + j] += da_g, dgx[2 * gate + at + j] += da_n;
        }
    }
}

// dh += dz U, dU += dz^T h
static void through_state(const context *c, bex_real *dU, bex_real *dz, bex_real *dh,
                          const bex_real *h) {
    size_t matrix = (size_t)c->H * (size_t)c->H, block = (size_t)c->M * (size_t)c->H;
    for (int e = 0; e < GATES; e++) {
        const bex_real *panels = bex_param_panels(c->Up, BEX_PANELS_DX, e);
        const bex_real *de = dz + (size_t)e * block;
        if (panels)
            bex_linear_bwd_x_packed(dh, de, panels, c->H, c->M, c->H, c->H, 1);
        else
            bex_linear_bwd_x(dh, de, c->U->data + (size_t)e * matrix, c->M, c->H, c->H, 1);
        if (dU) bex_linear_bwd_w(dU + (size_t)e * matrix, NULL, de, h, c->M, c->H, c->H, 1);
    }
}

static void backward(bex_tape *tape, void *payload) {
    context *c = payload;
    if (!c->y->grad) return;
    size_t block = (size_t)c->M * (size_t)c->H;
    bex_real *dgx = bex_grad_sum(tape, c->gx), *dU = bex_grad_sum(tape, c->U),
             *dc = bex_grad_sum(tape, c->c);
    size_t mark = bex_arena_mark(tape->arena);
    bex_real *dz = bex_scratch(tape, GATES * block), *dh = bex_scratch(tape, block),
             *h = bex_scratch(tape, block);
    memset(dh, 0, block * sizeof *dh);
    for (int k = c->T - 1; k >= 0; k--) {
        if (k) gather(h, c->y->data, c, step_at(c, k - 1));
        backward_step(c, step_at(c, k), dgx, dz, dh, k ? h : NULL);
        if (k) through_state(c, dU, dz, dh, h);
        if (dc) bex_column_sums(dc, dz + 2 * block, c->M, c->H);
    }
    bex_arena_release(tape->arena, mark);
}

bex_tensor *bex_gru(bex_tape *tape, bex_tensor *gx, const bex_param *U, const bex_param *c, int T,
                    bool backwards) {
    int H = bex_width(gx), rows = gx->rank == 3 ? gx->dim[1] : 0;
    BEX_CHECK(gx->rank == 3 && gx->dim[0] == GATES && T > 0 && rows % T == 0 && U->rank == 3 &&
                  U->dim[0] == GATES && U->dim[1] == H && U->dim[2] == H && c->rank == 1 &&
                  c->dim[0] == H,
              "gru of %d steps: gx %s, U '%s' %s, c %s", T, bex_shape(gx), U->name,
              bex_shape_text(U->rank, U->dim), bex_shape_text(c->rank, c->dim));
    context k = {U, gx, bex_use(tape, U), bex_use(tape, c), NULL, NULL, NULL, NULL, NULL, rows / T,
                 T, H,  backwards};
    bool needs = gx->needs_grad || k.U->needs_grad || k.c->needs_grad;
    k.y = bex_tensor_new(tape, 3, BEX_DIMS(k.M, T, H), needs);
    size_t all = bex_count(k.y), block = (size_t)k.M * (size_t)H;
    k.r = bex_scratch(tape, all), k.g = bex_scratch(tape, all);
    k.n = bex_scratch(tape, all), k.q = bex_scratch(tape, all);
    if (k.y->needs_grad) *(context *)bex_record(tape, backward, sizeof k) = k;
    size_t mark = bex_arena_mark(tape->arena);
    bex_real *gh = bex_scratch(tape, GATES * block), *h = bex_scratch(tape, block);
    for (int step = 0; step < T; step++) {
        if (step) gather(h, k.y->data, &k, step_at(&k, step - 1));
        if (step) from_state(gh, h, &k);
        forward_step(&k, step_at(&k, step), step ? gh : NULL, step ? h : NULL);
    }
    bex_arena_release(tape->arena, mark);
    return k.y;
}
