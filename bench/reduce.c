/* bench/reduce.c - `mpirun -n R bex bench reduce`: what it costs R ranks to train as one.
 *
 *   ranks/meet                         us until all have heard of all: there are two in an update
 *   ranks/message                      us of 60 kB from one rank to the next
 *   reduce_full/antmaze-medium         ms to sum the gradients of all lanes in their order, beside sums
 *                                      within the ranks and MPI_Allreduce, which adds in its own order
 *   .../gradient                       MB that are summed
 *   .../step                           ms an update, beside one rank alone with as many threads
 *   .../share                          % of an update that the sum is
 *   .../alike                          ms of what every rank does for itself, and all do the same: AdamW, and
 *                                      packing the weights
 *
 * Best of several; rank 0's clock. While rank 0 measures alone the others nap. */
#include "bench/workload.h"

#include "agent/imitation/imitation.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/ranks.h"
#include "cli/options.h"
#include "run/mpi.h"
#include "run/train.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 30, LEAST_UPDATES = 3, MEETINGS = 100, MESSAGE = 15360, MESSAGES = 64 };
static const double LEAST_SECONDS = 2;

/* ---- the ways to meet ---- */

// many: one alone may find the others there already
static int meet(void *payload) {
    (void)payload;
    int code = 0;
    for (int i = 0; i < MEETINGS && !code; i++) code = bex_ranks_settle(0);
    return code;
}

static void pass(size_t first, size_t n, const bex_real *before, void *payload) {
    (void)first, (void)n, (void)before, (void)payload;
}

static int pass_on(void *payload) {
    return bex_ranks_fold(payload, (size_t)MESSAGE * MESSAGES, pass, NULL);
}

typedef struct {
    bex_lanes *spread, *here;
    bex_params *params;
} gradients;

static int sum_in_order(void *payload) {
    gradients *g = payload;
    return bex_lanes_reduce(g->spread, g->params);
}

static int update_alike(void *payload) {
    gradients *g = payload;
    const bex_adam adam = BEX_ADAMW_INIT;
    int threads = bex_lanes_threads(g->spread);
    bex_adam_step(g->params, &adam, 0, threads);
    bex_params_pack(g->params, threads);
    return 0;
}

static int sum_by_library(void *payload) {
    gradients *g = payload;
    bex_lanes_reduce(g->here, g->params);
    return bex_mpi_allreduce(g->params->grad, g->params->count);
}

// best seconds of things all ranks do, in turn, so that each sees the same machine; negative with a message
static int best_of(double *best, int (*const *work)(void *), int n, void *payload) {
    for (int i = 0; i < n * ROUNDS; i++) {
        if (bex_ranks_settle(0) < 0) return -1;
        double start = bex_seconds();
        if (work[i % n](payload) < 0) return -1;
        double seconds = bex_seconds() - start;
        if (i < n || seconds < best[i % n]) best[i % n] = seconds;
    }
    return 0;
}

static int ways_rows(bex_bench *b) {
    bex_real *data = calloc((size_t)MESSAGE * MESSAGES, sizeof *data);
    BEX_CHECK(data, "out of memory");
    double best[2];
    int code = best_of(best, (int (*[])(void *)){meet, pass_on}, 2, data);
    free(data);
    if (code < 0) return -1;
    bex_bench_row(b, "ranks/meet", 1e6 * best[0] / MEETINGS, "us", BEX_BENCH_TIME, NULL, 0);
    double messages = 2 * (MESSAGES + bex_ranks_count() - 2);
    bex_bench_row(b, "ranks/message", 1e6 * best[1] / messages, "us", BEX_BENCH_TIME, NULL, 0);
    return 0;
}

/* ---- updates ---- */

// best seconds of an update; rank 0 says when it is enough
static double update_seconds(bex_agent *a) {
    double best = 1e300, begin = 0;
    for (int i = 0;; i++) {
        bex_update u;
        double start = bex_seconds();
        if (a->class->update(a, i, &u) < 0) return -1;
        double now = bex_seconds();
        if (i == 0) begin = now; // warms up
        if (i > 0 && now - start < best) best = now - start;
        if (bex_ranks_first(i >= LEAST_UPDATES && now - begin > LEAST_SECONDS)) return best;
    }
}

