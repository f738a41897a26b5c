/* kernel/conv2d.c - tiles of MR output pixels x one panel of channels, over a list of pieces of x.
 *
 *   for chunks of CHUNK output pixels         where each pixel's pieces begin is worked out once
 *     for panels of output channels             the panel's weights: L1 or L2
 *       for tiles of MR pixels                    sums in registers
 *         for pieces (taps) for k                   x broadcast, a row of the panel
 *
 * The gradient of x is the same walk over dy: of the taps, those that meet a pixel depend on its place modulo
 * the stride, so pixels are taken class by class. The gradient of W keeps a tile of MR channels of dy x one
 * panel of a piece of x in registers and goes over the pixels of a chunk; of a few colours, whose pieces are
 * short, over copies side by side. Fast twin of ref/ref_conv2d.c. */
#include "kernel/conv2d.h"

#include "base/error.h"
#include "kernel/gemm.h"
#include "kernel/simd.h"

#include <stdbool.h>
#include <string.h>

enum { MR = 6, NR = BEX_GEMM_PANEL, CHUNK = 96, TAPS = 64, ALIGNED = 16, ZEROS = 4096 };

typedef bex_vec tile[MR][2];

static const bex_real zeros[ZEROS]; // a piece outside the picture

// what a chunk of output pixels reads: pixel i's piece j begins at from[i * pieces + j], -1: outside
typedef struct {
    int n, pieces, length;   // pixels; pieces of each; numbers in a piece
    int from[CHUNK * TAPS];  // multiples of `unit`
    int to[CHUNK];           // output pixel
    ptrdiff_t unit;          // reals
    ptrdiff_t weights[TAPS]; // rows of the panel before piece j
} chunk;

static void check(const bex_conv2d_dims *d) {
    BEX_CHECK(d->B >= 0 && d->H > 0 && d->W > 0 && d->C > 0 && d->N > 0 && d->kh > 0 && d->kw > 0 &&
                  d->kh * d->kw <= TAPS && d->stride > 0 && d->pad >= 0 && d->pad < d->kh &&
                  d->pad < d->kw && d->H + 2 * d->pad >= d->kh && d->W + 2 * d->pad >= d->kw &&
                  d->C <= ZEROS && d->N <= ZEROS,
              "convolution of (%d,%d,%d,%d) with %d of %d x %d, stride %d, pad %d", d->B, d->H,
              d->W, d->C, d->N, d->kh, d->kw, d->stride, d->pad);
}

/* ---- the tile ---- */

static inline __attribute__((always_inline)) void
tile_sum(tile s, int rows, const bex_real *x, const chunk *c, int first, const bex_real *panel) {
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) s[i][0] = s[i][1] = (bex_vec){0};
    for (int j = 0; j < c->pieces; j++) {
        const bex_real *a[MR], *b = panel + c->weights[j] * NR;
#pragma GCC unroll 8
        for (int i = 0; i < rows; i++) {
            int from = c->from[(first + i) * c->pieces + j];
            a[i] = from < 0 ? zeros : x + from * c->unit;
        }
        for (int k = 0; k < c->length; k++, b += NR) {
            bex_vec b0 = bex_vec_load(b), b1 = bex_vec_load(b + BEX_SIMD);
#pragma GCC unroll 8
            for (int i = 0; i < rows; i++) {
                bex_vec v = bex_vec_all(a[i][k]);
                s[i][0] += v * b0;
                s[i][1] += v * b1;
            }
        }
    }
}

// the first `columns` of a row of sums
static void store_row(bex_real *y, const bex_vec s[2], const bex_real *bias, int columns, int add) {
    bex_real full[NR];
    bex_vec_store(full, s[0]);
    bex_vec_store(full + BEX_SIMD, s[1]);
    for (int j = 0; j < columns; j++)
        y[j] = (add ? y[j] : R(0)) + full[j] + (bias ? bias[j] : R(0));
}

static inline __attribute__((always_inline)) void
tile_rows(int rows, bex_real *y, ptrdiff_t ld, const bex_real *x, const chunk *c, int first,
          const bex_real *panel, const bex_real *bias, int columns, int add) {
    tile s;
    tile_sum(s, rows, x, c, first, panel);
    if (columns < NR || bias) {
        for (int i = 0; i < rows; i++)
            store_row(y + c->to[first + i] * ld, s[i], bias, columns, add);
        return;
    }
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) {
        bex_real *row = y + c->to[first + i] * ld;
        if (add) {
            s[i][0] += bex_vec_load(row);
            s[i][1] += bex_vec_load(row + BEX_SIMD);
        }
        bex_vec_store(row, s[i][0]);
        bex_vec_store(row + BEX_SIMD, s[i][1]);
    }
}

