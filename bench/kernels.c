/* bench/kernels.c - `bex bench kernels`: the hot kernels beside the machine's limit.
 *
 *   linear_fwd, _dx, _dw / N x K / M     GFLOP/s, beside bare dnnl_sgemm on the same pieces
 *   attention_fwd, _bwd / T x H x D      GFLOP/s, beside the best dnnl_sgemm rate of this run
 *   layernorm, gelu / M x C              GB/s read and written, beside memcpy of as many bytes
 *
 * Work is laid out as in training: rows are cut in LANES pieces and threads take pieces; both sides
 * run inside the same region, so oneDNN keeps to one thread a piece. Few rows (a control step) are one
 * piece on one thread. Pitfall: with one thread in the region oneDNN would start its own, hence
 * omp_set_num_threads in run_lanes(). */
#include "bench/bench.h"

#include "base/error.h"
#include "base/rng.h"
#include "host/json.h"
#include "kernel/attention.h"
#include "kernel/layernorm.h"
#include "kernel/linear.h"
#include "kernel/random.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(BEX_HAVE_DNNL) && !defined(BEX_F64)
#include <dnnl.h>
#define HAVE_SGEMM 1
#else
#define HAVE_SGEMM 0
#endif

enum { LANES = 8, THREADS = 2, FEW = 64, MOST_ROWS = 128 };

static const int ROUNDS = 15;
static const double LEAST = 0.01; // seconds a round: many short ones dodge other programs

// what was printed, for the rows that compare with PyTorch afterwards
typedef struct {
    bex_bench *out;
    double peak; // GFLOP/s, best of dnnl_sgemm
    struct {
        char name[48];
        double value;
    } row[MOST_ROWS];
    int rows;
} results;

static void add_row(results *r, const char *name, double value, const char *unit,
                    const char *reference, double reference_value) {
    bex_bench_row(r->out, name, value, unit, BEX_BENCH_RATE, reference, reference_value);
    BEX_CHECK(r->rows < MOST_ROWS, "more than %d rows", MOST_ROWS);
    snprintf(r->row[r->rows].name, sizeof r->row->name, "%s", name);
    r->row[r->rows++].value = value;
}

static bex_real *array(size_t n) {
    bex_real *p = aligned_alloc(64, (n * sizeof *p + 63) / 64 * 64);
    BEX_CHECK(p, "out of memory: %zu numbers", n);
    bex_rng g = bex_rng_seed(n);
    bex_random_uniform(p, n, R(-1), R(1), &g);
    return p;
}

// one problem, cut in pieces along its rows
typedef struct work work;
typedef void piece(const work *w, int lane, ptrdiff_t row, int rows);

struct work {
    int lanes, M, N, K; // M rows (samples for attention), widths
    piece *ours, *reference;
    bex_real *x, *W, *b, *y, *dz, *dW, *db; // dW, db: one for each lane
    bex_attention_dims attention;
    bex_layernorm_dims norm;
    bex_real *lse, *scratch, *mean, *rstd;
    size_t scratch_each;
    double copied; // the memcpy twin moves this many arrays of (M,N) in and out
};

static void run_piece(const work *w, piece *p, int lane) {
    ptrdiff_t from = (ptrdiff_t)w->M * lane / w->lanes,
              to = (ptrdiff_t)w->M * (lane + 1) / w->lanes;
    p(w, lane, from, (int)(to - from));
}

static void run_lanes(const work *w, piece *p) {
    if (w->lanes == 1) {
        omp_set_num_threads(1);
        run_piece(w, p, 0);
        omp_set_num_threads(THREADS);
        return;
    }
#pragma omp parallel for schedule(static, 1) num_threads(THREADS)
    for (int lane = 0; lane < w->lanes; lane++) run_piece(w, p, lane);
}

static void run_ours(void *w) {
    run_lanes(w, ((const work *)w)->ours);
}

static void run_reference(void *w) {
    run_lanes(w, ((const work *)w)->reference);
}

// seconds of ours and, where there is one, of the reference
static void measure(double seconds[2], work *w) {
    seconds[1] = 0;
    if (w->reference)
        bex_bench_pair(seconds, run_ours, run_reference, w, ROUNDS, LEAST);
    else
        seconds[0] = bex_bench_seconds(run_ours, w, ROUNDS, LEAST);
}

// linear: y (M,N) = x (M,K) W^T + b

