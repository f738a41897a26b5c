/* kernel/attention.c - per head: products by gemm.c on a block of ROWS queries x all keys.
 *
 * forward    S = Q K^T,  P = exp(S/sqrt(D) - m),  O = P V / sum(P)
 * backward   P = exp(S/sqrt(D) - lse) again,  dV = P^T dO,  dP = dO V^T,
 *            dS = P (dP - delta) / sqrt(D) with delta = sum(dO O) per query,  dQ = dS K,  dK = dS^T Q
 * The backward pass costs five products for the forward's two; recomputing P is the price of never
 * storing it. Plain twin: kernel/ref/ref_attention.c. */
#include "kernel/attention.h"

#include "base/error.h"
#include "kernel/gemm.h"
#include "kernel/reduce.h"
#include "kernel/simd.h"
#include "kernel/softmax.h"
#include "kernel/vmath.h"

enum { ROWS = 54 }; // a multiple of gemm's tile height: 102 tokens are two blocks, 52 one; 22 KiB

static int rows_of(int Tq) {
    return Tq < ROWS ? Tq : ROWS;
}

// a row of scores is padded to whole vectors with -inf, whose weight is 0: no scalar tails
static int padded(int Tk) {
    return (Tk + BEX_LANES - 1) / BEX_LANES * BEX_LANES;
}

static void pad(bex_real *s, int rows, int Tk) {
    int ld = padded(Tk);
    for (ptrdiff_t i = 0; i < rows; i++)
        for (int j = Tk; j < ld; j++) s[i * ld + j] = -(bex_real)HUGE_VAL;
}

size_t bex_attention_scratch(bex_attention_dims d) {
    return 2 * (size_t)rows_of(d.Tq) * (size_t)padded(d.Tk);
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

static void head_fwd(bex_real *o, bex_real *lse, const bex_real *q, const bex_real *k,
                     const bex_real *v, bex_attention_dims d, bex_real *s) {
    bex_real scale = scale_of(d.D);
    int ld = padded(d.Tk);
    for (int t = 0; t < d.Tq; t += ROWS) {
        int rows = rows_of(d.Tq - t);
        bex_real *out = o + (ptrdiff_t)t * d.o_stride, total[ROWS];
        bex_gemm(s, ld, q + (ptrdiff_t)t * d.q_stride, d.q_stride, k, d.k_stride, rows, d.Tk, d.D,
                 BEX_GEMM_TB);
        pad(s, rows, d.Tk);
        for (int i = 0; i < rows; i++) {
            bex_real log_sum = bex_softmax_row(s + (ptrdiff_t)i * ld, ld, scale, &total[i]);
            if (lse) lse[t + i] = log_sum;
        }
        bex_gemm(out, d.o_stride, s, ld, v, d.v_stride, rows, d.D, d.Tk, 0);
        // normalise D outputs, not Tk weights
        for (int i = 0; i < rows; i++) {
            bex_real r = R(1) / total[i], *y = out + (ptrdiff_t)i * d.o_stride;
            for (int j = 0; j < d.D; j++) y[j] *= r;
        }
    }
}

void bex_attention_fwd(bex_real *o, bex_real *lse, const bex_real *q, const bex_real *k,
                       const bex_real *v, bex_attention_dims d, bex_real *scratch) {
    check(d);
    for (ptrdiff_t b = 0; b < d.B; b++)
        for (ptrdiff_t h = 0; h < d.H; h++) {
            ptrdiff_t at = h * d.D;
            head_fwd(o + b * d.Tq * d.o_stride + at, lse ? lse + (b * d.H + h) * d.Tq : NULL,
                     q + b * d.Tq * d.q_stride + at, k + b * d.Tk * d.k_stride + at,
                     v + b * d.Tk * d.v_stride + at, d, scratch);
        }
}

static void head_bwd(bex_real *dq, bex_real *dk, bex_real *dv, const bex_real *dout,
                     const bex_real *q, const bex_real *k, const bex_real *v, const bex_real *o,
                     const bex_real *lse, bex_attention_dims d, bex_real *scratch) {
    bex_real scale = scale_of(d.D);
    int ld = padded(d.Tk);
    bex_real *p = scratch, *ds = scratch + (ptrdiff_t)rows_of(d.Tq) * ld;
    for (int t = 0; t < d.Tq; t += ROWS) {
        int rows = rows_of(d.Tq - t), add = t ? BEX_GEMM_ADD : 0;
        const bex_real *qt = q + (ptrdiff_t)t * d.q_stride, *dot = dout + (ptrdiff_t)t * d.o_stride;
        const bex_real *ot = o + (ptrdiff_t)t * d.o_stride;
        bex_gemm(p, ld, qt, d.q_stride, k, d.k_stride, rows, d.Tk, d.D, BEX_GEMM_TB);
        bex_gemm(ds, ld, dot, d.o_stride, v, d.v_stride, rows, d.Tk, d.D, BEX_GEMM_TB);
        pad(p, rows, d.Tk), pad(ds, rows, d.Tk);
        for (ptrdiff_t i = 0; i < rows; i++) {
            bex_real delta = bex_dot(dot + i * d.o_stride, ot + i * d.o_stride, (size_t)d.D);
            bex_real *restrict pi = p + i * ld, *restrict dsi = ds + i * ld, l = lse[t + i];
            for (int j = 0; j < ld; j++) {
                pi[j] = bex_exp(scale * pi[j] - l);
                dsi[j] = scale * pi[j] * (dsi[j] - delta);
            }
        }
        bex_gemm(dv, d.v_stride, p, ld, dot, d.o_stride, d.Tk, d.D, rows, BEX_GEMM_TA | add);
        bex_gemm(dk, d.k_stride, ds, ld, qt, d.q_stride, d.Tk, d.D, rows, BEX_GEMM_TA | add);
        bex_gemm(dq + (ptrdiff_t)t * d.q_stride, d.q_stride, ds, ld, k, d.k_stride, rows, d.D, d.Tk,
                 0);
    }
}

void bex_attention_bwd(bex_real *dq, bex_real *dk, bex_real *dv, const bex_real *do_,
                       const bex_real *q, const bex_real *k, const bex_real *v, const bex_real *o,
                       const bex_real *lse, bex_attention_dims d, bex_real *scratch) {
    check(d);
    for (ptrdiff_t b = 0; b < d.B; b++)
        for (ptrdiff_t h = 0; h < d.H; h++) {
            ptrdiff_t at = h * d.D, iq = b * d.Tq * d.q_stride + at,
                      ik = b * d.Tk * d.k_stride + at, iv = b * d.Tk * d.v_stride + at,
                      io = b * d.Tq * d.o_stride + at;
            head_bwd(dq + iq, dk + ik, dv + iv, do_ + io, q + iq, k + ik, v + iv, o + io,
                     lse + (b * d.H + h) * d.Tq, d, scratch);
        }
}
