/* bench/peak.c - what dnnl_sgemm reaches on this machine, now: the yardstick of `bex bench train`. */
#include "bench/bench.h"

#include "base/error.h"
#include "base/real.h"

#if defined(BEX_HAVE_DNNL) && !defined(BEX_F64)
#include <dnnl.h>
#include <omp.h>
#include <stdlib.h>

enum { LANES = 8, ROWS = 800, MOST = 512 }; // a lane's rows, the largest width

typedef struct {
    int width, threads;
    float *x, *W, *y; // (LANES,ROWS,width), (width,width), (LANES,ROWS,width)
} work;

static void products(void *payload) {
    const work *w = payload;
    omp_set_num_threads(w->threads); // of one thread, oneDNN would start its own in a plain region
#pragma omp parallel for schedule(static, 1) num_threads(w->threads)
    for (int lane = 0; lane < LANES; lane++) {
        ptrdiff_t at = (ptrdiff_t)lane * ROWS * w->width;
        dnnl_sgemm('N', 'T', ROWS, w->width, w->width, 1, w->x + at, w->width, w->W, w->width, 0,
                   w->y + at, w->width);
    }
}

double bex_bench_peak(int threads) {
    static const int widths[] = {128, 256, 512};
    size_t n = (size_t)LANES * ROWS * MOST;
    double peak = 0;
    int before = omp_get_max_threads();
    work w = {.threads = threads < LANES ? threads : LANES,
              .x = calloc(n, sizeof *w.x),
              .W = calloc((size_t)MOST * MOST, sizeof *w.W),
              .y = calloc(n, sizeof *w.y)};
    BEX_CHECK(w.x && w.W && w.y, "out of memory");
    for (size_t i = 0; i < n; i++) w.x[i] = (float)(i % 7) - 3;
    for (size_t i = 0; i < (size_t)MOST * MOST; i++) w.W[i] = (float)(i % 5) - 2;
    for (int i = 0; i < 3; i++) {
        w.width = widths[i];
        double flops = 2e-9 * LANES * ROWS * w.width * w.width;
        double rate = flops / bex_bench_seconds(products, &w, 5, 0.05);
        if (rate > peak) peak = rate;
    }
    omp_set_num_threads(before);
    free(w.x), free(w.W), free(w.y);
    return peak;
}
#else
double bex_bench_peak(int threads) {
    (void)threads;
    return 0;
}
#endif