// a chunk of pixels times all panels: `rows` numbers to a column of a panel
static void product(bex_real *y, int channels, const bex_real *x, const chunk *c,
                    const bex_real *packed, ptrdiff_t rows, const bex_real *bias, int add) {
    for (int n = 0; n < channels; n += NR, packed += rows * NR) {
        int columns = channels - n < NR ? channels - n : NR, i = 0;
        const bex_real *b = bias ? bias + n : NULL;
        for (; i + MR <= c->n; i += MR)
            tile_rows(MR, y + n, channels, x, c, i, packed, b, columns, add);
        for (; i + 2 <= c->n; i += 2)
            tile_rows(2, y + n, channels, x, c, i, packed, b, columns, add);
        for (; i < c->n; i++) tile_rows(1, y + n, channels, x, c, i, packed, b, columns, add);
    }
}

/* ---- packing ---- */

size_t bex_conv2d_pack_size(int N, int taps, int C) {
    return bex_gemm_pack_size(N, taps * C);
}

void bex_conv2d_pack(bex_real *packed, const bex_real *W, int N, int taps, int C) {
    bex_gemm_pack(packed, W, taps * C, N, taps * C, BEX_GEMM_TB);
}

size_t bex_conv2d_pack_dx_size(int N, int taps, int C) {
    return bex_gemm_pack_size(C, taps * N);
}

// panels of C: row (tap, n) of a panel is W[n, tap, columns of the panel]
void bex_conv2d_pack_dx(bex_real *packed, const bex_real *W, int N, int taps, int C) {
    for (int c = 0; c < C; c += NR) {
        int columns = C - c < NR ? C - c : NR;
        for (int t = 0; t < taps; t++)
            for (int n = 0; n < N; n++, packed += NR) {
                const bex_real *from = W + ((ptrdiff_t)n * taps + t) * C + c;
                memcpy(packed, from, (size_t)columns * sizeof *packed);
                for (int j = columns; j < NR; j++) packed[j] = R(0);
            }
    }
}

/* ---- what output pixels read ---- */

// x as the walk sees it: itself, or a copy with a border
typedef struct {
    const bex_real *x;
    int H, W, pad;      // of what x points to, and the border it still lacks
    int across, length; // pieces in a kernel row, numbers in a piece
} view;

static bool bordered(const bex_conv2d_dims *d) {
    return d->C % ALIGNED != 0;
}

static size_t bordered_size(const bex_conv2d_dims *d) {
    return (size_t)d->B * (size_t)(d->H + 2 * d->pad) * (size_t)(d->W + 2 * d->pad) * (size_t)d->C;
}

// numbers of a pixel's pieces side by side, filled up to whole panels
static int unfolded(const bex_conv2d_dims *d) {
    return (d->kh * d->kw * d->C + NR - 1) / NR * NR;
}

size_t bex_conv2d_scratch(const bex_conv2d_dims *d) {
    return bordered(d) ? bordered_size(d) + CHUNK * (size_t)unfolded(d) + NR : 0;
}

static view view_of(const bex_real *x, const bex_conv2d_dims *d, bex_real *scratch) {
    if (!bordered(d)) return (view){x, d->H, d->W, d->pad, d->kw, d->C};
    int H = d->H + 2 * d->pad, W = d->W + 2 * d->pad;
    size_t row = (size_t)d->W * (size_t)d->C, wide = (size_t)W * (size_t)d->C;
    memset(scratch, 0, bordered_size(d) * sizeof *scratch);
    for (int b = 0; b < d->B; b++)
        for (int i = 0; i < d->H; i++)
            memcpy(scratch + ((size_t)(b * H + i + d->pad)) * wide + (size_t)(d->pad * d->C),
                   x + (size_t)(b * d->H + i) * row, row * sizeof *x);
    return (view){scratch, H, W, 0, 1, d->kw * d->C};
}

