/* nn/init.c - draws are in double from the scalar generator: the same values in float and double. */
#include "nn/init.h"

#include "base/error.h"
#include "nn/tensor.h"

#include <math.h>

static void uniform(bex_real *x, size_t n, double bound, bex_rng *g) {
    for (size_t i = 0; i < n; i++) x[i] = (bex_real)(bound * (2 * bex_rng_uniform(g) - 1));
}

// normal, drawn again beyond two deviations; that leaves 0.8796 of the deviation
static void truncated(bex_real *x, size_t n, double deviation, bex_rng *g) {
    for (size_t i = 0; i < n; i++) {
        double z = bex_rng_normal(g);
        while (fabs(z) > 2) z = bex_rng_normal(g);
        x[i] = (bex_real)(deviation * z);
    }
}

// modified Gram-Schmidt, twice, on the fewer of rows and columns of a normal matrix (rows, columns)
static void orthogonal(bex_real *x, int rows, int columns, double gain, bex_rng *g) {
    int few = rows < columns ? rows : columns, many = rows < columns ? columns : rows;
    ptrdiff_t vector = rows < columns ? columns : 1, element = rows < columns ? 1 : columns;
    for (size_t i = 0; i < (size_t)rows * (size_t)columns; i++) x[i] = (bex_real)bex_rng_normal(g);
    for (int a = 0; a < few; a++) {
        bex_real *u = x + a * vector;
        for (int pass = 0; pass < 2; pass++)
            for (int b = 0; b < a; b++) {
                const bex_real *w = x + b * vector;
                double dot = 0;
                for (int k = 0; k < many; k++)
                    dot += (double)u[k * element] * (double)w[k * element];
                for (int k = 0; k < many; k++)
                    u[k * element] =
                        (bex_real)((double)u[k * element] - dot * (double)w[k * element]);
            }
        double norm = 0;
        for (int k = 0; k < many; k++) norm += (double)u[k * element] * (double)u[k * element];
        norm = 1 / sqrt(norm);
        for (int k = 0; k < many; k++) u[k * element] = (bex_real)((double)u[k * element] * norm);
    }
    for (size_t i = 0; i < (size_t)rows * (size_t)columns; i++)
        x[i] = (bex_real)(gain * (double)x[i]);
}

void bex_init_fill(bex_real *x, bex_init init, int rank, const int *dim, bex_rng g) {
    size_t n = bex_numel(rank, dim);
    int in = rank ? dim[rank - 1] : 1, out = rank > 1 ? dim[rank - 2] : 1;
    switch (init.kind) {
    case BEX_INIT_KIND_ZERO:
    case BEX_INIT_KIND_ONE:
        for (size_t i = 0; i < n; i++) x[i] = init.kind == BEX_INIT_KIND_ONE ? R(1) : R(0);
        return;
    case BEX_INIT_KIND_NORMAL:
        for (size_t i = 0; i < n; i++) x[i] = (bex_real)bex_rng_normal(&g);
        return;
    case BEX_INIT_KIND_XAVIER:
        uniform(x, n, sqrt(6.0 * init.x / (in + out)), &g);
        return;
    case BEX_INIT_KIND_LECUN:
        truncated(x, n, sqrt(1.0 / in) / 0.87962566103423978, &g);
        return;
    case BEX_INIT_KIND_UNIFORM:
        BEX_CHECK(init.x > 0, "uniform init with fan-in %g", init.x);
        uniform(x, n, 1 / sqrt(init.x), &g);
        return;
    case BEX_INIT_KIND_KAIMING:
        BEX_CHECK(init.x > 0, "kaiming init with fan-out %g", init.x);
        for (size_t i = 0; i < n; i++) x[i] = (bex_real)(sqrt(2 / init.x) * bex_rng_normal(&g));
        return;
    case BEX_INIT_KIND_ORTHOGONAL: {
        size_t matrix = (size_t)in * (size_t)out;
        BEX_CHECK(rank >= 2 && matrix > 0, "orthogonal init of %s", bex_shape_text(rank, dim));
        for (size_t i = 0; i < n; i += matrix) orthogonal(x + i, out, in, init.x, &g);
        return;
    }
    }
    BEX_CHECK(0, "init kind %d", (int)init.kind);
}
