/* kernel/linear.c - a linear layer is three products. */
#include "kernel/linear.h"

#include "kernel/gemm.h"

void bex_linear_fwd(bex_real *y, bex_real *pre, const bex_real *x, const bex_real *W,
                    const bex_real *b, int M, int N, int K, bex_activation act) {
    bex_gemm_act(y, N, x, K, W, K, M, N, K, BEX_GEMM_TB, b, act, pre);
}

void bex_linear_bwd_x(bex_real *dx, const bex_real *dz, const bex_real *W, int M, int N, int K,
                      int add) {
    bex_gemm(dx, K, dz, N, W, K, M, K, N, add ? BEX_GEMM_ADD : 0);
}

void bex_linear_fwd_packed(bex_real *y, bex_real *pre, const bex_real *x, const bex_real *Wt,
                           const bex_real *b, int M, int N, int K, bex_activation act) {
    bex_gemm_act(y, N, x, K, Wt, K, M, N, K, BEX_GEMM_PACKED, b, act, pre);
}

void bex_linear_bwd_x_packed(bex_real *dx, const bex_real *dz, const bex_real *W, int all_N, int M,
                             int N, int K, int add) {
    bex_gemm(dx, K, dz, N, W, all_N, M, K, N, BEX_GEMM_PACKED | (add ? BEX_GEMM_ADD : 0));
}

void bex_column_sums(bex_real *db, const bex_real *dz, int M, int N) {
    enum { WIDE = 64, DEEP = 64 };
    for (int n0 = 0; n0 < N; n0 += WIDE) {
        int n = N - n0 < WIDE ? N - n0 : WIDE;
        for (int m0 = 0; m0 < M; m0 += DEEP) {
            int m = M - m0 < DEEP ? M - m0 : DEEP;
            bex_real sum[WIDE] = {0};
            for (int i = 0; i < m; i++) {
                const bex_real *row = dz + (ptrdiff_t)(m0 + i) * N + n0;
                for (int j = 0; j < n; j++) sum[j] += row[j];
            }
            for (int j = 0; j < n; j++) db[n0 + j] += sum[j];
        }
    }
}

void bex_linear_bwd_w(bex_real *dW, bex_real *db, const bex_real *dz, const bex_real *x, int M,
                      int N, int K, int add) {
    // by blocks of gemm's own k, which keeps the product's order; the sums read dz row by row, and so
    // bring it into cache for the product, which reads it by columns
    enum { ROWS = 256 };
    int m = 0;
    do { // a sum of no rows is set too
        int rows = M - m < ROWS ? M - m : ROWS;
        const bex_real *block = dz + (ptrdiff_t)m * N;
        if (db) bex_column_sums(db, block, rows, N);
        bex_gemm(dW, K, block, N, x + (ptrdiff_t)m * K, K, N, K, rows,
                 BEX_GEMM_TA | (add || m ? BEX_GEMM_ADD : 0));
        m += ROWS;
    } while (m < M);
}
