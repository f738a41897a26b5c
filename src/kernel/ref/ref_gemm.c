/* kernel/ref/ref_gemm.c - three loops that sum in double: what kernel/gemm.c is held against. */
#include "kernel/ref/ref_gemm.h"

void bex_ref_gemm(bex_real *C, int ldc, const bex_real *A, int lda, const bex_real *B, int ldb,
                  int M, int N, int K, int flags) {
    for (ptrdiff_t i = 0; i < M; i++)
        for (ptrdiff_t j = 0; j < N; j++) {
            double sum = flags & BEX_GEMM_ADD ? (double)C[i * ldc + j] : 0;
            for (ptrdiff_t k = 0; k < K; k++) {
                double a = (double)(flags & BEX_GEMM_TA ? A[k * lda + i] : A[i * lda + k]);
                double b = (double)(flags & BEX_GEMM_TB ? B[j * ldb + k] : B[k * ldb + j]);
                sum += a * b;
            }
            C[i * ldc + j] = (bex_real)sum;
        }
}
