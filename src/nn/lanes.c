/* nn/lanes.c - lanes over threads and ranks, fixed-order reduction. */
#include "nn/lanes.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/ranks.h"

#include <math.h>
#include <stdlib.h>

struct bex_lanes {
    int lanes, threads;
    int first, here;   // lanes of this rank
    bex_arena **arena; // (threads) a lane needs none of its own once it is done
    double *result;    // (lanes)
};

// part `rank` of `ranks`
static bex_lanes *make(int lanes, int threads, int rank, int ranks) {
    BEX_CHECK(lanes >= ranks && threads >= 0, "%d lanes, %d threads, %d ranks", lanes, threads,
              ranks);
    bex_lanes *l = calloc(1, sizeof *l);
    if (threads == 0) threads = bex_parallel_threads();
    BEX_CHECK(l, "out of memory");
    l->lanes = lanes;
    bex_part(lanes, ranks, rank, &l->first, &l->here);
    l->threads = threads < l->here ? threads : l->here;
    l->arena = calloc((size_t)l->threads, sizeof *l->arena);
    l->result = calloc((size_t)lanes, sizeof *l->result);
    BEX_CHECK(l->arena && l->result, "out of memory");
    for (int i = 0; i < l->threads; i++) l->arena[i] = bex_arena_new();
    return l;
}

bex_lanes *bex_lanes_new(int lanes, int threads) {
    return make(lanes, threads, 0, 1);
}

bex_lanes *bex_lanes_spread(int lanes, int threads) {
    return make(lanes, threads, bex_ranks_rank(), bex_ranks_count());
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

int bex_lanes_here(const bex_lanes *l) {
    return l->here;
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
    int lane = job->lanes->first + (int)i;
    BEX_CHECK(worker < job->lanes->threads, "lanes inside a parallel region");
    bex_tape_init(&tape, job->lanes->arena[worker]);
    bex_tape_reset(&tape);
    tape.lane = (int)i;
    tape.rng = bex_rng_split(job->rng, "lane", (uint64_t)lane);
    job->lanes->result[lane] = job->work(&tape, lane, job->payload);
}

// a thread that had no lane, or a smaller one, may have the largest next time: nothing is allocated then
static void even_out(bex_lanes *l) {
    size_t most = 0;
    for (int i = 0; i < l->threads; i++)
        if (bex_arena_peak(l->arena[i]) > most) most = bex_arena_peak(l->arena[i]);
    for (int i = 0; i < l->threads; i++) {
        if (bex_arena_peak(l->arena[i]) == most) continue;
        bex_arena_reset(l->arena[i]);
        BEX_CHECK(bex_arena_reserve(l->arena[i], most) == 0, "%s", bex_error());
    }
}

double bex_lanes_run(bex_lanes *l, bex_rng rng, bex_lane_fn *work, void *payload) {
    run_job job = {l, rng, work, payload};
    bex_parallel(l->threads, l->here, run_lane, &job);
    even_out(l);
    if (l->here < l->lanes && bex_ranks_gather(l->result, l->lanes, sizeof *l->result) < 0)
        return (double)NAN;
    double sum = 0;
    for (int i = 0; i < l->lanes; i++) sum += l->result[i];
    return sum;
}

enum { PIECE = 16384 }; // reals: a piece of two lanes fits in L2

// into the first block: the lanes before ours, if any, then ours
static void sum_lanes(size_t first, size_t n, const bex_real *before, void *payload) {
    bex_params *p = payload;
    bex_real *sum = p->grad + first;
    for (size_t i = 0; before && i < n; i++) sum[i] += before[i]; // before + ours: the same bits
    for (int lane = 1; lane < p->lanes; lane++) {
        const bex_real *g = p->grad + (size_t)lane * p->count + first;
        for (size_t i = 0; i < n; i++) sum[i] += g[i];
    }
}

static void reduce_piece(long k, void *payload) {
    bex_params *p = payload;
    size_t first = (size_t)k * PIECE;
    sum_lanes(first, p->count - first < PIECE ? p->count - first : PIECE, NULL, p);
}

int bex_lanes_reduce(bex_lanes *l, bex_params *p) {
    BEX_CHECK(p->lanes <= l->here, "%d gradient blocks, %d lanes", p->lanes, l->here);
    if (l->here < l->lanes) return bex_ranks_fold(p->grad, p->count, sum_lanes, p);
    bex_parallel(l->threads, (long)((p->count + PIECE - 1) / PIECE), reduce_piece, p);
    return 0;
}

void bex_lane_slice(int n, int lanes, int lane, int *first, int *count) {
    bex_part(n, lanes, lane, first, count);
}

size_t bex_lanes_memory(const bex_lanes *l) {
    size_t bytes = 0;
    for (int i = 0; i < l->threads; i++) bytes += bex_arena_peak(l->arena[i]);
    return bytes;
}
