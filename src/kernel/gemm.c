/* kernel/gemm.c - blocked product over an MR x NR register tile (BLIS scheme, B packed on the stack).
 *
 *   for rows in blocks of ROWS       A block stays in L3 while every column passes over it
 *     for k in blocks of KC
 *       for columns in blocks of NC     B(k, n) as panels of NR columns, k-major      64 KiB, L2:
 *                                       packed here, or by bex_gemm_pack long before
 *         for rows in blocks of MC        A block in L2
 *           for panels of NR columns        panel in L1
 *             for tiles of MR rows            MR x NR accumulators in registers
 *
 * The sum for one C element runs over k in order inside a KC block and is then added to C: no
 * dependence on M, N or the tile it falls in. Fast twin of kernel/ref/ref_gemm.c. */
#include "kernel/gemm.h"

#include "base/error.h"
#include "kernel/simd.h"

#include <string.h>

// Rows of a tile. Its 2 MR sums, two vectors of B and one of A are held in registers: sixteen suffice for six
// rows where a product and its sum are one operation. In WebAssembly they are two, and its compilers keep a
// register for themselves: with five or six rows sums go through memory, and a plan takes 1.6 times as long.
#ifdef __wasm__
enum { MR = 4 };
#else
enum { MR = 6 };
#endif

enum {
    NR = BEX_GEMM_PANEL,
    KC = 256,
    NC = 65536 / KC / (int)sizeof(bex_real) / NR * NR,
    MC = 240,
    ROWS = 1200,
    AHEAD = 48, // rows of a panel asked for in advance, 3 KiB
};

typedef bex_vec tile[MR][2];

static int least(int a, int b) {
    return a < b ? a : b;
}

// sum over k of a column of A times a row of the panel; rows is a constant after inlining
static inline __attribute__((always_inline)) void tile_sum(tile s, int rows, int kc,
                                                           const bex_real *a, ptrdiff_t a_row,
                                                           ptrdiff_t a_k, const bex_real *b,
                                                           ptrdiff_t b_k) {
    BEX_UNROLL
    for (int i = 0; i < rows; i++) s[i][0] = s[i][1] = (bex_vec){0};
    for (int k = 0; k < kc; k++) {
        bex_vec b0 = bex_vec_load(b), b1 = bex_vec_load(b + BEX_SIMD);
        BEX_UNROLL
        for (int i = 0; i < rows; i++) {
            bex_vec x = bex_vec_all(a[i * a_row]);
            s[i][0] += x * b0;
            s[i][1] += x * b1;
        }
        // weights that ten rows pass over once come from L3: the hardware alone gives two thirds of the rate
        __builtin_prefetch(b + AHEAD * b_k);
        a += a_k;
        b += b_k;
    }
}

