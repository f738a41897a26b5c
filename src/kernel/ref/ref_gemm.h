/* kernel/ref/ref_gemm.h - the plain twin of kernel/gemm.h: three loops, sums in double. */
#ifndef BEX_KERNEL_REF_REF_GEMM_H
#define BEX_KERNEL_REF_REF_GEMM_H

#include "kernel/gemm.h"

void bex_ref_gemm(bex_real *C, int ldc, const bex_real *A, int lda, const bex_real *B, int ldb,
                  int M, int N, int K, int flags);

#endif
