/* kernel/simd.h - one vector type, as wide as the target's registers (GCC and clang extension).
 * Loads and stores through it are unaligned. Most kernels need none of this: plain loops over arrays
 * vectorise; only gemm.c and reduce.h count registers. */
#ifndef BEX_KERNEL_SIMD_H
#define BEX_KERNEL_SIMD_H

#include "base/real.h"

#if defined(__AVX512F__)
#define BEX_VECTOR_BYTES 64
#elif defined(__AVX__)
#define BEX_VECTOR_BYTES 32
#else
#define BEX_VECTOR_BYTES 16
#endif

enum { BEX_SIMD = BEX_VECTOR_BYTES / (int)sizeof(bex_real) };

/* Before a loop of few, constant turns over an array of vectors: unrolled whole, so that the array lives in
 * registers. Each compiler has a spelling of its own and ignores the other's. */
#if defined(__clang__)
#define BEX_UNROLL _Pragma("clang loop unroll(full)")
#else
#define BEX_UNROLL _Pragma("GCC unroll 16")
#endif

typedef bex_real bex_vec
    __attribute__((vector_size(BEX_VECTOR_BYTES), aligned(sizeof(bex_real)), may_alias));

static inline bex_vec bex_vec_load(const bex_real *p) {
    return *(const bex_vec *)p;
}

static inline void bex_vec_store(bex_real *p, bex_vec v) {
    *(bex_vec *)p = v;
}

static inline bex_vec bex_vec_all(bex_real x) {
    return x - (bex_vec){0}; // x - 0 keeps the sign of zero and becomes a broadcast
}

// b where it is larger, else a
static inline bex_vec bex_vec_max(bex_vec a, bex_vec b) {
    typedef __typeof__(a > b) bits;
    bits larger = b > a;
    return (bex_vec)((larger & (bits)b) | (~larger & (bits)a)); // a comparison and a blend
}

#endif
