/* kernel/attention.h - multi-head scaled dot-product attention, no mask.
 *
 *   o[b,t,h,:] = sum_u softmax_u(q[b,t,h,:] . k[b,u,h,:] / sqrt(D)) v[b,u,h,:]      t < Tq, u < Tk
 *
 * q and o have Tq rows a sample, k and v Tk. Row t of sample b, head h starts at
 * base + (b T + t) stride + h D: packed (B,T,3C) projections are used where they lie, by pointer and
 * stride. Scores exist for one head and a block of query rows at a time; what is kept for the backward
 * pass is one number per query: lse (B,H,Tq), the log of the softmax denominator. */
#ifndef BEX_KERNEL_ATTENTION_H
#define BEX_KERNEL_ATTENTION_H

#include "base/real.h"

typedef struct bex_attention_dims {
    int B, Tq, Tk, H, D;
    int q_stride, k_stride, v_stride, o_stride; // reals from one row to the next
} bex_attention_dims;

/* Reals of scratch that forward and backward need. */
size_t bex_attention_scratch(bex_attention_dims d);

/* lse NULL: inference. */
void bex_attention_fwd(bex_real *o, bex_real *lse, const bex_real *q, const bex_real *k,
                       const bex_real *v, bex_attention_dims d, bex_real *scratch);

/* dq, dk, dv are set (strides as q, k, v). do_ has the layout of o. */
void bex_attention_bwd(bex_real *dq, bex_real *dk, bex_real *dv, const bex_real *do_,
                       const bex_real *q, const bex_real *k, const bex_real *v, const bex_real *o,
                       const bex_real *lse, bex_attention_dims d, bex_real *scratch);

#endif
