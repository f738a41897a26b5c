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
    int wave;          // lanes between two sums
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
    // sums over ranks begin with those of the rank before: ours wait for them, each in its block
    l->wave = l->here < lanes ? l->here : l->threads;
    l->arena = calloc((size_t)l->threads, sizeof *l->arena);
    l->result = calloc((size_t)lanes, sizeof *l->result);
    BEX_CHECK(l->arena && l->result, "out of memory");
    for (int i = 0; i < l->threads; i++)
        BEX_CHECK((l->arena[i] = bex_arena_new()), "%s", bex_error());
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

int bex_lanes_blocks(const bex_lanes *l) {
    return l->wave < l->here ? l->wave + 1 : l->here;
}

int bex_lanes_threads(const bex_lanes *l) {
    return l->threads;
}

typedef struct {
    bex_lanes *lanes;
    bex_rng rng;
    bex_lane_fn *work;
    void *payload;
    bex_params *params; // that learn, NULL for none
    int first, block;   // of a wave: its first lane, and that one's gradient block; others follow
} run_job;

static int run_lane(long i, int worker, void *payload) {
    const run_job *job = payload;
    bex_lanes *l = job->lanes;
    int lane = job->first + (int)i;
    bex_tape tape;
    bex_tape_init(&tape, l->arena[worker]);
    bex_tape_reset(&tape);
    tape.rng = bex_rng_split(job->rng, "lane", (uint64_t)lane);
    tape.block = job->params ? job->block + (int)i : -1;
    if (job->params) bex_params_begin(job->params, tape.block);
    int code = job->work(&tape, lane, job->payload, &l->result[lane]);
    if (code < 0) l->result[lane] = (double)NAN; // so the sum tells every rank
    if (job->params) bex_params_end(job->params, tape.block);
    return code;
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

// of the results of all ranks' lanes. `code`: what ours came to; negative with a message if a lane of any
// failed, or a
// rank is gone
static int sum_results(bex_lanes *l, int code, double *sum) {
    *sum = (double)NAN;
    if (l->here == l->lanes && code < 0) return code;
    if (l->here < l->lanes) {
        bex_failure own;
        bex_failure_take(&own);
        if (bex_ranks_gather(l->result, l->lanes, sizeof *l->result) < 0) return -1;
        if (code < 0) bex_failure_restore(&own);
    }
    *sum = 0;
    for (int i = 0; i < l->lanes; i++) *sum += l->result[i];
    return l->here == l->lanes || isfinite(*sum) ? 0 : bex_ranks_settle(code);
}

int bex_lanes_run(bex_lanes *l, bex_rng rng, bex_lane_fn *work, void *payload, double *sum) {
    run_job job = {l, rng, work, payload, NULL, l->first, 0};
    int code = bex_try_parallel(l->threads, l->here, run_lane, &job);
    even_out(l);
    return sum_results(l, code, sum);
}

/* ---- gradients ---- */

enum { PIECE = 16384 }; // reals: a piece of two blocks fits in L2

typedef struct {
    const bex_params *params;
    int blocks;
} sum_job;

// into the first block: the lanes before ours, if any, then ours
static void sum_blocks(size_t first, size_t n, const bex_real *before, void *payload) {
    const sum_job *job = payload;
    const bex_params *p = job->params;
    bex_real *sum = p->grad + first;
    for (size_t i = 0; before && i < n; i++) sum[i] += before[i]; // before + ours: the same bits
    for (int block = 1; block < job->blocks; block++) {
        const bex_real *g = p->grad + (size_t)block * p->count + first;
        for (size_t i = 0; i < n; i++) sum[i] += g[i];
    }
}

static void sum_piece(long k, void *payload) {
    const sum_job *job = payload;
    size_t first = (size_t)k * PIECE, left = job->params->count - first;
    sum_blocks(first, left < PIECE ? left : PIECE, NULL, payload);
}

static int sum_over_ranks(bex_params *p, int blocks) {
    return bex_ranks_fold(p->grad, p->count, sum_blocks, &(sum_job){p, blocks});
}

static void sum_here(const bex_lanes *l, const bex_params *p, int blocks) {
    bex_parallel(l->threads, (long)((p->count + PIECE - 1) / PIECE), sum_piece,
                 &(sum_job){p, blocks});
}

int bex_lanes_reduce(bex_lanes *l, bex_params *p) {
    if (l->here < l->lanes) return sum_over_ranks(p, p->blocks);
    sum_here(l, p, p->blocks);
    return 0;
}

int bex_lanes_learn(bex_lanes *l, bex_rng rng, bex_lane_fn *work, void *payload, bex_params *p,
                    double *loss) {
    run_job job = {.lanes = l, .rng = rng, .work = work, .payload = payload, .params = p};
    bool spread = l->here < l->lanes;
    int code = 0;
    BEX_CHECK(p->blocks >= bex_lanes_blocks(l), "%d gradient blocks for %d lanes", p->blocks,
              l->here);
    for (int done = 0, n; done < l->here && code == 0; done += n) {
        n = l->here - done < l->wave ? l->here - done : l->wave;
        job.first = l->first + done;
        job.block = done ? 1 : 0; // the first lane's own begins the sum
        code = bex_try_parallel(l->threads, n, run_lane, &job);
        if (!spread) sum_here(l, p, job.block + n);
    }
    even_out(l);
    if (sum_results(l, code, loss) < 0) return -1;
    return spread && isfinite(*loss) ? sum_over_ranks(p, l->here) : 0;
}

size_t bex_lanes_memory(const bex_lanes *l) {
    size_t bytes = 0;
    for (int i = 0; i < l->threads; i++) bytes += bex_arena_peak(l->arena[i]);
    return bytes;
}
