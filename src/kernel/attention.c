/* kernel/attention.c - one head at a time, its keys and values packed once, blocks of queries.
 *
 * forward    S = Q K^T,  P = exp(S/sqrt(D) - m),  O = P V / sum(P)
 * backward   P = exp(S/sqrt(D) - lse) again,  dP = dO V^T,  dS = P (dP - delta) / sqrt(D)
 *            with delta = sum(dO O) per query,  dQ = dS K,  dV += P^T dO,  dK += dS^T Q
 *
 * Scores of a block of queries are made, weighted and used while they are in cache: forward in L1,
 * beside the panels of K^T and V (102 keys of 32 numbers: 14 KiB each). They are as wide as whole
 * panels: no tails anywhere. A head's rows are a line or two of every stride, which no hardware
 * foresees: the next head's are asked for while this one is worked on. The backward pass costs five
 * products for the forward's two; recomputing P is the price of never storing it. Plain twin:
 * kernel/ref/ref_attention.c. */
#include "kernel/attention.h"

#include "base/error.h"
#include "kernel/gemm.h"
#include "kernel/reduce.h"
#include "kernel/softmax.h"
#include "kernel/vmath.h"

enum {
    QUERIES = 6, // of a block, forward: gemm's tile height
    BLOCK = 108, // of a block, backward: P and dS are 48 KiB each at 102 keys, L2
    PANEL = BEX_GEMM_PANEL,
    LINE = 64 / (int)sizeof(bex_real)
};

static int least(int a, int b) {
    return a < b ? a : b;
}

static int padded(int n) {
    return (n + PANEL - 1) / PANEL * PANEL;
}

static void check(bex_attention_dims d) {
    int C = d.H * d.D;
    BEX_CHECK(d.B >= 0 && d.Tq > 0 && d.Tk > 0 && d.H > 0 && d.D > 0 && d.q_stride >= C &&
                  d.k_stride >= C && d.v_stride >= C && d.o_stride >= C,
              "attention B %d Tq %d Tk %d H %d D %d, strides %d %d %d %d", d.B, d.Tq, d.Tk, d.H,
              d.D, d.q_stride, d.k_stride, d.v_stride, d.o_stride);
}

static bex_real scale_of(int D) {
    return R(1) / bex_sqrt((bex_real)D);
}

// where the parts of a head lie in scratch; every size is a multiple of a panel's width
typedef struct {
    bex_real *kt, *vt;  // K^T, V^T: panels of keys, (D,padded Tk)
    bex_real *k, *v;    // panels of D, (Tk,padded D); one place, for the one that is needed
    bex_real *q, *dout; // panels of D, (block,padded D)
    bex_real *p, *ds;   // (block,padded Tk)
    ptrdiff_t end;
} room;

static room room_of(bex_attention_dims d, bex_real *scratch) {
    ptrdiff_t keys = (ptrdiff_t)padded(d.Tk), wide = padded(d.D), block = least(d.Tq, BLOCK);
    room r = {.kt = scratch};
    r.vt = r.kt + keys * d.D;
    r.k = r.v = r.vt + keys * d.D;
    r.q = r.k + d.Tk * wide;
    r.dout = r.q + block * wide;
    r.p = r.dout + block * wide;
    r.ds = r.p + block * keys;
    r.end = r.ds + block * keys - scratch;
    return r;
}

size_t bex_attention_scratch(bex_attention_dims d) {
    return (size_t)room_of(d, NULL).end;
}

// one head of one sample, or of all to begin with; what a pass does not use is NULL
typedef struct {
    const bex_real *q, *k, *v, *dout;
    bex_real *o, *lse, *dq, *dk, *dv;
} head;

// head n, counted over samples
static head head_at(const head *all, bex_attention_dims d, int n) {
    ptrdiff_t b = n / d.H, at = n % d.H * d.D, iq = b * d.Tq * d.q_stride + at,
              ik = b * d.Tk * d.k_stride + at, iv = b * d.Tk * d.v_stride + at,
              io = b * d.Tq * d.o_stride + at;
    head h = {.q = all->q + iq, .k = all->k + ik, .v = all->v + iv, .o = all->o + io};
    if (all->lse) h.lse = all->lse + (ptrdiff_t)n * d.Tq;
    if (all->dout)
        h.dout = all->dout + io, h.dq = all->dq + iq, h.dk = all->dk + ik, h.dv = all->dv + iv;
    return h;
}

