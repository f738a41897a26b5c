/* coverage/condition.c - statistics of log coverage and what is stored of them. */
#include "coverage/condition.h"
#include "coverage/coverage.h"

#include "base/error.h"
#include "base/nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BANK = 1 << 16 };
enum { MEAN, STD, FLOOR, LAMBDA, STATS };

static const double floor_share = 0.05; // of the typical std_h

static const struct {
    const char *name; // first member: base/nearest.h
} normalises[] = {{"global"}, {"history"}, {"rank"}};

struct bex_condition {
    int64_t head[3]; // normalise, d, diagonal
    bex_gram_shape shape;
    int M;
    bool fitted;
    double stats[STATS], quantile[BEX_QUANTILES];
    double *bank;   // (M, size)
    double *packed; // (M, packed size): the bank as files hold it
};

const char *bex_normalise_name(bex_normalise n) {
    return normalises[n].name;
}

int bex_normalise_parse(bex_normalise *n, const char *name) {
    for (int i = 0; i < BEX_NORMALISES; i++)
        if (!strcmp(normalises[i].name, name)) return *n = (bex_normalise)i, 0;
    bex_fail("no normalisation '%s'", name);
    const char *near = bex_nearest(name, normalises, BEX_NORMALISES, sizeof *normalises);
    return near ? bex_fail_hint("did you mean %s?", near)
                : bex_fail_hint("global, history or rank");
}

/* ---- making one ---- */

static int set_sizes(bex_condition *c, bex_normalise normalise, bex_gram_shape shape, double lambda,
                     int M) {
    if (!(lambda > 0) || !isfinite(lambda)) return bex_fail("lambda %g is not positive", lambda);
    if (normalise == BEX_NORMALISE_HISTORY && M < 2)
        return bex_fail("history normalisation needs a bank of at least 2 futures, not %d", M);
    if (M < 0 || M > MOST_BANK) return bex_fail("a bank of %d futures; most is %d", M, MOST_BANK);
    c->head[0] = normalise, c->head[1] = shape.d, c->head[2] = shape.diagonal;
    c->shape = shape, c->M = M, c->stats[LAMBDA] = lambda;
    c->bank = calloc((size_t)M * bex_gram_size(shape) + 1, sizeof *c->bank);
    c->packed = calloc((size_t)M * bex_gram_packed_size(shape) + 1, sizeof *c->packed);
    return c->bank && c->packed ? 0 : bex_fail("out of memory: a bank of %d futures", M);
}

bex_condition *bex_condition_new(bex_normalise normalise, bex_gram_shape shape, double lambda,
                                 const double *bank, int M) {
    bex_condition *c = calloc(1, sizeof *c);
    if (!c) return bex_fail("out of memory"), NULL;
    if (set_sizes(c, normalise, shape, lambda, M) < 0) {
        bex_condition_free(c);
        bex_fail_in("coverage");
        return NULL;
    }
    size_t size = bex_gram_size(shape), packed = bex_gram_packed_size(shape);
    if (M) memcpy(c->bank, bank, (size_t)M * size * sizeof *bank);
    for (size_t m = 0; m < (size_t)M; m++)
        bex_gram_pack(shape, c->packed + m * packed, c->bank + m * size);
    return c;
}

void bex_condition_free(bex_condition *c) {
    if (!c) return;
    free(c->bank);
    free(c->packed);
    free(c);
}

bex_normalise bex_condition_normalise(const bex_condition *c) {
    return (bex_normalise)c->head[0];
}

bex_gram_shape bex_condition_shape(const bex_condition *c) {
    return c->shape;
}

double bex_condition_lambda(const bex_condition *c) {
    return c->stats[LAMBDA];
}

int bex_condition_bank(const bex_condition *c) {
    return c->M;
}

/* ---- statistics ---- */

// two passes: the deviations, not the squares, are summed
static bex_moments moments_of(const double *x, size_t n) {
    double mean = 0, square = 0;
    for (size_t i = 0; i < n; i++) mean += x[i];
    mean /= (double)n;
    for (size_t i = 0; i < n; i++) square += (x[i] - mean) * (x[i] - mean);
    return (bex_moments){mean, sqrt(square / (double)n)};
}

