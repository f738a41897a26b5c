/* kernel/linear.h - y = act(x W^T + b), as PyTorch's Linear: x (M,K), W (N,K), b (N), y (M,N). */
#ifndef BEX_KERNEL_LINEAR_H
#define BEX_KERNEL_LINEAR_H

#include "kernel/activation.h"

/* b or pre may be NULL; pre (M,N) receives x W^T + b for the backward pass. */
void bex_linear_fwd(bex_real *y, bex_real *pre, const bex_real *x, const bex_real *W,
                    const bex_real *b, int M, int N, int K, bex_activation act);

/* dx (M,K) = dz W, or += if add. dz (M,N) is the gradient before the activation (bex_activation_bwd). */
void bex_linear_bwd_x(bex_real *dx, const bex_real *dz, const bex_real *W, int M, int N, int K,
                      int add);

/* The same from packed weights (kernel/gemm.h), with the same bits. Wt: W^T, packed with BEX_GEMM_TB; W:
 * itself, packed from (N of all rows, K), of which this layer uses N. */
void bex_linear_fwd_packed(bex_real *y, bex_real *pre, const bex_real *x, const bex_real *Wt,
                           const bex_real *b, int M, int N, int K, bex_activation act);
void bex_linear_bwd_x_packed(bex_real *dx, const bex_real *dz, const bex_real *W, int all_N, int M,
                             int N, int K, int add);

/* dW (N,K) = dz^T x, or += if add;  db (N) += column sums of dz, NULL to skip. Rows in order: fixed sums. */
void bex_linear_bwd_w(bex_real *dW, bex_real *db, const bex_real *dz, const bex_real *x, int M,
                      int N, int K, int add);

/* db (N) += column sums of dz (M,N), in blocks of 64 rows: fixed order, short chains of rounding. */
void bex_column_sums(bex_real *db, const bex_real *dz, int M, int N);

#endif