static inline __attribute__((always_inline)) void
tile_rows(int rows, int kc, const bex_real *a, ptrdiff_t a_row, ptrdiff_t a_k, const bex_real *b,
          ptrdiff_t b_k, bex_real *c, ptrdiff_t ldc, int columns, int add) {
    tile s;
    tile_sum(s, rows, kc, a, a_row, a_k, b, b_k);
    if (columns == NR) {
        BEX_UNROLL
        for (int i = 0; i < rows; i++) {
            bex_real *row = c + i * ldc;
            if (add) {
                s[i][0] += bex_vec_load(row);
                s[i][1] += bex_vec_load(row + BEX_SIMD);
            }
            bex_vec_store(row, s[i][0]);
            bex_vec_store(row + BEX_SIMD, s[i][1]);
        }
        return;
    }
    // right edge: through full rows, so that nothing past C is touched
    bex_real full[MR][NR];
    BEX_UNROLL
    for (int i = 0; i < rows; i++) {
        bex_vec_store(full[i], s[i][0]);
        bex_vec_store(full[i] + BEX_SIMD, s[i][1]);
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            c[i * ldc + j] = add ? c[i * ldc + j] + full[i][j] : full[i][j];
}

// mc rows times one panel
static void tiles(int mc, int kc, const bex_real *a, ptrdiff_t a_row, ptrdiff_t a_k,
                  const bex_real *b, ptrdiff_t b_k, bex_real *c, ptrdiff_t ldc, int columns,
                  int add) {
    int i = 0;
    for (; i + MR <= mc; i += MR)
        tile_rows(MR, kc, a + i * a_row, a_row, a_k, b, b_k, c + i * ldc, ldc, columns, add);
    const bex_real *rest = a + i * a_row;
    bex_real *c_rest = c + i * ldc;
    switch (mc - i) {
#define REST(rows)                                                                                 \
    case rows:                                                                                     \
        tile_rows(least(rows, MR), kc, rest, a_row, a_k, b, b_k, c_rest, ldc, columns, add);       \
        return
        REST(5);
        REST(4);
        REST(3);
        REST(2);
        REST(1);
#undef REST
    default:
        return;
    }
}

#if !defined(BEX_F64) && BEX_VECTOR_BYTES >= 32
// out[k * NR + j] = b[j * ld + k] for k, j < 8: three rounds of shuffles instead of 64 scalar moves
static void transpose8(float *out, const float *b, ptrdiff_t ld) {
    typedef float v8 __attribute__((vector_size(32), aligned(4), may_alias));
#define SHUFFLE __builtin_shufflevector
    v8 r[8], t[8];
    for (int i = 0; i < 8; i++) r[i] = *(const v8 *)(b + i * ld);
    for (int i = 0; i < 8; i += 2) {
        t[i] = SHUFFLE(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        t[i + 1] = SHUFFLE(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int j = i; j < i + 2; j++) {
            r[j] = SHUFFLE(t[j], t[j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            r[j + 2] = SHUFFLE(t[j], t[j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int j = 0; j < 4; j++) {
        *(v8 *)(out + j * NR) = SHUFFLE(r[j], r[j + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        *(v8 *)(out + (j + 4) * NR) = SHUFFLE(r[j], r[j + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
#undef SHUFFLE
}
enum { TRANSPOSE = 8 };
#else
static void transpose8(bex_real *out, const bex_real *b, ptrdiff_t ld) {
    *out = *b;
    (void)ld;
}
enum { TRANSPOSE = 1 };
#endif

// one panel of a transposed B: element (k, j) at b[j * ld + k]
static void pack_transposed(bex_real *out, const bex_real *b, ptrdiff_t ld, int kc, int columns) {
    int k = 0, whole = columns / TRANSPOSE * TRANSPOSE;
    for (; k + TRANSPOSE <= kc; k += TRANSPOSE) {
        for (int j = 0; j < whole; j += TRANSPOSE) transpose8(out + k * NR + j, b + j * ld + k, ld);
        for (int j = whole; j < columns; j++)
            for (int i = k; i < k + TRANSPOSE; i++) out[i * NR + j] = b[j * ld + i];
    }
    for (; k < kc; k++)
        for (int j = 0; j < columns; j++) out[k * NR + j] = b[j * ld + k];
}

static void pack(bex_real *out, const bex_real *b, ptrdiff_t ld, int transposed, int kc, int nc) {
    for (int n = 0; n < nc; n += NR, out += (ptrdiff_t)kc * NR) {
        int columns = nc - n < NR ? nc - n : NR;
        // right edge: zeros where there is no column
        if (columns < NR) memset(out, 0, (size_t)kc * NR * sizeof *out);
        if (transposed)
            pack_transposed(out, b + n * ld, ld, kc, columns);
        else if (columns == NR)
            for (int k = 0; k < kc; k++) memcpy(out + k * NR, b + k * ld + n, NR * sizeof *out);
        else
            for (int k = 0; k < kc; k++)
                for (int j = 0; j < columns; j++) out[k * NR + j] = b[k * ld + n + j];
    }
}

typedef struct {
    const bex_real *bias;
    bex_activation act;
    bex_real *pre;
    int n; // leading dimension of pre
} tail;

// bias, copy for the backward pass, activation: on a block that is still in cache
static void finish(bex_real *c, ptrdiff_t ldc, int rows, int columns, int row0, int col0,
                   const tail *t) {
    for (int i = 0; i < rows; i++) {
        bex_real *y = c + i * ldc;
        if (t->bias)
            for (int j = 0; j < columns; j++) y[j] += t->bias[col0 + j];
        if (t->pre)
            memcpy(t->pre + (ptrdiff_t)(row0 + i) * t->n + col0, y, (size_t)columns * sizeof *y);
        if (t->act != BEX_ACTIVATION_ID) bex_activation_fwd(y, y, (size_t)columns, t->act);
    }
}

// a block of B as the tiles read it: the panel of column n begins at b + n * column, its rows are k apart
typedef struct {
    const bex_real *b;
    ptrdiff_t column, k;
} panels;

static panels panels_of(bex_real *room, const bex_real *B, ptrdiff_t ldb, int k0, int kc, int n0,
                        int nc, int M, int flags) {
    if (flags & BEX_GEMM_PACKED) return (panels){B + n0 * ldb + k0 * NR, ldb, NR};
    int tb = (flags & BEX_GEMM_TB) != 0;
    const bex_real *b = tb ? B + n0 * ldb + k0 : B + k0 * ldb + n0;
    // few rows do not repay a copy of a B that is readable as it stands
    if (!tb && M <= 2 * MR && nc % NR == 0) return (panels){b, 1, ldb};
    pack(room, b, ldb, tb, kc, nc);
    return (panels){room, kc, NR};
}

// all of N and K for one block of rows
static void row_block(bex_real *C, ptrdiff_t ldc, const bex_real *A, ptrdiff_t a_row, ptrdiff_t a_k,
                      const bex_real *B, int ldb, int M, int row0, int N, int K, int flags,
                      const tail *t) {
    _Alignas(64) bex_real room[KC * NC];
    for (int k0 = 0; k0 < K; k0 += KC) {
        int kc = least(KC, K - k0), add = k0 > 0 || (flags & BEX_GEMM_ADD), last = k0 + kc == K;
        for (int n0 = 0; n0 < N; n0 += NC) {
            int nc = least(NC, N - n0);
            panels p = panels_of(room, B, ldb, k0, kc, n0, nc, M, flags);
            for (int m0 = 0; m0 < M; m0 += MC) {
                int mc = least(MC, M - m0);
                const bex_real *a = A + m0 * a_row + k0 * a_k;
                bex_real *c = C + m0 * ldc + n0;
                for (int n = 0; n < nc; n += NR)
                    tiles(mc, kc, a, a_row, a_k, p.b + n * p.column, p.k, c + n, ldc,
                          least(NR, nc - n), add);
                if (t && last) finish(c, ldc, mc, nc, row0 + m0, n0, t);
            }
        }
    }
}

static void product(bex_real *C, int ldc, const bex_real *A, int lda, const bex_real *B, int ldb,
                    int M, int N, int K, int flags, const tail *t) {
    int ta = (flags & BEX_GEMM_TA) != 0, tb = (flags & BEX_GEMM_TB) != 0;
    int packed = (flags & BEX_GEMM_PACKED) != 0;
    BEX_CHECK(M >= 0 && N >= 0 && K >= 0 && ldc >= N && lda >= (ta ? M : K) &&
                  ldb >= (tb || packed ? K : N) && !(tb && packed),
              "C (%d,%d) ld %d, A ld %d%s, B ld %d%s%s, K %d", M, N, ldc, lda,
              ta ? " transposed" : "", ldb, tb ? " transposed" : "", packed ? " packed" : "", K);
    ptrdiff_t a_row = ta ? 1 : lda, a_k = ta ? lda : 1;
    for (int m0 = 0; m0 < M; m0 += ROWS) {
        int rows = least(ROWS, M - m0);
        bex_real *c = C + (ptrdiff_t)m0 * ldc;
        row_block(c, ldc, A + m0 * a_row, a_row, a_k, B, ldb, rows, m0, N, K, flags, t);
        if (K > 0) continue;
        // an empty sum
        for (int i = 0; i < rows && !(flags & BEX_GEMM_ADD); i++)
            memset(c + (ptrdiff_t)i * ldc, 0, (size_t)N * sizeof *c);
        if (t) finish(c, ldc, rows, N, m0, 0, t);
    }
}

size_t bex_gemm_pack_size(int N, int K) {
    return (size_t)((N + NR - 1) / NR * NR) * (size_t)K;
}

void bex_gemm_pack(bex_real *packed, const bex_real *B, int ldb, int N, int K, int flags) {
    pack(packed, B, ldb, flags & BEX_GEMM_TB, K, N);
}

const bex_real *bex_gemm_packed_at(const bex_real *packed, int K, int k, int n) {
    return n % NR ? NULL : packed + (ptrdiff_t)n * K + (ptrdiff_t)k * NR;
}

void bex_gemm_panel(bex_real *C, int ldc, const bex_real *A, int lda, const bex_real *panel, int M,
                    int N, int K, int flags) {
    int ta = (flags & BEX_GEMM_TA) != 0;
    tiles(M, K, A, ta ? 1 : lda, ta ? lda : 1, panel, NR, C, ldc, N, flags & BEX_GEMM_ADD);
}

void bex_gemm(bex_real *C, int ldc, const bex_real *A, int lda, const bex_real *B, int ldb, int M,
              int N, int K, int flags) {
    product(C, ldc, A, lda, B, ldb, M, N, K, flags, NULL);
}

void bex_gemm_act(bex_real *C, int ldc, const bex_real *A, int lda, const bex_real *B, int ldb,
                  int M, int N, int K, int flags, const bex_real *bias, bex_activation act,
                  bex_real *pre) {
    BEX_CHECK(!(flags & BEX_GEMM_ADD), "an activation of a running sum");
    tail t = {.bias = bias, .act = act, .pre = pre, .n = N};
    product(C, ldc, A, lda, B, ldb, M, N, K, flags, &t);
}
