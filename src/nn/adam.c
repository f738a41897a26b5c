/* nn/adam.c - one pass over the block in pieces; the padding is zero and stays zero. */
#include "nn/adam.h"

#include "kernel/reduce.h"

#include <math.h>

enum { PIECE = 4096 };

double bex_grad_norm(const bex_params *p, int threads) {
    // piece sums in float pairs, their total in double: order fixed by the piece size alone
    enum { MOST = 1024 };
    double total = 0;
    size_t stretch = (size_t)PIECE * MOST;
    for (size_t base = 0; base < p->count; base += stretch) {
        double part[MOST] = {0};
        size_t left = p->count - base < stretch ? p->count - base : stretch;
        int pieces = (int)((left + PIECE - 1) / PIECE);
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int k = 0; k < pieces; k++) {
            size_t first = (size_t)k * PIECE, n = left - first < PIECE ? left - first : PIECE;
            const bex_real *g = p->grad + base + first;
            part[k] = (double)bex_dot(g, g, n);
        }
        for (int k = 0; k < pieces; k++) total += part[k];
    }
    return sqrt(total);
}

typedef struct {
    bex_real b1, b2, eps, scale, decay_x, decay_g, rate, root; // see update
} constants;

static void update(bex_real *restrict x, const bex_real *restrict g, bex_real *restrict m,
                   bex_real *restrict v, size_t n, constants c) {
    for (size_t i = 0; i < n; i++) {
        bex_real gi = c.scale * g[i] + c.decay_g * x[i];
        bex_real mi = c.b1 * m[i] + (R(1) - c.b1) * gi;
        bex_real vi = c.b2 * v[i] + (R(1) - c.b2) * gi * gi;
        m[i] = mi;
        v[i] = vi;
        x[i] = x[i] * c.decay_x - c.rate * mi / (bex_sqrt(vi) * c.root + c.eps);
    }
}

double bex_adam_step(bex_params *p, const bex_adam *a, double lr, int threads) {
    bex_params_moments(p);
    if (a->ema_decay > 0 && !p->ema) bex_params_ema(p);
    double norm = bex_grad_norm(p, threads);
    if (!isfinite(norm)) return norm;
    double t = (double)++p->step;
    constants c = {
        .b1 = R(a->beta1),
        .b2 = R(a->beta2),
        .eps = R(a->eps),
        .scale = R(a->clip > 0 && norm > a->clip ? a->clip / norm : 1),
        .decay_x = R(a->decoupled ? 1 - lr * a->decay : 1),
        .decay_g = R(a->decoupled ? 0 : a->decay),
        .rate = R(lr / (1 - pow(a->beta1, t))),
        .root = R(1 / sqrt(1 - pow(a->beta2, t))),
    };
    long pieces = (long)((p->count + PIECE - 1) / PIECE);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (long k = 0; k < pieces; k++) {
        size_t at = (size_t)k * PIECE, n = p->count - at < PIECE ? p->count - at : PIECE;
        update(p->value + at, p->grad + at, p->m + at, p->v + at, n, c);
        for (size_t i = at; a->ema_decay > 0 && i < at + n; i++)
            p->ema[i] += R(1 - a->ema_decay) * (p->value[i] - p->ema[i]);
    }
    return norm;
}
