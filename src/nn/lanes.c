/* nn/lanes.c - lanes over threads, fixed-order reduction. */
#include "nn/lanes.h"

#include "base/error.h"
#include "base/parallel.h"

#include <stdlib.h>

struct bex_lanes {
    int lanes, threads;
    bex_arena **arena; // (threads) a lane needs none of its own once it is done
    double *result;    // (lanes)
};

bex_lanes *bex_lanes_new(int lanes, int threads) {
    BEX_CHECK(lanes > 0 && threads >= 0, "%d lanes, %d threads", lanes, threads);
    bex_lanes *l = calloc(1, sizeof *l);
    if (threads == 0) threads = bex_parallel_threads();
    BEX_CHECK(l, "out of memory");
    l->lanes = lanes;
    l->threads = threads < lanes ? threads : lanes;
    l->arena = calloc((size_t)l->threads, sizeof *l->arena);
    l->result = calloc((size_t)lanes, sizeof *l->result);
    BEX_CHECK(l->arena && l->result, "out of memory");
    for (int i = 0; i < l->threads; i++) l->arena[i] = bex_arena_new();
    return l;
}

void bex_lanes_free(bex_lanes *l) {
    if (!l) return;
    for (int i = 0; i < l->threads; i++) bex_arena_free(l->arena[i]);
    free(l->arena);
    free(l->result);
    free(l);
}

int bex_lanes_count(const bex_lanes *l) {
    return l->lanes;
}

int bex_lanes_threads(const bex_lanes *l) {
    return l->threads;
}

typedef struct {
    bex_lanes *lanes;
    bex_rng rng;
    bex_lane_fn *work;
    void *payload;
} run_job;

static void run_lane(long i, void *payload) {
    run_job *job = payload;
    int worker = bex_parallel_worker();
    bex_tape tape;
    BEX_CHECK(worker < job->lanes->threads, "lanes inside a parallel region");
    bex_tape_init(&tape, job->lanes->arena[worker]);
    bex_tape_reset(&tape);
    tape.lane = (int)i;
    tape.rng = bex_rng_split(job->rng, "lane", (uint64_t)i);
    job->lanes->result[i] = job->work(&tape, (int)i, job->payload);
}

// a thread that had no lane this time may have one next time: nothing is allocated then
static void even_out(bex_lanes *l) {
    size_t most = 0;
    for (int i = 0; i < l->threads; i++)
        if (bex_arena_peak(l->arena[i]) > most) most = bex_arena_peak(l->arena[i]);
    for (int i = 0; i < l->threads; i++)
        if (bex_arena_peak(l->arena[i]) == 0)
            BEX_CHECK(bex_arena_reserve(l->arena[i], most) == 0, "%s", bex_error());
}

double bex_lanes_run(bex_lanes *l, bex_rng rng, bex_lane_fn *work, void *payload) {
    run_job job = {l, rng, work, payload};
    bex_parallel(l->threads, l->lanes, run_lane, &job);
    even_out(l);
    double sum = 0;
    for (int i = 0; i < l->lanes; i++) sum += l->result[i];
    return sum;
}

enum { PIECE = 16384 }; // reals: a piece of two lanes fits in L2

static void reduce_piece(long k, void *payload) {
    bex_params *p = payload;
    size_t first = (size_t)k * PIECE, n = p->count - first < PIECE ? p->count - first : PIECE;
    bex_real *sum = p->grad + first;
    for (int lane = 1; lane < p->lanes; lane++) {
        const bex_real *g = p->grad + (size_t)lane * p->count + first;
        for (size_t i = 0; i < n; i++) sum[i] += g[i];
    }
}

void bex_lanes_reduce(bex_lanes *l, bex_params *p) {
    BEX_CHECK(p->lanes <= l->lanes, "%d gradient blocks, %d lanes", p->lanes, l->lanes);
    bex_parallel(l->threads, (long)((p->count + PIECE - 1) / PIECE), reduce_piece, p);
}

void bex_lane_slice(int n, int lanes, int lane, int *first, int *count) {
    int each = n / lanes, more = n % lanes;
    *first = lane * each + (lane < more ? lane : more);
    *count = each + (lane < more);
}

size_t bex_lanes_memory(const bex_lanes *l) {
    size_t bytes = 0;
    for (int i = 0; i < l->threads; i++) bytes += bex_arena_peak(l->arena[i]);
    return bytes;
}
