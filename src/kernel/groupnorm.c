/* kernel/groupnorm.c - sums over pixels are taken channel by channel, side by side; then groups.
 *
 * With g = dy (where y > 0) and h = g w:   dx = rstd (h - mean(h) - n mean(h n)), means over the group. */
#include "kernel/groupnorm.h"

#include "base/error.h"

#include <string.h>

static void check(const bex_groupnorm_dims *d) {
    BEX_CHECK(d->C > 0 && d->G > 0 && d->C % d->G == 0 && d->P > 0,
              "group norm of (%d,%d,%d) in %d groups", d->B, d->P, d->C, d->G);
}

// each group's mean of `sum` (C) over its channels and the pixels, to every channel of it
static void spread_means(bex_real *restrict out, const bex_real *sum, const bex_groupnorm_dims *d) {
    int width = d->C / d->G;
    for (int g = 0; g < d->G; g++) {
        double total = 0;
        for (int c = 0; c < width; c++) total += (double)sum[g * width + c];
        for (int c = 0; c < width; c++)
            out[g * width + c] = (bex_real)(total / ((double)width * d->P));
    }
}

static void moments(bex_real *restrict m, bex_real *restrict r, const bex_real *x,
                    const bex_groupnorm_dims *d) {
    const int C = d->C;
    memset(r, 0, (size_t)C * sizeof *r);
    for (int p = 0; p < d->P; p++)
        for (int c = 0; c < C; c++) r[c] += x[p * C + c];
    spread_means(m, r, d);
    memset(r, 0, (size_t)C * sizeof *r);
    for (int p = 0; p < d->P; p++)
        for (int c = 0; c < C; c++) r[c] += (x[p * C + c] - m[c]) * (x[p * C + c] - m[c]);
    for (int g = 0, width = C / d->G; g < d->G; g++) {
        double total = 0;
        for (int c = 0; c < width; c++) total += (double)r[g * width + c];
        bex_real one = R(1) / bex_sqrt((bex_real)(total / ((double)width * d->P)) + d->eps);
        for (int c = 0; c < width; c++) r[g * width + c] = one;
    }
}

// NaN stays NaN, unlike with fmax
static inline bex_real positive(bex_real x) {
    return x < R(0) ? R(0) : x;
}

void bex_groupnorm_fwd(bex_real *y, bex_real *mean, bex_real *rstd, const bex_real *x,
                       const bex_real *w, const bex_real *b, const bex_real *r,
                       const bex_groupnorm_dims *d, bex_real *scratch) {
    check(d);
    const int C = d->C, width = C / d->G;
    const size_t picture = (size_t)d->P * (size_t)C;
    bex_real *restrict a = scratch, *restrict s = scratch + C;
    for (int i = 0; i < d->B; i++, x += picture, y += picture) {
        moments(s, a, x, d);
        for (int g = 0; g < d->G && mean; g++) {
            mean[i * d->G + g] = s[g * width];
            rstd[i * d->G + g] = a[g * width];
        }
        // y = a x + s
        for (int c = 0; c < C; c++) a[c] *= w[c], s[c] = b[c] - s[c] * a[c];
        const bex_real *add = r ? r + (size_t)i * picture : NULL;
        for (int p = 0; p < d->P; p++) {
            const bex_real *in = x + p * C;
            bex_real *out = y + p * C;
            if (add && d->relu)
                for (int c = 0; c < C; c++) out[c] = positive(in[c] * a[c] + s[c] + add[p * C + c]);
            else if (d->relu)
                for (int c = 0; c < C; c++) out[c] = positive(in[c] * a[c] + s[c]);
            else if (add)
                for (int c = 0; c < C; c++) out[c] = in[c] * a[c] + s[c] + add[p * C + c];
            else
                for (int c = 0; c < C; c++) out[c] = in[c] * a[c] + s[c];
        }
    }
}

typedef struct {
    bex_real *m, *r;   // (C) mean and rstd of this picture
    bex_real *g1, *gn; // (C) sums over pixels of g and of g n
    bex_real *h1, *hn; // (C) means over the group of h and of h n
    bex_real *g;       // (C) of a pixel
} rows;