// gcc thinks that a function which only prefetches does nothing, and drops calls of it
#define ALWAYS static inline __attribute__((always_inline))

// lines of rows from .. to - 1, into L2: in L1 they would be in the way
ALWAYS void fetch(const bex_real *x, ptrdiff_t stride, int from, int to, int D) {
    for (int i = from; i < to; i++)
        for (int j = 0; j < D; j += LINE) __builtin_prefetch(x + i * stride + j, 0, 2);
}

ALWAYS void fetch_to_write(const bex_real *x, ptrdiff_t stride, int from, int to, int D) {
    for (int i = from; i < to; i++)
        for (int j = 0; j < D; j += LINE) __builtin_prefetch(x + i * stride + j, 1, 2);
}

// queries from .. to - 1 of a head and as large a part of its keys and values; this head's outputs
ALWAYS void fetch_part(const head *next, const head *now, bex_attention_dims d, int from, int to) {
    int k0 = (int)((long long)from * d.Tk / d.Tq), k1 = (int)((long long)to * d.Tk / d.Tq);
    fetch(next->q, d.q_stride, from, to, d.D);
    fetch(next->k, d.k_stride, k0, k1, d.D);
    fetch(next->v, d.v_stride, k0, k1, d.D);
    if (!next->dout) {
        fetch_to_write(now->o, d.o_stride, from, to, d.D);
        return;
    }
    fetch(next->o, d.o_stride, from, to, d.D);
    fetch(next->dout, d.o_stride, from, to, d.D);
    fetch_to_write(now->dq, d.q_stride, from, to, d.D);
    fetch_to_write(now->dk, d.k_stride, k0, k1, d.D);
    fetch_to_write(now->dv, d.v_stride, k0, k1, d.D);
}

// c (rows,n) = a (rows,k) times the panels of b (k,n)
static void times(bex_real *c, int ldc, const bex_real *a, int lda, const bex_real *b, int rows,
                  int n, int k, int flags) {
    for (int j = 0; j < n; j += PANEL)
        bex_gemm_panel(c + j, ldc, a, lda, b + (ptrdiff_t)j * k, rows, least(PANEL, n - j), k,
                       flags);
}

// a column without a key gets -inf, whose weight is 0
static void pad(bex_real *s, int rows, int Tk) {
    int ld = padded(Tk), first = ld - PANEL;
    if (ld == Tk) return;
    bex_real edge[PANEL];
    for (int j = 0; j < PANEL; j++) edge[j] = first + j < Tk ? R(0) : -(bex_real)HUGE_VAL;
    for (ptrdiff_t i = 0; i < rows; i++)
        for (int j = 0; j < PANEL; j++) s[i * ld + first + j] += edge[j];
}

static void head_fwd(const head *h, const head *next, bex_attention_dims d, bex_real *scratch) {
    room r = room_of(d, scratch);
    bex_real scale = scale_of(d.D);
    int ld = padded(d.Tk);
    bex_gemm_pack(r.kt, h->k, d.k_stride, d.Tk, d.D, BEX_GEMM_TB);
    bex_gemm_pack(r.v, h->v, d.v_stride, d.D, d.Tk, 0);
    for (int t = 0; t < d.Tq; t += QUERIES) {
        int rows = least(QUERIES, d.Tq - t);
        bex_real *o = h->o + (ptrdiff_t)t * d.o_stride, top[QUERIES], total[QUERIES];
        fetch_part(next, h, d, t, t + rows);
        times(r.p, ld, h->q + (ptrdiff_t)t * d.q_stride, d.q_stride, r.kt, rows, ld, d.D, 0);
        pad(r.p, rows, d.Tk);
        bex_softmax_rows(r.p, rows, ld, scale, top, total);
        times(o, d.o_stride, r.p, ld, r.v, rows, d.D, d.Tk, 0);
        // normalise D outputs, not Tk weights
        for (int i = 0; i < rows; i++) {
            bex_real f = R(1) / total[i], *y = o + (ptrdiff_t)i * d.o_stride;
            for (int j = 0; j < d.D; j++) y[j] *= f;
        }
        for (int i = 0; i < rows && h->lse; i++) h->lse[t + i] = top[i] + bex_log(total[i]);
    }
}