bex_moments bex_condition_moments(const bex_condition *c, const double *history) {
    enum { PIECE = 64 };
    double cov[PIECE], shift = 0, sum = 0, square = 0;
    size_t size = bex_gram_size(c->shape), M = (size_t)c->M;
    for (size_t first = 0; first < M; first += PIECE) {
        size_t count = M - first < PIECE ? M - first : PIECE;
        bex_coverage_batch(cov, c->shape, history, c->bank + first * size, count, c->stats[LAMBDA]);
        if (!first) shift = log(cov[0]); // near the mean: no cancellation in one pass
        for (size_t m = 0; m < count; m++) {
            double x = log(cov[m]) - shift;
            sum += x, square += x * x;
        }
    }
    double mean = sum / (double)M, variance = square / (double)M - mean * mean;
    return (bex_moments){shift + mean, variance < 0 ? 0 : sqrt(variance)};
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void tabulate(double *table, double *values, size_t n) {
    qsort(values, n, sizeof *values, compare);
    for (int q = 0; q < BEX_QUANTILES; q++) {
        double at = (double)q / (BEX_QUANTILES - 1) * (double)(n - 1);
        size_t low = (size_t)at, high = low + 1 < n ? low + 1 : low;
        table[q] = values[low] + (at - (double)low) * (values[high] - values[low]);
    }
}

int bex_condition_fit(bex_condition *c, const double *log_cov, const bex_moments *moments,
                      size_t n) {
    bool history = bex_condition_normalise(c) == BEX_NORMALISE_HISTORY;
    BEX_CHECK(history == !!moments, "history normalisation and moments go together");
    if (n < 2) return bex_fail("coverage statistics need at least 2 windows, not %zu", n);
    double typical = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(log_cov[i]) || (history && !isfinite(moments[i].std)))
            return bex_coverage_fail(c->stats[LAMBDA]);
        if (history) typical += moments[i].std * moments[i].std;
    }
    typical = sqrt(typical / (double)n);
    bex_moments training = moments_of(log_cov, n);
    if (!(training.std > 1e-12) || (history && !(typical > 1e-12))) {
        bex_fail("coverage is the same for all %zu training windows", n);
        return bex_fail_hint("phi does not tell the states apart: check its dims and scale");
    }
    double *values = malloc(n * sizeof *values);
    if (!values) return bex_fail("out of memory: %zu values", n);
    c->stats[MEAN] = training.mean, c->stats[STD] = training.std;
    c->stats[FLOOR] = floor_share * typical, c->fitted = true;
    for (size_t i = 0; i < n; i++)
        values[i] = bex_condition_value(c, log_cov[i], history ? &moments[i] : NULL);
    tabulate(c->quantile, values, n);
    free(values);
    return 0;
}

double bex_condition_value(const bex_condition *c, double log_cov, const bex_moments *moments) {
    BEX_CHECK(c->fitted, "coverage statistics were not fitted");
    if (bex_condition_normalise(c) == BEX_NORMALISE_RANK) return log_cov;
    if (bex_condition_normalise(c) == BEX_NORMALISE_GLOBAL)
        return (log_cov - c->stats[MEAN]) / c->stats[STD];
    BEX_CHECK(moments, "history normalisation needs the history's moments");
    return (log_cov - moments->mean) / fmax(moments->std, c->stats[FLOOR]);
}

double bex_condition_of_rank(double below, int n) {
    static const double scale =
        1.7320508075688772; // of a uniform variable of variance 1 on [-1, 1] * scale
    return scale * (2 * (below + 0.5) / n - 1);
}

double bex_condition_rank(const bex_condition *c, double value) {
    const double *q = c->quantile;
    if (!(value > q[0])) return value == value ? 0 : value;
    for (int i = 1; i < BEX_QUANTILES; i++)
        if (value <= q[i]) {
            double within = q[i] > q[i - 1] ? (value - q[i - 1]) / (q[i] - q[i - 1]) : 1;
            return (i - 1 + within) / (BEX_QUANTILES - 1);
        }
    return 1;
}

double bex_condition_quantile(const bex_condition *c, double q) {
    BEX_CHECK(c->fitted && q >= 0 && q <= 1, "quantile %g", q);
    double at = q * (BEX_QUANTILES - 1);
    int low = (int)at, high = low + 1 < BEX_QUANTILES ? low + 1 : low;
    return c->quantile[low] + (at - low) * (c->quantile[high] - c->quantile[low]);
}

