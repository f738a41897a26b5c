/* kernel/ref/ref_layernorm.c - two passes in double: what kernel/layernorm.c is held against. */
#include "kernel/ref/ref_layernorm.h"

static void moments(const bex_real *x, int C, double eps, double *mean, double *rstd) {
    double m = 0, v = 0;
    for (int j = 0; j < C; j++) m += (double)x[j] / C;
    for (int j = 0; j < C; j++) v += ((double)x[j] - m) * ((double)x[j] - m) / C;
    *mean = m;
    *rstd = 1 / sqrt(v + eps);
}

static double at(const bex_real *v, ptrdiff_t i, double otherwise) {
    return v ? (double)v[i] : otherwise;
}

void bex_ref_layernorm_fwd(bex_real *y, const bex_real *x, const bex_real *w, const bex_real *b,
                           const bex_real *scale, const bex_real *shift, bex_layernorm_dims d) {
    for (ptrdiff_t i = 0; i < d.M; i++) {
        double m, r;
        moments(x + i * d.C, d.C, (double)d.eps, &m, &r);
        for (int j = 0; j < d.C; j++) {
            ptrdiff_t k = scale ? i / d.T * d.C + j : 0;
            double u = ((double)x[i * d.C + j] - m) * r * at(w, j, 1) + at(b, j, 0);
            y[i * d.C + j] = (bex_real)(u * at(scale, k, 1) + at(shift, k, 0));
        }
    }
}

void bex_ref_layernorm_bwd(bex_real *dx, bex_real *dw, bex_real *db, bex_real *dscale,
                           bex_real *dshift, const bex_real *dy, const bex_real *x,
                           const bex_real *w, const bex_real *b, const bex_real *scale,
                           bex_layernorm_dims d) {
    for (ptrdiff_t i = 0; i < d.M; i++) {
        const bex_real *row = x + i * d.C, *grad = dy + i * d.C;
        double m, r, mg = 0, mgn = 0;
        moments(row, d.C, (double)d.eps, &m, &r);
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < d.C; j++) {
                ptrdiff_t k = scale ? i / d.T * d.C + j : 0;
                double n = ((double)row[j] - m) * r, du = (double)grad[j] * at(scale, k, 1);
                double g = du * at(w, j, 1);
                if (pass) {
                    if (dx) dx[i * d.C + j] = (bex_real)(r * (g - mg - n * mgn));
                    continue;
                }
                mg += g / d.C, mgn += g * n / d.C;
                double u = n * at(w, j, 1) + at(b, j, 0);
                if (dscale) dscale[k] += (bex_real)((double)grad[j] * u);
                if (dshift) dshift[k] += grad[j];
                if (dw) dw[j] += (bex_real)(du * n);
                if (db) db[j] += (bex_real)du;
            }
    }
}