static void linear_fwd(const work *w, int lane, ptrdiff_t row, int rows) {
    (void)lane;
    bex_linear_fwd(w->y + row * w->N, NULL, w->x + row * w->K, w->W, w->b, rows, w->N, w->K,
                   BEX_ACTIVATION_ID);
}

static void linear_gelu_fwd(const work *w, int lane, ptrdiff_t row, int rows) {
    (void)lane;
    bex_linear_fwd(w->y + row * w->N, w->dz + row * w->N, w->x + row * w->K, w->W, w->b, rows, w->N,
                   w->K, BEX_ACTIVATION_GELU);
}

static void linear_dx(const work *w, int lane, ptrdiff_t row, int rows) {
    (void)lane;
    bex_linear_bwd_x(w->x + row * w->K, w->dz + row * w->N, w->W, rows, w->N, w->K, 0);
}

static void linear_dw(const work *w, int lane, ptrdiff_t row, int rows) {
    ptrdiff_t l = lane;
    bex_linear_bwd_w(w->dW + l * w->N * w->K, w->db + l * w->N, w->dz + row * w->N,
                     w->x + row * w->K, rows, w->N, w->K, 1);
}

#if HAVE_SGEMM
static void sgemm_fwd(const work *w, int lane, ptrdiff_t row, int rows) {
    (void)lane;
    dnnl_sgemm('N', 'T', rows, w->N, w->K, 1, w->x + row * w->K, w->K, w->W, w->K, 0,
               w->y + row * w->N, w->N);
}

static void sgemm_dx(const work *w, int lane, ptrdiff_t row, int rows) {
    (void)lane;
    dnnl_sgemm('N', 'N', rows, w->K, w->N, 1, w->dz + row * w->N, w->N, w->W, w->K, 0,
               w->x + row * w->K, w->K);
}

static void sgemm_dw(const work *w, int lane, ptrdiff_t row, int rows) {
    dnnl_sgemm('T', 'N', w->N, w->K, rows, 1, w->dz + row * w->N, w->N, w->x + row * w->K, w->K, 1,
               w->dW + (ptrdiff_t)lane * w->N * w->K, w->K);
}
#else
#define sgemm_fwd NULL
#define sgemm_dx  NULL
#define sgemm_dw  NULL
#endif

static void linear_row(results *r, const char *kind, piece *ours, piece *reference, int M, int N,
                       int K) {
    int lanes = M < FEW ? 1 : LANES;
    size_t m = (size_t)M, n = (size_t)N, k = (size_t)K, l = (size_t)lanes;
    work w = {.lanes = lanes, .M = M, .N = N, .K = K, .ours = ours, .reference = reference};
    w.x = array(m * k), w.W = array(n * k), w.b = array(n), w.y = array(m * n);
    w.dz = array(m * n), w.dW = array(l * n * k), w.db = array(l * n);
    for (size_t i = 0; i < n * k; i++) w.W[i] *= R(2) / bex_sqrt((bex_real)K); // outputs near 1
    double seconds[2], flops = 2e-9 * M * N * K;
    measure(seconds, &w);
    double rate = flops / seconds[0], reference_rate = reference ? flops / seconds[1] : 0;
    if (reference_rate > r->peak) r->peak = reference_rate;
    char name[48];
    snprintf(name, sizeof name, "%s/%dx%d/M%d", kind, N, K, M);
    add_row(r, name, rate, "GFLOP/s", reference ? "dnnl_sgemm" : NULL, reference_rate);
    bex_real *all[] = {w.x, w.W, w.b, w.y, w.dz, w.dW, w.db};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void linear_rows(results *r) {
    static const struct {
        const char *kind;
        piece *ours, *reference;
    } kinds[] = {
        {"linear_fwd", linear_fwd, sgemm_fwd},
        {"linear_dx", linear_dx, sgemm_dx},
        {"linear_dw", linear_dw, sgemm_dw},
    };
    static const int Ms[] = {10, 520, 2560, 13312, 26112}, widths[] = {64, 128, 256, 512};
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 4; c++)
            for (int m = 0; m < 5; m++)
                linear_row(r, kinds[k].kind, kinds[k].ours, kinds[k].reference, Ms[m], widths[c],
                           widths[c]);
    linear_row(r, "linear_gelu_fwd", linear_gelu_fwd, sgemm_fwd, 26112, 256, 256);
}