// scores and gradients of weights of one query -> weights and gradients of scores
static void weigh(bex_real *restrict p, bex_real *restrict ds, int n, bex_real scale, bex_real lse,
                  bex_real delta) {
    for (int j = 0; j < n; j++) {
        p[j] = bex_exp_low(scale * p[j] - lse);
        ds[j] = scale * p[j] * (ds[j] - delta);
    }
}

// queries from .. from + rows - 1
static void block_bwd(const head *h, const head *next, bex_attention_dims d, const room *r,
                      int from, int rows) {
    bex_real scale = scale_of(d.D);
    int ld = padded(d.Tk), flags = BEX_GEMM_TA | (from ? BEX_GEMM_ADD : 0);
    const bex_real *q = h->q + (ptrdiff_t)from * d.q_stride,
                   *o = h->o + (ptrdiff_t)from * d.o_stride,
                   *dout = h->dout + (ptrdiff_t)from * d.o_stride;
    times(r->p, ld, q, d.q_stride, r->kt, rows, ld, d.D, 0);
    times(r->ds, ld, dout, d.o_stride, r->vt, rows, ld, d.D, 0);
    for (int i = 0; i < rows; i++) {
        ptrdiff_t row = (ptrdiff_t)i * d.o_stride, is = (ptrdiff_t)i * ld;
        fetch_part(next, h, d, from + i, from + i + 1);
        weigh(r->p + is, r->ds + is, ld, scale, h->lse[from + i],
              bex_dot(dout + row, o + row, (size_t)d.D));
    }
    times(h->dq + (ptrdiff_t)from * d.q_stride, d.q_stride, r->ds, ld, r->k, rows, d.D, d.Tk, 0);
    bex_gemm_pack(r->q, q, d.q_stride, d.D, rows, 0);
    bex_gemm_pack(r->dout, dout, d.o_stride, d.D, rows, 0);
    times(h->dv, d.v_stride, r->p, ld, r->dout, d.Tk, d.D, rows, flags);
    times(h->dk, d.k_stride, r->ds, ld, r->q, d.Tk, d.D, rows, flags);
}

static void head_bwd(const head *h, const head *next, bex_attention_dims d, bex_real *scratch) {
    room r = room_of(d, scratch);
    bex_gemm_pack(r.kt, h->k, d.k_stride, d.Tk, d.D, BEX_GEMM_TB);
    bex_gemm_pack(r.vt, h->v, d.v_stride, d.Tk, d.D, BEX_GEMM_TB);
    bex_gemm_pack(r.k, h->k, d.k_stride, d.D, d.Tk, 0);
    for (int t = 0; t < d.Tq; t += BLOCK) block_bwd(h, next, d, &r, t, least(BLOCK, d.Tq - t));
}

static void each_head(const head *all, bex_attention_dims d, bex_real *scratch,
                      void (*pass)(const head *, const head *, bex_attention_dims, bex_real *)) {
    check(d);
    for (int n = 0, heads = d.B * d.H; n < heads; n++) {
        head now = head_at(all, d, n), next = head_at(all, d, n + 1 < heads ? n + 1 : n);
        pass(&now, &next, d, scratch);
    }
}

void bex_attention_fwd(bex_real *o, bex_real *lse, const bex_real *q, const bex_real *k,
                       const bex_real *v, bex_attention_dims d, bex_real *scratch) {
    head all = {.q = q, .k = k, .v = v, .o = o, .lse = lse};
    each_head(&all, d, scratch, head_fwd);
}

void bex_attention_bwd(bex_real *dq, bex_real *dk, bex_real *dv, const bex_real *do_,
                       const bex_real *q, const bex_real *k, const bex_real *v, const bex_real *o,
                       const bex_real *lse, bex_attention_dims d, bex_real *scratch) {
    head all = {.q = q, .k = k, .v = v, .dout = do_, .dq = dq, .dk = dk, .dv = dv};
    all.o = (bex_real *)o, all.lse = (bex_real *)lse; // only read
    each_head(&all, d, scratch, head_bwd);
}
