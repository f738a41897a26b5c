/* kernel/gemm.h - matrix product on one thread, row-major, leading dimensions in elements.
 *
 *     C (M,N) = op(A) (M,K) op(B) (K,N)          op transposes where a flag says so:
 *                                                BEX_GEMM_TA: A is stored (K,M); TB: B is (N,K)
 *     BEX_GEMM_ADD: C += instead of C =      BEX_GEMM_PACKED: B as bex_gemm_pack left it
 *
 * Our own, not oneDNN's: dnnl_sgemm calls malloc on every call, and its order of additions depends
 * on M. Here C[i][j] is the same chain of fused multiply-adds over k (restarted every 256), whatever
 * M, N and the row's place: a batch of one gives the same bits as the same row in a batch of 1000.
 * Speed beside dnnl_sgemm: `bex bench kernels`. Scratch is 64 KiB of stack. */
#ifndef BEX_KERNEL_GEMM_H
#define BEX_KERNEL_GEMM_H

#include "base/real.h"
#include "kernel/activation.h"
#include "kernel/simd.h"

enum { BEX_GEMM_TA = 1, BEX_GEMM_TB = 2, BEX_GEMM_ADD = 4, BEX_GEMM_PACKED = 8 };

void bex_gemm(bex_real *C, int ldc, const bex_real *A, int lda, const bex_real *B, int ldb, int M,
              int N, int K, int flags);

/* C = act(A op B + bias), each block finished while in cache. bias (N) or NULL. pre (M,N, leading
 * dimension N) or NULL receives the value before the activation. BEX_GEMM_ADD is not allowed. */
void bex_gemm_act(bex_real *C, int ldc, const bex_real *A, int lda, const bex_real *B, int ldb,
                  int M, int N, int K, int flags, const bex_real *bias, bex_activation act,
                  bex_real *pre);

/* ---- a B that many products share, packed once: the same bits without its rearrangement ----
 * Panels of BEX_GEMM_PANEL columns, K rows each, zeros past column N. A product takes it as B with
 * BEX_GEMM_PACKED (and no TB) and ldb = K of the packing. */
enum { BEX_GEMM_PANEL = 2 * BEX_SIMD };

size_t bex_gemm_pack_size(int N, int K); // reals

/* flags: BEX_GEMM_TB, B is stored (N,K). packed is 64-byte aligned. */
void bex_gemm_pack(bex_real *packed, const bex_real *B, int ldb, int N, int K, int flags);

/* Where rows k.. of columns n.. of it begin, as B of a smaller product (ldb stays K). NULL if n is inside
 * a panel: then there is no such B. */
const bex_real *bex_gemm_packed_at(const bex_real *packed, int K, int k, int n);

/* For kernels that keep a product in cache between its parts: one panel, K rows of BEX_GEMM_PANEL numbers, of
 * which C takes the first N. flags: TA, ADD. One chain over k, however long; nothing is checked. */
void bex_gemm_panel(bex_real *C, int ldc, const bex_real *A, int lda, const bex_real *panel, int M,
                    int N, int K, int flags);

#endif