// attention over packed (B,T,3C) projections; M is the number of samples

static void attention_fwd(const work *w, int lane, ptrdiff_t row, int rows) {
    bex_attention_dims d = w->attention;
    ptrdiff_t C = d.H * d.D, T = d.Tq;
    const bex_real *qkv = w->x + row * T * 3 * C;
    d.B = rows;
    bex_attention_fwd(w->y + row * T * C, w->lse + row * d.H * T, qkv, qkv + C, qkv + 2 * C, d,
                      w->scratch + (size_t)lane * w->scratch_each);
}

static void attention_bwd(const work *w, int lane, ptrdiff_t row, int rows) {
    bex_attention_dims d = w->attention;
    ptrdiff_t C = d.H * d.D, T = d.Tq;
    const bex_real *qkv = w->x + row * T * 3 * C;
    bex_real *dqkv = w->dW + row * T * 3 * C;
    d.B = rows;
    bex_attention_bwd(dqkv, dqkv + C, dqkv + 2 * C, w->dz + row * T * C, qkv, qkv + C, qkv + 2 * C,
                      w->y + row * T * C, w->lse + row * d.H * T, d,
                      w->scratch + (size_t)lane * w->scratch_each);
}

// flops counted: two products forward, four backward; the backward pass computes a fifth again
static void attention_rows(results *r, int T, int H, int D) {
    enum { SAMPLES = 256 };
    int C = H * D;
    size_t n = (size_t)SAMPLES * (size_t)(T * C);
    work w = {.lanes = LANES, .M = SAMPLES};
    w.attention = (bex_attention_dims){.B = SAMPLES,
                                       .Tq = T,
                                       .Tk = T,
                                       .H = H,
                                       .D = D,
                                       .q_stride = 3 * C,
                                       .k_stride = 3 * C,
                                       .v_stride = 3 * C,
                                       .o_stride = C};
    w.scratch_each = (bex_attention_scratch(w.attention) + 15) / 16 * 16;
    w.x = array(3 * n), w.y = array(n), w.dz = array(n), w.dW = array(3 * n);
    w.lse = array((size_t)(SAMPLES * H * T)), w.scratch = array(LANES * w.scratch_each);
    static const char *const names[] = {"attention_fwd", "attention_bwd"};
    piece *const ours[] = {attention_fwd, attention_bwd};
    for (int i = 0; i < 2; i++) {
        double seconds[2], flops = 4e-9 * T * T * D * H * SAMPLES * (i + 1);
        char name[48];
        w.ours = ours[i];
        measure(seconds, &w);
        snprintf(name, sizeof name, "%s/%dx%dx%d", names[i], T, H, D);
        add_row(r, name, flops / seconds[0], "GFLOP/s", r->peak > 0 ? "dnnl_sgemm peak" : NULL,
                r->peak);
    }
    bex_real *all[] = {w.x, w.y, w.dz, w.dW, w.lse, w.scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

// row-wise kernels on (M,N), bound by memory

enum { NORM_GROUP = 102 }; // rows that share scale and shift: the tokens of a sample

static void copy_twin(const work *w, int lane, ptrdiff_t row, int rows) {
    (void)lane;
    size_t n = (size_t)(w->copied * rows * w->N);
    ptrdiff_t from = (ptrdiff_t)(w->copied * (double)(row * w->N));
    memcpy(w->W + from, w->x + from, n * sizeof *w->x);
}

static void norm_fwd(const work *w, ptrdiff_t row, int rows, int modulated) {
    bex_layernorm_dims d = w->norm;
    ptrdiff_t group = row / d.T * d.C, at = row * d.C;
    d.M = rows;
    bex_layernorm_fwd(w->y + at, w->mean + row, w->rstd + row, w->x + at, w->b, w->b,
                      modulated ? w->dW + group : NULL, modulated ? w->dW + group : NULL, d);
}

static void norm_bwd(const work *w, int lane, ptrdiff_t row, int rows, int modulated) {
    bex_layernorm_dims d = w->norm;
    ptrdiff_t group = row / d.T * d.C, at = row * d.C, own = (ptrdiff_t)lane * 2 * d.C;
    d.M = rows;
    bex_layernorm_bwd(w->y + at, w->db + own, w->db + own + d.C, modulated ? w->dW + group : NULL,
                      modulated ? w->lse + group : NULL, w->dz + at, w->x + at, w->mean + row,
                      w->rstd + row, w->b, w->b, modulated ? w->W + group : NULL, d, 0,
                      w->scratch + own);
}

static void layernorm_fwd(const work *w, int lane, ptrdiff_t row, int rows) {
    (void)lane;
    norm_fwd(w, row, rows, 0);
}

static void layernorm_mod_fwd(const work *w, int lane, ptrdiff_t row, int rows) {
    (void)lane;
    norm_fwd(w, row, rows, 1);
}

static void layernorm_bwd(const work *w, int lane, ptrdiff_t row, int rows) {
    norm_bwd(w, lane, row, rows, 0);
}

static void layernorm_mod_bwd(const work *w, int lane, ptrdiff_t row, int rows) {
    norm_bwd(w, lane, row, rows, 1);
}

static void gelu_fwd(const work *w, int lane, ptrdiff_t row, int rows) {
    (void)lane;
    bex_activation_fwd(w->y + row * w->N, w->x + row * w->N, (size_t)(rows * w->N),
                       BEX_ACTIVATION_GELU);
}

static void gelu_bwd(const work *w, int lane, ptrdiff_t row, int rows) {
    (void)lane;
    bex_activation_bwd(w->y + row * w->N, w->dz + row * w->N, w->x + row * w->N,
                       (size_t)(rows * w->N), BEX_ACTIVATION_GELU, 0);
}

static void rowwise_rows(results *r, int M, int C) {
    static const struct {
        const char *name;
        piece *ours;
        int arrays; // of (M,C) read and written: x, y; or x, dy, dx
    } kinds[] = {
        {"layernorm_fwd", layernorm_fwd, 2},
        {"layernorm_bwd", layernorm_bwd, 3},
        {"layernorm_mod_fwd", layernorm_mod_fwd, 2},
        {"layernorm_mod_bwd", layernorm_mod_bwd, 3},
        {"gelu_fwd", gelu_fwd, 2},
        {"gelu_bwd", gelu_bwd, 3},
    };
    size_t n = (size_t)M * (size_t)C, c = (size_t)C, groups = (size_t)(M / NORM_GROUP) * c;
    work w = {.lanes = LANES, .M = M, .N = C, .reference = copy_twin};
    w.norm = (bex_layernorm_dims){.M = M, .C = C, .T = NORM_GROUP, .eps = R(1e-5)};
    // x and W hold the half array more that memcpy of three arrays' traffic needs
    w.x = array(n + n / 2), w.W = array(n + n / 2), w.y = array(n), w.dz = array(n), w.b = array(c);
    w.dW = array(groups), w.lse = array(groups), w.db = array(LANES * 2 * c);
    w.scratch = array(LANES * 2 * c), w.mean = array((size_t)M), w.rstd = array((size_t)M);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        double seconds[2], bytes = 1e-9 * kinds[i].arrays * (double)(n * sizeof *w.x);
        char name[48];
        w.ours = kinds[i].ours, w.copied = kinds[i].arrays / 2.0;
        measure(seconds, &w);
        snprintf(name, sizeof name, "%s/%dx%d", kinds[i].name, M, C);
        add_row(r, name, bytes / seconds[0], "GB/s", "memcpy", bytes / seconds[1]);
    }
    bex_real *all[] = {w.x, w.W, w.y, w.dz, w.b, w.dW, w.lse, w.db, w.scratch, w.mean, w.rstd};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

// the same shapes in PyTorch, where it is installed: name/torch
static void torch_rows(results *r) {
    json_t *peer = bex_bench_peer("bench/peer_kernels.py");
    if (!peer) {
        bex_error_clear();
        return;
    }
    for (int i = 0, rows = r->rows; i < rows; i++) {
        json_t *value = json_object_get(peer, r->row[i].name);
        if (!json_is_number(value)) continue;
        char name[64];
        snprintf(name, sizeof name, "%s/torch", r->row[i].name);
        add_row(r, name, r->row[i].value, "GFLOP/s", "torch", json_number_value(value));
    }
    json_decref(peer);
}

int bex_bench_kernels(bex_bench *b) {
    results r = {.out = b};
    linear_rows(&r);
    attention_rows(&r, 102, 8, 32);
    attention_rows(&r, 52, 1, 64);
    rowwise_rows(&r, 26112, 256);
    torch_rows(&r);
    return 0;
}
