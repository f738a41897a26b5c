/* coverage/prefix.c - sums at a stride, restarted every SEGMENT rows. sums[b] covers the rows from
 * its segment's start to the end of block b. */
#include "coverage/prefix.h"

#include "base/error.h"
#include "base/pages.h"
#include "base/parallel.h"

#include <stdlib.h>
#include <string.h>

enum { SEGMENT = 1024, LEAST_STRIDE = 16 };

struct bex_prefix {
    const bex_feature *feature;
    bex_gram_shape shape; // wide
    int64_t n;
    int stride;
    size_t size, bytes; // doubles of a sum; bytes of everything
    bex_real *features; // (n, wide d), NULL for one-hot
    int32_t *cells;     // (n), one-hot only
    double *sums;       // (ceil(n / stride), size)
};

static int64_t blocks_of(int64_t n, int stride) {
    return (n + stride - 1) / stride;
}

static size_t bytes_of(const bex_prefix *p, int stride) {
    size_t row = p->shape.diagonal ? sizeof *p->cells : (size_t)p->shape.d * sizeof *p->features;
    return (size_t)p->n * row + (size_t)blocks_of(p->n, stride) * p->size * sizeof(double);
}

static int choose_stride(bex_prefix *p, const bex_prefix_options *o) {
    size_t budget = o && o->budget ? o->budget : (size_t)512 << 20;
    int stride = o && o->stride ? o->stride : LEAST_STRIDE;
    if (stride < 1 || stride > SEGMENT || (stride & (stride - 1)))
        return bex_fail("a stride of %d rows; it must be a power of two up to %d", stride, SEGMENT);
    while (!(o && o->stride) && stride < SEGMENT && bytes_of(p, stride) > budget) stride *= 2;
    p->stride = stride, p->bytes = bytes_of(p, stride);
    if (p->bytes <= budget) return 0;
    return bex_fail("features and sums of %lld states need %zu MB, the budget is %zu MB",
                    (long long)p->n, (p->bytes >> 20) + 1, budget >> 20);
}

static void add_single_rows(const bex_prefix *p, double *g, int64_t first, int64_t count,
                            bex_gram_sign sign) {
    if (p->shape.diagonal) {
        for (int64_t r = first; r < first + count; r++)
            g[p->cells[r]] += sign == BEX_GRAM_ADD ? 1 : -1;
        return;
    }
    const bex_real *rows = p->features + first * p->shape.d;
    bex_gram_rows(p->shape, g, rows, (size_t)count, sign);
}

static void sum_segment(long segment, void *payload) {
    bex_prefix *p = payload;
    int64_t start = (int64_t)segment * SEGMENT;
    int64_t end = start + SEGMENT < p->n ? start + SEGMENT : p->n;
    double *last = NULL;
    for (int64_t first = start; first < end; first += p->stride) {
        double *sum = p->sums + (size_t)(first / p->stride) * p->size;
        if (last)
            memcpy(sum, last, p->size * sizeof *sum);
        else
            memset(sum, 0, p->size * sizeof *sum);
        int64_t count = end - first < p->stride ? end - first : p->stride;
        add_single_rows(p, sum, first, count, BEX_GRAM_ADD);
        last = sum;
    }
}

static int build(bex_prefix *p, const bex_real *states, const bex_prefix_options *o) {
    int threads = o && o->threads > 0 ? o->threads : 0;
    size_t n = (size_t)p->n;
    if (choose_stride(p, o) < 0) return -1;
    if (p->shape.diagonal)
        p->cells = bex_pages_alloc(n * sizeof *p->cells);
    else
        p->features = bex_pages_alloc(n * (size_t)p->shape.d * sizeof *p->features);
    p->sums = bex_pages_alloc((size_t)blocks_of(p->n, p->stride) * p->size * sizeof *p->sums);
    if ((!p->cells && !p->features) || !p->sums)
        return bex_fail("out of memory: %zu MB of features and sums", (p->bytes >> 20) + 1);
    int failed = p->cells ? bex_feature_cells(p->feature, p->cells, states, n, threads)
                          : bex_feature_eval_wide(p->feature, p->features, states, n, threads);
    if (failed < 0) return -1;
    bex_parallel(threads, (long)((p->n + SEGMENT - 1) / SEGMENT), sum_segment, p);
    return 0;
}

