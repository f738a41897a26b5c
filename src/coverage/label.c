/* coverage/label.c - windows to log coverage: gather, add, factor four at a time. */
#include "coverage/label.h"
#include "coverage/coverage.h"

#include "base/error.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

enum {
    PIECE = 16, // windows of a piece at least: whole histories
    GROUP = 4,  // matrices factored together
};

typedef struct job {
    double *log_cov;
    bex_moments *moments;
    const bex_prefix *prefix;
    const bex_condition *condition;
    const bex_label_query *query;
    bex_gram_shape wide, shape;
    bool relative;
    int histories; // of a piece
} job;

// the sums wait in `group` until four are there; returns how many wait then
static int factor_group(const job *j, const double *group, const int64_t *windows, int waiting) {
    double cov[GROUP];
    bex_coverage_batch(cov, j->shape, NULL, group, (size_t)waiting,
                       bex_condition_lambda(j->condition));
    for (int i = 0; i < waiting; i++) j->log_cov[windows[i]] = log(cov[i]);
    return 0;
}

// Lambda(h) once, then its windows, for histories low .. high - 1
static void run_piece(const job *j, int64_t low, int64_t high) {
    _Alignas(64) double history[BEX_GRAM_MOST], sum[BEX_GRAM_MOST];
    _Alignas(64) double seen[BEX_GRAM_MOST], group[GROUP * BEX_GRAM_MOST];
    const bex_label_query *q = j->query;
    size_t wide = bex_gram_size(j->wide), size = bex_gram_size(j->shape);
    int64_t windows[GROUP];
    int waiting = 0;
    for (int64_t g = low; g < high; g++) {
        bex_gram_zero(j->wide, history);
        bex_prefix_add_rows(j->prefix, history, q->rows + g * q->N, (size_t)q->N);
        bex_moments moments = {0, 0};
        if (j->moments && !j->relative) moments = bex_condition_moments(j->condition, history);
        for (int64_t w = g * q->windows; w < (g + 1) * q->windows; w++) {
            if (j->moments && j->relative) {
                bex_prefix_contract(j->prefix, seen, history, q->first[w]);
                moments = bex_condition_moments(j->condition, seen);
            }
            if (j->moments) j->moments[w] = moments;
            memcpy(sum, history, wide * sizeof *sum);
            bex_prefix_add_window(j->prefix, sum, q->first[w], q->count[w]);
            bex_prefix_contract(j->prefix, group + (size_t)waiting * size, sum, q->first[w]);
            windows[waiting++] = w;
            if (waiting == GROUP) waiting = factor_group(j, group, windows, waiting);
        }
    }
    if (waiting) factor_group(j, group, windows, waiting);
}

static void take_piece(long piece, void *payload) {
    const job *j = payload;
    int64_t low = (int64_t)piece * j->histories, high = low + j->histories;
    run_piece(j, low, high < j->query->G ? high : j->query->G);
}

int bex_label(double *log_cov, bex_moments *moments, const bex_prefix *p, const bex_condition *c,
              const bex_label_query *q, int threads) {
    const bex_feature *f = bex_prefix_feature(p);
    bex_gram_shape shape = bex_feature_shape(f), wanted = bex_condition_shape(c);
    BEX_CHECK(shape.d == wanted.d && shape.diagonal == wanted.diagonal,
              "features of %d, statistics of %d", shape.d, wanted.d);
    BEX_CHECK(!moments || bex_condition_bank(c) > 1, "moments of a bank of %d",
              bex_condition_bank(c));
    if (q->G < 1 || q->windows < 1) return 0;
    job j = {log_cov, moments, p, c, q, bex_feature_wide(f), shape, bex_feature_relative(f), 1};
    if (q->windows < PIECE) j.histories = PIECE / q->windows;
    long pieces = (q->G + j.histories - 1) / j.histories;
    bex_parallel(threads, pieces, take_piece, &j);
    for (size_t w = 0; w < (size_t)q->G * (size_t)q->windows; w++)
        if (!isfinite(log_cov[w]) || (moments && !isfinite(moments[w].std)))
            return bex_coverage_fail(bex_condition_lambda(c));
    return 0;
}

void bex_label_bank(double *bank, const bex_prefix *p, const int *first, const int *count, int M) {
    const bex_feature *f = bex_prefix_feature(p);
    bex_gram_shape wide = bex_feature_wide(f);
    size_t size = bex_gram_size(bex_feature_shape(f));
    double sum[BEX_GRAM_MOST];
    for (int m = 0; m < M; m++) {
        bex_gram_zero(wide, sum);
        bex_prefix_add_window(p, sum, first[m], count[m]);
        bex_prefix_contract(p, bank + (size_t)m * size, sum, first[m]);
    }
}