// output pixels first .. first + n - 1 of the batch
static void chunk_fill(chunk *c, const view *v, const bex_conv2d_dims *d, int first, int n) {
    int OH = bex_conv2d_height(d), OW = bex_conv2d_width(d);
    c->n = n, c->pieces = d->kh * v->across, c->length = v->length, c->unit = d->C;
    for (int j = 0; j < c->pieces; j++) c->weights[j] = (ptrdiff_t)j * v->length;
    int b = first / (OH * OW), i = first / OW % OH, o = first % OW;
    int *from = c->from;
    for (int p = 0; p < n; p++) {
        c->to[p] = first + p;
        for (int r = 0; r < d->kh; r++) {
            int y = i * d->stride + r - v->pad, in = y >= 0 && y < v->H;
            for (int t = 0; t < v->across; t++) {
                int x = o * d->stride + t - v->pad;
                *from++ = in && x >= 0 && x < v->W ? (b * v->H + y) * v->W + x : -1;
            }
        }
        if (++o == OW) o = 0, i++;
        if (i == OH) i = 0, b++;
    }
}

void bex_conv2d_fwd(bex_real *y, const bex_real *x, const bex_real *packed, const bex_real *bias,
                    const bex_conv2d_dims *d, bex_real *scratch) {
    check(d);
    view v = view_of(x, d, scratch);
    chunk c;
    int pixels = d->B * bex_conv2d_height(d) * bex_conv2d_width(d);
    for (int p = 0; p < pixels; p += CHUNK) {
        chunk_fill(&c, &v, d, p, pixels - p < CHUNK ? pixels - p : CHUNK);
        product(y, d->N, v.x, &c, packed, d->kh * d->kw * d->C, bias, 0);
    }
}

/* ---- the gradient of x ---- */

// taps r, of k, that meet a place `at` (counted with the border) of class at % stride; their number
static int taps_of(int tap[TAPS], int k, int at, int stride) {
    int n = 0;
    for (int r = at % stride; r < k; r += stride) tap[n++] = r;
    return n;
}

typedef struct {
    const bex_conv2d_dims *d;
    bex_real *dx;
    const bex_real *dy, *packed;
    int add;
    chunk c;
} gradient;

static void flush(gradient *g) {
    const bex_conv2d_dims *d = g->d;
    if (g->c.n) product(g->dx, d->C, g->dy, &g->c, g->packed, d->kh * d->kw * d->N, NULL, g->add);
    g->c.n = 0;
}

// the pixels of x whose place with the border is (cy,cx) modulo the stride
static void one_class(gradient *g, int cy, int cx) {
    const bex_conv2d_dims *d = g->d;
    int rows[TAPS], columns[TAPS], s = d->stride;
    int nr = taps_of(rows, d->kh, cy, s), nc = taps_of(columns, d->kw, cx, s);
    int OH = bex_conv2d_height(d), OW = bex_conv2d_width(d);
    chunk *c = &g->c;
    c->n = 0, c->pieces = nr * nc, c->length = d->N, c->unit = d->N;
    for (int r = 0; r < nr; r++)
        for (int t = 0; t < nc; t++)
            c->weights[r * nc + t] = (ptrdiff_t)(rows[r] * d->kw + columns[t]) * d->N;
    if (!c->pieces && g->add) return;
    int y0 = ((cy - d->pad) % s + s) % s, x0 = ((cx - d->pad) % s + s) % s;
    for (int b = 0; b < d->B; b++)
        for (int y = y0; y < d->H; y += s)
            for (int x = x0; x < d->W; x += s) {
                int *from = c->from + c->n * c->pieces;
                for (int r = 0; r < nr; r++)
                    for (int t = 0; t < nc; t++) {
                        int u = y + d->pad - rows[r], w = x + d->pad - columns[t];
                        bool in = u >= 0 && w >= 0 && u / s < OH && w / s < OW;
                        *from++ = in ? (b * OH + u / s) * OW + w / s : -1;
                    }
                c->to[c->n++] = (b * d->H + y) * d->W + x;
                if (c->n == CHUNK) flush(g);
            }
    flush(g);
}

void bex_conv2d_bwd_x(bex_real *dx, const bex_real *dy, const bex_real *packed_dx,
                      const bex_conv2d_dims *d, int add) {
    check(d);
    gradient g;
    g.d = d, g.dx = dx, g.dy = dy, g.packed = packed_dx, g.add = add;
    for (int cy = 0; cy < d->stride; cy++)
        for (int cx = 0; cx < d->stride; cx++) one_class(&g, cy, cx);
}

/* ---- the gradient of W ---- */