bex_prefix *bex_prefix_new(const bex_feature *f, const bex_real *states, int64_t n,
                           const bex_prefix_options *options) {
    if (n < 1) return bex_fail("coverage: no states"), NULL;
    bex_prefix *p = calloc(1, sizeof *p);
    if (!p) return bex_fail("out of memory"), NULL;
    p->feature = f, p->shape = bex_feature_wide(f), p->size = bex_gram_size(p->shape), p->n = n;
    if (build(p, states, options) < 0) {
        bex_prefix_free(p);
        bex_fail_in("coverage");
        return NULL;
    }
    return p;
}

void bex_prefix_free(bex_prefix *p) {
    if (!p) return;
    free(p->features);
    free(p->cells);
    free(p->sums);
    free(p);
}

const bex_feature *bex_prefix_feature(const bex_prefix *p) {
    return p->feature;
}

int64_t bex_prefix_rows(const bex_prefix *p) {
    return p->n;
}

int bex_prefix_stride(const bex_prefix *p) {
    return p->stride;
}

size_t bex_prefix_bytes(const bex_prefix *p) {
    return p->bytes;
}

// the row nearest to `row` that sums end at
static int64_t nearest_mark(const bex_prefix *p, int64_t row) {
    int64_t mark = (row + p->stride / 2) / p->stride * p->stride;
    return mark > p->n ? mark - p->stride : mark;
}

// sum over rows low .. high - 1, both multiples of the stride
static void add_blocks(const bex_prefix *p, double *g, int64_t low, int64_t high) {
    while (low < high) {
        int64_t end = (low / SEGMENT + 1) * SEGMENT;
        if (end > high) end = high;
        bex_gram_union(p->shape, g, p->sums + (size_t)(end / p->stride - 1) * p->size);
        if (low % SEGMENT)
            bex_gram_without(p->shape, g, p->sums + (size_t)(low / p->stride - 1) * p->size);
        low = end;
    }
}

void bex_prefix_add_window(const bex_prefix *p, double *g, int64_t first, int64_t count) {
    int64_t end = first + count;
    BEX_CHECK(first >= 0 && count >= 0 && end <= p->n, "rows %lld to %lld of %lld",
              (long long)first, (long long)end, (long long)p->n);
    int64_t low = nearest_mark(p, first), high = nearest_mark(p, end);
    if (count <= p->stride || low >= high) {
        add_single_rows(p, g, first, count, BEX_GRAM_ADD);
        return;
    }
    add_blocks(p, g, low, high);
    if (low < first)
        add_single_rows(p, g, low, first - low, BEX_GRAM_SUBTRACT);
    else
        add_single_rows(p, g, first, low - first, BEX_GRAM_ADD);
    if (high < end)
        add_single_rows(p, g, high, end - high, BEX_GRAM_ADD);
    else
        add_single_rows(p, g, end, high - end, BEX_GRAM_SUBTRACT);
}

void bex_prefix_add_rows(const bex_prefix *p, double *g, const int *rows, size_t n) {
    for (size_t i = 0; i < n; i++)
        BEX_CHECK(rows[i] >= 0 && rows[i] < p->n, "row %lld of %lld", (long long)rows[i],
                  (long long)p->n);
    if (!p->shape.diagonal) {
        bex_gram_gather(p->shape, g, p->features, rows, n, BEX_GRAM_ADD);
        return;
    }
    for (size_t i = 0; i < n; i++) g[p->cells[rows[i]]] += 1;
}

void bex_prefix_contract(const bex_prefix *p, double *out, const double *g, int64_t reference) {
    if (bex_feature_relative(p->feature))
        bex_feature_contract(p->feature, out, g, p->features + reference * p->shape.d);
    else
        memcpy(out, g, p->size * sizeof *out);
}