// g of one pixel: dy, where the activation let it through
static void through(bex_real *restrict g, const bex_real *dy, const bex_real *y,
                    const bex_groupnorm_dims *d) {
    if (d->relu)
        for (int c = 0; c < d->C; c++) g[c] = y[c] > R(0) ? dy[c] : R(0);
    else
        memcpy(g, dy, (size_t)d->C * sizeof *g);
}

// sums over the pixels of one picture; dr gets g
static void gather(const rows *s, const bex_real *dy, const bex_real *y, const bex_real *x,
                   bex_real *dr, int add, const bex_groupnorm_dims *d) {
    const int C = d->C;
    bex_real *restrict g1 = s->g1, *restrict gn = s->gn, *restrict g = s->g;
    const bex_real *restrict m = s->m, *restrict r = s->r;
    memset(g1, 0, (size_t)C * sizeof *g1);
    memset(gn, 0, (size_t)C * sizeof *gn);
    for (int p = 0; p < d->P; p++) {
        const bex_real *in = x + p * C;
        through(g, dy + p * C, y + p * C, d);
        for (int c = 0; c < C; c++) {
            g1[c] += g[c];
            gn[c] += g[c] * ((in[c] - m[c]) * r[c]);
        }
        if (!dr) continue;
        bex_real *restrict to = dr + p * C;
        if (add)
            for (int c = 0; c < C; c++) to[c] += g[c];
        else
            memcpy(to, g, (size_t)C * sizeof *to);
    }
}

// dx = rstd w g + a - b x, with a and b of the group
static void scatter(const rows *s, bex_real *dx, const bex_real *dy, const bex_real *y,
                    const bex_real *x, const bex_real *w, int add, const bex_groupnorm_dims *d) {
    const int C = d->C;
    bex_real *restrict g = s->g, *restrict f = s->g1, *restrict b = s->gn;
    const bex_real *restrict m = s->m, *restrict r = s->r, *restrict h1 = s->h1,
                             *restrict hn = s->hn;
    for (int c = 0; c < C; c++) f[c] = r[c] * w[c], b[c] = r[c] * r[c] * hn[c];
    for (int p = 0; p < d->P; p++) {
        const bex_real *in = x + p * C;
        bex_real *to = dx + p * C;
        through(g, dy + p * C, y + p * C, d);
        if (add)
            for (int c = 0; c < C; c++) to[c] += f[c] * g[c] - r[c] * h1[c] - (in[c] - m[c]) * b[c];
        else
            for (int c = 0; c < C; c++) to[c] = f[c] * g[c] - r[c] * h1[c] - (in[c] - m[c]) * b[c];
    }
}

void bex_groupnorm_bwd(bex_groupnorm_gradients g, const bex_real *dy, const bex_real *y,
                       const bex_real *x, const bex_real *mean, const bex_real *rstd,
                       const bex_real *w, const bex_groupnorm_dims *d, bex_real *scratch) {
    check(d);
    const int C = d->C, width = C / d->G;
    const size_t picture = (size_t)d->P * (size_t)C;
    rows s = {scratch,         scratch + C,     scratch + 2 * C, scratch + 3 * C,
              scratch + 4 * C, scratch + 5 * C, scratch + 6 * C};
    for (int i = 0; i < d->B; i++) {
        size_t at = (size_t)i * picture;
        for (int c = 0; c < C; c++) {
            s.m[c] = mean[i * d->G + c / width];
            s.r[c] = rstd[i * d->G + c / width];
        }
        gather(&s, dy + at, y + at, x + at, g.dr ? g.dr + at : NULL, g.add_dr, d);
        for (int c = 0; c < C && g.db; c++) g.db[c] += s.g1[c];
        for (int c = 0; c < C && g.dw; c++) g.dw[c] += s.gn[c];
        if (!g.dx) continue;
        for (int c = 0; c < C; c++) s.g1[c] *= w[c], s.gn[c] *= w[c];
        spread_means(s.h1, s.g1, d);
        spread_means(s.hn, s.gn, d);
        scatter(&s, g.dx + at, dy + at, y + at, x + at, w, g.add_dx, d);
    }
}