// sum over the chunk's pixels of dy[pixel, rows] x[piece j of pixel, a panel]
static inline __attribute__((always_inline)) void outer_sum(tile s, int rows, int vectors,
                                                            const bex_real *dy, ptrdiff_t ld,
                                                            const bex_real *x, const chunk *c,
                                                            int j) {
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) s[i][0] = s[i][1] = (bex_vec){0};
    for (int p = 0; p < c->n; p++, dy += ld) {
        int from = c->from[p * c->pieces + j];
        if (from < 0) continue;
        const bex_real *b = x + from * c->unit;
        bex_vec b0 = bex_vec_load(b), b1 = vectors > 1 ? bex_vec_load(b + BEX_SIMD) : b0;
#pragma GCC unroll 8
        for (int i = 0; i < rows; i++) {
            bex_vec v = bex_vec_all(dy[i]);
            s[i][0] += v * b0;
            if (vectors > 1) s[i][1] += v * b1;
        }
    }
}

static inline __attribute__((always_inline)) void outer_rows(int rows, bex_real *dW, ptrdiff_t row,
                                                             const bex_real *dy, ptrdiff_t ld,
                                                             const bex_real *x, const chunk *c,
                                                             int j, int columns, int add) {
    tile s;
    if (columns > BEX_SIMD)
        outer_sum(s, rows, 2, dy, ld, x, c, j);
    else
        outer_sum(s, rows, 1, dy, ld, x, c, j);
    for (int i = 0; i < rows; i++, dW += row) {
        if (columns < NR) {
            store_row(dW, s[i], NULL, columns, add);
            continue;
        }
        if (add) {
            s[i][0] += bex_vec_load(dW);
            s[i][1] += bex_vec_load(dW + BEX_SIMD);
        }
        bex_vec_store(dW, s[i][0]);
        bex_vec_store(dW + BEX_SIMD, s[i][1]);
    }
}

/* Pictures of few colours, with their border: all that output pixels first .. first + n - 1 read, one
 * long piece a pixel at `to`, so that panels are full but for the last. Copied by whole vectors: what is
 * too much is the next piece's place, or the room behind the last. */
static void unfold(chunk *c, bex_real *to, const view *v, const bex_conv2d_dims *d, int first,
                   int n) {
    int OH = bex_conv2d_height(d), OW = bex_conv2d_width(d), ld = unfolded(d), length = v->length;
    int b = first / (OH * OW), i = first / OW % OH, o = first % OW;
    c->n = n, c->pieces = 1, c->length = d->kh * length, c->unit = ld;
    for (int p = 0; p < n; p++, to += ld) {
        const bex_real *x =
            v->x + ((ptrdiff_t)(b * v->H + i * d->stride) * v->W + o * d->stride) * d->C;
        for (int r = 0; r < d->kh; r++, x += (ptrdiff_t)v->W * d->C)
            for (int k = 0; k < length; k += BEX_SIMD)
                bex_vec_store(to + r * length + k, bex_vec_load(x + k));
        c->from[p] = p;
        if (++o == OW) o = 0, i++;
        if (i == OH) i = 0, b++;
    }
}

void bex_conv2d_bwd_w(bex_real *dW, const bex_real *dy, const bex_real *x, const bex_conv2d_dims *d,
                      int add, bex_real *scratch) {
    check(d);
    view v = view_of(x, d, scratch);
    chunk c;
    ptrdiff_t row = (ptrdiff_t)d->kh * d->kw * d->C;
    int pixels = d->B * bex_conv2d_height(d) * bex_conv2d_width(d);
    if (!pixels && !add) memset(dW, 0, (size_t)d->N * (size_t)row * sizeof *dW);
    for (int p = 0; p < pixels; p += CHUNK, add = 1) {
        int count = pixels - p < CHUNK ? pixels - p : CHUNK;
        const bex_real *in = v.x;
        if (bordered(d)) {
            unfold(&c, scratch + bordered_size(d), &v, d, p, count);
            in = scratch + bordered_size(d);
        } else {
            chunk_fill(&c, &v, d, p, count);
        }
        for (int j = 0; j < c.pieces; j++)
            for (int k = 0; k < c.length; k += NR) {
                int columns = c.length - k < NR ? c.length - k : NR, n = 0;
                bex_real *to = dW + (ptrdiff_t)j * c.length + k;
                const bex_real *from = dy + (ptrdiff_t)p * d->N;
                for (; n + MR <= d->N; n += MR)
                    outer_rows(MR, to + n * row, row, from + n, d->N, in + k, &c, j, columns, add);
                for (; n + 2 <= d->N; n += 2)
                    outer_rows(2, to + n * row, row, from + n, d->N, in + k, &c, j, columns, add);
                for (; n < d->N; n++)
                    outer_rows(1, to + n * row, row, from + n, d->N, in + k, &c, j, columns, add);
            }
    }
}
