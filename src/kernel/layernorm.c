/* kernel/layernorm.c - each row is read into L1 once and reduced with the fixed-order sums.
 *
 * With g = dy scale w (the gradient of n):  dx = rstd (g - mean(g) - n mean(g n)). */
#include "kernel/layernorm.h"

#include "base/error.h"
#include "kernel/reduce.h"

#include <string.h>

static void check(bex_layernorm_dims d, const bex_real *scale) {
    BEX_CHECK(d.C > 0 && (!scale || (d.T > 0 && d.M % d.T == 0)), "layer norm of (%d,%d), T %d",
              d.M, d.C, d.T);
}

void bex_layernorm_fwd(bex_real *y, bex_real *mean, bex_real *rstd, const bex_real *x,
                       const bex_real *w, const bex_real *b, const bex_real *scale,
                       const bex_real *shift, bex_layernorm_dims d) {
    check(d, scale);
    size_t C = (size_t)d.C;
    for (int i = 0; i < d.M; i++, x += C, y += C) {
        bex_real m = bex_sum(x, C) / (bex_real)d.C;
        bex_real r = R(1) / bex_sqrt(bex_sum_squares(x, m, C) / (bex_real)d.C + d.eps);
        if (mean) mean[i] = m, rstd[i] = r;
        const bex_real *a = scale ? scale + (size_t)(i / d.T) * C : NULL;
        const bex_real *s = scale ? shift + (size_t)(i / d.T) * C : NULL;
        if (w && scale)
            for (size_t j = 0; j < C; j++) y[j] = ((x[j] - m) * r * w[j] + b[j]) * a[j] + s[j];
        else if (w)
            for (size_t j = 0; j < C; j++) y[j] = (x[j] - m) * r * w[j] + b[j];
        else if (scale)
            for (size_t j = 0; j < C; j++) y[j] = (x[j] - m) * r * a[j] + s[j];
        else
            for (size_t j = 0; j < C; j++) y[j] = (x[j] - m) * r;
    }
}

void bex_layernorm_bwd(bex_real *dx, bex_real *dw, bex_real *db, bex_real *dscale, bex_real *dshift,
                       const bex_real *dy, const bex_real *x, const bex_real *mean,
                       const bex_real *rstd, const bex_real *w, const bex_real *b,
                       const bex_real *scale, bex_layernorm_dims d, int add_dx, bex_real *scratch) {
    check(d, scale);
    size_t C = (size_t)d.C;
    bex_real *restrict n = scratch, *restrict g = scratch + C;
    for (int i = 0; i < d.M; i++, x += C, dy += C) {
        bex_real m = mean[i], r = rstd[i];
        const bex_real *a = scale ? scale + (size_t)(i / d.T) * C : NULL;
        for (size_t j = 0; j < C; j++) n[j] = (x[j] - m) * r;
        // through the modulation: g becomes the gradient of u
        if (scale) {
            bex_real *da = dscale ? dscale + (size_t)(i / d.T) * C : NULL;
            bex_real *ds = dshift ? dshift + (size_t)(i / d.T) * C : NULL;
            for (size_t j = 0; j < C; j++) g[j] = dy[j] * a[j];
            if (da && w)
                for (size_t j = 0; j < C; j++) da[j] += dy[j] * (n[j] * w[j] + b[j]);
            else if (da)
                for (size_t j = 0; j < C; j++) da[j] += dy[j] * n[j];
            if (ds)
                for (size_t j = 0; j < C; j++) ds[j] += dy[j];
        } else {
            memcpy(g, dy, C * sizeof *g);
        }
        // through the affine map: g becomes the gradient of n
        if (dw)
            for (size_t j = 0; j < C; j++) dw[j] += g[j] * n[j];
        if (db)
            for (size_t j = 0; j < C; j++) db[j] += g[j];
        if (!dx) continue;
        if (w)
            for (size_t j = 0; j < C; j++) g[j] *= w[j];
        bex_real mg = bex_sum(g, C) / (bex_real)d.C, mgn = bex_dot(g, n, C) / (bex_real)d.C;
        bex_real *out = dx + (size_t)i * C;
        if (add_dx)
            for (size_t j = 0; j < C; j++) out[j] += r * (g[j] - mg - n[j] * mgn);
        else
            for (size_t j = 0; j < C; j++) out[j] = r * (g[j] - mg - n[j] * mgn);
    }
}
