/* nn/adam.c - passes over the block in pieces; the padding is zero and stays zero. */
#include "nn/adam.h"

#include "base/parallel.h"
#include "kernel/reduce.h"

#include <math.h>

enum { PIECE = 16384, STRETCH = 256 }; // reals in a piece, pieces whose sums are held at once

static long pieces_of(size_t count) {
    return (long)((count + PIECE - 1) / PIECE);
}

static size_t piece_size(const bex_params *p, size_t first) {
    return p->count - first < PIECE ? p->count - first : PIECE;
}

typedef struct {
    const bex_params *params;
    long first; // piece
    double sum[STRETCH];
} norm_job;

static void norm_piece(long k, void *payload) {
    norm_job *job = payload;
    size_t at = (size_t)(job->first + k) * PIECE;
    const bex_real *g = job->params->grad + at;
    job->sum[k] = (double)bex_dot(g, g, piece_size(job->params, at));
}

double bex_grad_norm(const bex_params *p, int threads) {
    norm_job job = {.params = p};
    double total = 0;
    for (long all = pieces_of(p->count); job.first < all; job.first += STRETCH) {
        long n = all - job.first < STRETCH ? all - job.first : STRETCH;
        bex_parallel(threads, n, norm_piece, &job);
        for (long k = 0; k < n; k++) total += job.sum[k];
    }
    return sqrt(total);
}

typedef struct {
    bex_params *params;
    bex_real b1, b2, eps;
    bex_real scale;           // of the gradient: clipping
    bex_real keep_x, decay_g; // decay of AdamW (on x), of Adam (into g)
    bex_real rate, root;      // lr / (1 - b1^t), 1 / sqrt(1 - b2^t)
    bex_real average;         // 1 - d, 0 for none
} update_job;

static void update(bex_real *restrict x, const bex_real *restrict g, bex_real *restrict m,
                   bex_real *restrict v, size_t n, const update_job *c) {
    bex_real b1 = c->b1, b2 = c->b2, eps = c->eps, scale = c->scale, keep_x = c->keep_x,
             decay_g = c->decay_g, rate = c->rate, root = c->root;
    for (size_t i = 0; i < n; i++) {
        bex_real gi = scale * g[i] + decay_g * x[i];
        bex_real mi = b1 * m[i] + (R(1) - b1) * gi;
        bex_real vi = b2 * v[i] + (R(1) - b2) * gi * gi;
        m[i] = mi;
        v[i] = vi;
        x[i] = x[i] * keep_x - rate * mi / (bex_sqrt(vi) * root + eps);
    }
}

static void update_piece(long k, void *payload) {
    const update_job *c = payload;
    bex_params *p = c->params;
    size_t at = (size_t)k * PIECE, n = piece_size(p, at);
    update(p->value + at, p->grad + at, p->m + at, p->v + at, n, c);
    if (c->average == 0) return;
    for (size_t i = at; i < at + n; i++) p->ema[i] += c->average * (p->value[i] - p->ema[i]);
}

double bex_adam_step(bex_params *p, const bex_adam *a, double lr, int threads) {
    BEX_CHECK(bex_params_moments(p) == 0 && (a->ema_decay <= 0 || p->ema || bex_params_ema(p) == 0),
              "%s", bex_error());
    double norm = bex_grad_norm(p, threads);
    if (!isfinite(norm)) return norm;
    double t = (double)++p->step;
    update_job job = {
        .params = p,
        .b1 = R(a->beta1),
        .b2 = R(a->beta2),
        .eps = R(a->eps),
        .scale = R(a->clip > 0 && norm > a->clip ? a->clip / norm : 1),
        .keep_x = R(a->decoupled ? 1 - lr * a->decay : 1),
        .decay_g = R(a->decoupled ? 0 : a->decay),
        .rate = R(lr / (1 - pow(a->beta1, t))),
        .root = R(1 / sqrt(1 - pow(a->beta2, t))),
        .average = R(a->ema_decay > 0 ? fmax(1 - a->ema_decay, 9 / (9 + t)) : 0),
    };
    bex_parallel(threads, pieces_of(p->count), update_piece, &job);
    bex_params_changed(p);
    return norm;
}
