/* kernel/ref/ref_attention.c - one query at a time; weights of one query live on the stack. */
#include "kernel/ref/ref_attention.h"

#include "base/error.h"

enum { LONGEST = 4096 };

static double dot(const bex_real *a, const bex_real *b, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += (double)a[i] * (double)b[i];
    return s;
}

// p[u] = softmax over keys of q . k_u / sqrt(D)
static void weights(double *p, const bex_real *q, const bex_real *k, bex_attention_dims d) {
    BEX_CHECK(d.Tk <= LONGEST, "%d keys in the reference, at most %d", d.Tk, LONGEST);
    double m = -HUGE_VAL, sum = 0;
    for (ptrdiff_t u = 0; u < d.Tk; u++) {
        p[u] = dot(q, k + u * d.k_stride, d.D) / sqrt(d.D);
        m = fmax(m, p[u]);
    }
    for (int u = 0; u < d.Tk; u++) sum += p[u] = exp(p[u] - m);
    for (int u = 0; u < d.Tk; u++) p[u] /= sum;
}

void bex_ref_attention_fwd(bex_real *o, const bex_real *q, const bex_real *k, const bex_real *v,
                           bex_attention_dims d) {
    double p[LONGEST];
    for (ptrdiff_t b = 0; b < d.B; b++)
        for (ptrdiff_t h = 0; h < d.H; h++)
            for (ptrdiff_t t = 0; t < d.Tq; t++) {
                const bex_real *vb = v + b * d.Tk * d.v_stride + h * d.D;
                weights(p, q + (b * d.Tq + t) * d.q_stride + h * d.D,
                        k + b * d.Tk * d.k_stride + h * d.D, d);
                for (int j = 0; j < d.D; j++) {
                    double sum = 0;
                    for (ptrdiff_t u = 0; u < d.Tk; u++)
                        sum += p[u] * (double)vb[u * d.v_stride + j];
                    o[(b * d.Tq + t) * d.o_stride + h * d.D + j] = (bex_real)sum;
                }
            }
}

static void query_bwd(bex_real *dq, bex_real *dk, bex_real *dv, const bex_real *dout,
                      const bex_real *q, const bex_real *k, const bex_real *v,
                      bex_attention_dims d) {
    double p[LONGEST], dp[LONGEST], mean = 0;
    weights(p, q, k, d);
    for (ptrdiff_t u = 0; u < d.Tk; u++) {
        dp[u] = dot(dout, v + u * d.v_stride, d.D);
        mean += p[u] * dp[u];
    }
    for (ptrdiff_t u = 0; u < d.Tk; u++) {
        double ds = p[u] * (dp[u] - mean) / sqrt(d.D);
        for (int j = 0; j < d.D; j++) {
            dv[u * d.v_stride + j] += (bex_real)(p[u] * (double)dout[j]);
            dk[u * d.k_stride + j] += (bex_real)(ds * (double)q[j]);
            dq[j] += (bex_real)(ds * (double)k[u * d.k_stride + j]);
        }
    }
}

void bex_ref_attention_bwd(bex_real *dq, bex_real *dk, bex_real *dv, const bex_real *do_,
                           const bex_real *q, const bex_real *k, const bex_real *v,
                           bex_attention_dims d) {
    for (ptrdiff_t b = 0; b < d.B; b++)
        for (ptrdiff_t h = 0; h < d.H; h++)
            for (ptrdiff_t t = 0; t < d.Tq; t++) {
                ptrdiff_t iq = (b * d.Tq + t) * d.q_stride + h * d.D,
                          io = (b * d.Tq + t) * d.o_stride + h * d.D,
                          ik = b * d.Tk * d.k_stride + h * d.D,
                          iv = b * d.Tk * d.v_stride + h * d.D;
                query_bwd(dq + iq, dk + ik, dv + iv, do_ + io, q + iq, k + ik, v + iv, d);
            }
}