bex_moments bex_condition_training(const bex_condition *c) {
    return (bex_moments){c->stats[MEAN], c->stats[STD]};
}

/* ---- files ---- */

void bex_condition_save(const bex_condition *c, bex_st_writer *w) {
    BEX_CHECK(c->fitted, "coverage statistics were not fitted");
    int64_t packed = (int64_t)bex_gram_packed_size(c->shape);
    bex_st_add_metadata(w, "coverage.normalise", bex_normalise_name(bex_condition_normalise(c)));
    bex_st_add(w, "coverage.head", BEX_ST_I64, 1, (int64_t[]){3}, c->head);
    bex_st_add(w, "coverage.stats", BEX_ST_F64, 1, (int64_t[]){STATS}, c->stats);
    bex_st_add(w, "coverage.quantiles", BEX_ST_F64, 1, (int64_t[]){BEX_QUANTILES}, c->quantile);
    if (c->M) bex_st_add(w, "coverage.bank", BEX_ST_F64, 2, (int64_t[]){c->M, packed}, c->packed);
}

static int check_loaded(const bex_condition *c) {
    bool history = bex_condition_normalise(c) == BEX_NORMALISE_HISTORY;
    if (!(c->stats[STD] > 0) || (history && !(c->stats[FLOOR] > 0)))
        return bex_fail("tensor 'coverage.stats' holds a spread that is not positive");
    for (int q = 1; q < BEX_QUANTILES; q++)
        if (c->quantile[q] < c->quantile[q - 1])
            return bex_fail("tensor 'coverage.quantiles' is not sorted");
    return 0;
}

static int load_into(bex_condition *c, const bex_st_file *file) {
    const bex_st_tensor *head = bex_st_find(file, "coverage.head");
    if (!head || head->dtype != BEX_ST_I64 || head->count != 3)
        return bex_fail("no tensor 'coverage.head' of 3 integers");
    int64_t h[3];
    memcpy(h, head->data, sizeof h);
    bool diagonal = h[2] == 1;
    if (h[0] < 0 || h[0] >= BEX_NORMALISES || (h[2] != 0 && !diagonal) || h[1] < 1 ||
        h[1] > (diagonal ? BEX_GRAM_CELLS : BEX_GRAM_WIDTH))
        return bex_fail("tensor 'coverage.head' holds %lld, %lld, %lld", (long long)h[0],
                        (long long)h[1], (long long)h[2]);
    double stats[STATS];
    if (bex_st_read_f64(file, "coverage.stats", stats, 1, (int64_t[]){STATS}) < 0 ||
        bex_st_read_f64(file, "coverage.quantiles", c->quantile, 1, (int64_t[]){BEX_QUANTILES}) < 0)
        return -1;
    const bex_st_tensor *bank = bex_st_find(file, "coverage.bank");
    int64_t M = bank && bank->rank == 2 ? bank->dim[0] : 0;
    if (M > MOST_BANK)
        return bex_fail("a bank of %lld futures; most is %d", (long long)M, MOST_BANK);
    bex_gram_shape shape = {(int)h[1], diagonal};
    if (set_sizes(c, (bex_normalise)h[0], shape, stats[LAMBDA], (int)M) < 0) return -1;
    memcpy(c->stats, stats, sizeof stats);
    size_t size = bex_gram_size(shape), packed = bex_gram_packed_size(shape);
    if (bank &&
        bex_st_read_f64(file, "coverage.bank", c->packed, 2, (int64_t[]){M, (int64_t)packed}) < 0)
        return -1;
    for (size_t m = 0; m < (size_t)M; m++)
        bex_gram_unpack(shape, c->bank + m * size, c->packed + m * packed);
    c->fitted = true;
    return check_loaded(c);
}

bex_condition *bex_condition_load(const bex_st_file *file) {
    bex_condition *c = calloc(1, sizeof *c);
    if (!c) return bex_fail("out of memory"), NULL;
    if (load_into(c, file) < 0) {
        bex_condition_free(c);
        bex_fail_in("coverage");
        return NULL;
    }
    return c;
}
