/* kernel/ref/ref_groupnorm.c - one group of one picture at a time, in double. */
#include "kernel/ref/ref_groupnorm.h"

typedef struct {
    ptrdiff_t first; // element of the group's first channel in the picture's first pixel
    int width, channel;
    double mean, rstd;
} group;

#define EACH(g, d)                                                                                 \
    for (int p = 0; p < (d)->P; p++)                                                               \
        for (int c = 0; c < (g).width; c++)

static ptrdiff_t at(const group *g, const bex_groupnorm_dims *d, int p, int c) {
    return g->first + (ptrdiff_t)p * d->C + c;
}

static group group_of(const bex_real *x, const bex_groupnorm_dims *d, int picture, int number) {
    group g = {.width = d->C / d->G};
    g.channel = number * g.width;
    g.first = (ptrdiff_t)picture * d->P * d->C + g.channel;
    double n = (double)d->P * g.width, var = 0;
    EACH(g, d) g.mean += (double)x[at(&g, d, p, c)] / n;
    EACH(g, d) {
        double e = (double)x[at(&g, d, p, c)] - g.mean;
        var += e * e / n;
    }
    g.rstd = 1 / sqrt(var + (double)d->eps);
    return g;
}

void bex_ref_groupnorm_fwd(bex_real *y, const bex_real *x, const bex_real *w, const bex_real *b,
                           const bex_real *r, const bex_groupnorm_dims *d) {
    for (int i = 0; i < d->B * d->G; i++) {
        group g = group_of(x, d, i / d->G, i % d->G);
        EACH(g, d) {
            ptrdiff_t k = at(&g, d, p, c);
            double v = ((double)x[k] - g.mean) * g.rstd * (double)w[g.channel + c];
            v += (double)b[g.channel + c] + (r ? (double)r[k] : 0);
            y[k] = (bex_real)(d->relu && v < 0 ? 0 : v);
        }
    }
}

void bex_ref_groupnorm_bwd(bex_groupnorm_gradients to, const bex_real *dy, const bex_real *y,
                           const bex_real *x, const bex_real *w, const bex_groupnorm_dims *d) {
    for (int i = 0; i < d->B * d->G; i++) {
        group g = group_of(x, d, i / d->G, i % d->G);
        double n = (double)d->P * g.width, h1 = 0, hn = 0;
        for (int pass = 0; pass < 2; pass++) EACH(g, d) {
                ptrdiff_t k = at(&g, d, p, c);
                double up = d->relu && !(y[k] > 0) ? 0 : (double)dy[k];
                double norm = ((double)x[k] - g.mean) * g.rstd, h = up * (double)w[g.channel + c];
                if (pass) {
                    to.dx[k] = (bex_real)(g.rstd * (h - h1 - norm * hn));
                    continue;
                }
                h1 += h / n, hn += h * norm / n;
                to.dr[k] = (bex_real)up;
                to.db[g.channel + c] += (bex_real)up;
                to.dw[g.channel + c] += (bex_real)(up * norm);
            }
    }
}