// rank 0 as if there were no others
static double alone_seconds(const bex_workload *w, const bex_train_config *config) {
    const bex_ranks *ranks = bex_ranks_joined();
    double seconds = 0;
    if (bex_ranks_rank() == 0) {
        bex_ranks_join(NULL);
        bex_agent *a = bex_workload_agent(w, config);
        seconds = a ? update_seconds(a) : -1;
        if (a) a->class->free(a);
        bex_ranks_join(ranks);
    }
    return bex_ranks_settle(seconds < 0 ? -1 : 0) < 0 ? -1 : seconds;
}

static int gradient_rows(bex_bench *b, const char *name, bex_imitation *a, double update,
                         double alone) {
    char text[80];
    gradients g = {a->lanes, bex_lanes_new(bex_lanes_blocks(a->lanes), bex_lanes_threads(a->lanes)),
                   a->policy->params};
    bex_params_zero_grad(g.params); // sums of zeros stay zeros
    int (*work[])(void *) = {sum_in_order, sum_by_library, update_alike};
    double best[3];
    int code = best_of(best, work, 3, &g);
    bex_lanes_free(g.here);
    if (code < 0) return -1;
    bex_bench_row(b, name, 1e3 * best[0], "ms", BEX_BENCH_TIME, "MPI_Allreduce", 1e3 * best[1]);
    snprintf(text, sizeof text, "%s/gradient", name);
    bex_bench_row(b, text, 1e-6 * (double)(g.params->count * sizeof *g.params->grad), "MB",
                  BEX_BENCH_TIME, NULL, 0);
    snprintf(text, sizeof text, "%s/step", name);
    bex_bench_row(b, text, 1e3 * update, "ms", BEX_BENCH_TIME, "1 rank", 1e3 * alone);
    snprintf(text, sizeof text, "%s/share", name);
    bex_bench_row(b, text, 100 * best[0] / update, "%", BEX_BENCH_TIME, NULL, 0);
    snprintf(text, sizeof text, "%s/alike", name);
    bex_bench_row(b, text, 1e3 * best[2], "ms", BEX_BENCH_TIME, NULL, 0);
    return 0;
}

static int workload_rows(bex_bench *b, const bex_workload *w, const char *name) {
    bex_train_config config;
    if (bex_workload_config(w, &config) < 0 || bex_train_ranks(&config) < 0) return -1;
    double alone = alone_seconds(w, &config);
    if (alone < 0) return -1;
    bex_agent *a = bex_workload_agent(w, &config);
    int code = bex_ranks_settle(a ? 0 : -1);
    if (code == 0) {
        double update = update_seconds(a);
        code = update < 0 ? -1 : gradient_rows(b, name, (bex_imitation *)a, update, alone);
    }
    if (a) a->class->free(a);
    return code;
}

int bex_bench_reduce(bex_bench *b) {
    const bex_workload *w;
    int code = bex_mpi_start();
    if (code == 0 && bex_ranks_count() == 1)
        code = bex_fail("one process only (mpirun -n 2 bex bench reduce)");
    bool speaks = bex_ranks_rank() == 0;
    if (!speaks) bex_bench_mute(b);
    if (code == 0 && bex_bench_wants(b, "ranks")) code = ways_rows(b);
    for (int i = 0; !code && (w = bex_workload_at(i)); i++) {
        char name[48];
        snprintf(name, sizeof name, "reduce_%s/%s", w->kind, w->world);
        if (bex_bench_wants(b, name)) code = workload_rows(b, w, name);
    }
    if (code < 0 && speaks) fprintf(stderr, "bex bench reduce: %s\n", bex_error());
    bex_mpi_end();
    return code < 0 ? BEX_EXIT_FAILED : BEX_EXIT_OK;
}
