/* coverage/feature.c - the kinds of phi, their parameters, and batches of features. */
#include "coverage/feature.h"

#include "base/error.h"
#include "base/nearest.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "kernel/linear.h"
#include "kernel/vsincos.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 128, // rows evaluated together, on the stack
    MOST_INPUT = 1 << 20,
    MOST_TENSORS = 8,
};

typedef struct parameter {
    const char *name;
    int rank;
    int64_t dim[2];
    bex_real *data;
} parameter;

typedef struct kind kind;

struct bex_feature {
    const kind *kind;
    int64_t shape[4]; // input, out, hidden, grid (1: onehot over a grid)
    int input, in, out, hidden;
    bool grid, standardise;
    int64_t dims[BEX_FEATURE_DIMS], bins[BEX_FEATURE_DIMS];
    double cos_b[BEX_GRAM_WIDTH], sin_b[BEX_GRAM_WIDTH]; // of the cosines' offsets
    int parameters;
    parameter parameter[MOST_TENSORS];
    bex_real *block; // what the parameters point into
    char seed_text[24], bandwidth_text[32];
};

struct kind {
    const char *name; // first member: base/nearest.h
    int out;
    bool onehot, relative;
    void (*list)(bex_feature *f); // names and shapes of the parameters
    void (*draw)(bex_feature *f, bex_rng rng, double bandwidth);
    // out (rows, wide) from x (rows, in)
    void (*eval)(const bex_feature *f, bex_real *out, bex_real *x, int rows);
};

/* ---- parameters ---- */

static void add(bex_feature *f, const char *name, int rows, int columns) {
    parameter *p = &f->parameter[f->parameters++];
    *p = (parameter){name, columns ? 2 : 1, {rows, columns}, NULL};
}

static size_t count_of(const parameter *p) {
    return (size_t)p->dim[0] * (size_t)(p->rank == 2 ? p->dim[1] : 1);
}

static bex_real *find(const bex_feature *f, const char *name) {
    for (int i = 0; i < f->parameters; i++)
        if (!strcmp(f->parameter[i].name, name)) return f->parameter[i].data;
    return NULL;
}

static void mlp_list(bex_feature *f) {
    add(f, "phi.0.weight", f->hidden, f->in), add(f, "phi.0.bias", f->hidden, 0);
    add(f, "phi.1.weight", f->hidden, f->hidden), add(f, "phi.1.bias", f->hidden, 0);
    add(f, "phi.2.weight", f->out, f->hidden), add(f, "phi.2.bias", f->out, 0);
}

static void cosine_list(bex_feature *f) {
    add(f, "phi.weight", f->out, f->in), add(f, "phi.bias", f->out, 0);
}

static void onehot_list(bex_feature *f) {
    if (f->grid) add(f, "phi.low", f->in, 0), add(f, "phi.bin", f->in, 0);
}

static void mlp_draw(bex_feature *f, bex_rng rng, double bandwidth) {
    (void)bandwidth;
    for (int layer = 0; layer < 3; layer++) {
        bex_rng r = bex_rng_split(rng, "phi.mlp", (uint64_t)layer);
        const parameter *weight = &f->parameter[2 * layer];
        double bound = 1 / sqrt((double)weight->dim[1]); // the bias shares its weight's fan-in
        for (int p = 0; p < 2; p++)
            for (size_t i = 0; i < count_of(weight + p); i++)
                weight[p].data[i] = R(bound * (2 * bex_rng_uniform(&r) - 1));
    }
}

static void cosine_draw(bex_feature *f, bex_rng rng, double bandwidth) {
    bex_rng a = bex_rng_split(rng, "phi.cosine.A", 0), b = bex_rng_split(rng, "phi.cosine.b", 0);
    bex_real *weight = f->parameter[0].data, *bias = f->parameter[1].data;
    for (int i = 0; i < f->out * f->in; i++) weight[i] = R(bandwidth * bex_rng_normal(&a));
    for (int i = 0; i < f->out; i++) bias[i] = R(2 * 3.14159265358979323846 * bex_rng_uniform(&b));
}

/* ---- evaluation of one chunk ---- */

static void mlp_eval(const bex_feature *f, bex_real *out, bex_real *x, int rows) {
    bex_real h[CHUNK * BEX_FEATURE_DIMS];
    const parameter *p = f->parameter;
    bex_linear_fwd(h, NULL, x, p[0].data, p[1].data, rows, f->hidden, f->in, BEX_ACTIVATION_RELU);
    bex_linear_fwd(x, NULL, h, p[2].data, p[3].data, rows, f->hidden, f->hidden,
                   BEX_ACTIVATION_RELU);
    bex_linear_fwd(out, NULL, x, p[4].data, p[5].data, rows, f->out, f->hidden, BEX_ACTIVATION_ID);
}

static void cosine_eval(const bex_feature *f, bex_real *out, bex_real *x, int rows) {
    const parameter *p = f->parameter;
    bex_linear_fwd(out, NULL, x, p[0].data, p[1].data, rows, f->out, f->in, BEX_ACTIVATION_ID);
    bex_sincos(NULL, out, out, (size_t)rows * (size_t)f->out);
}

static void relative_eval(const bex_feature *f, bex_real *out, bex_real *x, int rows) {
    const parameter *p = f->parameter;
    bex_real angle[CHUNK * BEX_GRAM_WIDTH];
    bex_linear_fwd(angle, NULL, x, p[0].data, p[1].data, rows, f->out, f->in, BEX_ACTIVATION_ID);
    for (int r = 0; r < rows; r++) {
        bex_real *wide = out + 2 * r * f->out;
        bex_sincos(wide + f->out, wide, angle + r * f->out, (size_t)f->out);
    }
}

static const kind kinds[] = {
    {"onehot", 0, true, false, onehot_list, NULL, NULL},
    {"mlp", 32, false, false, mlp_list, mlp_draw, mlp_eval},
    {"cosine", 16, false, false, cosine_list, cosine_draw, cosine_eval},
    {"cosine_relative", 16, false, true, cosine_list, cosine_draw, relative_eval},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

// x (in) of one state; false if a value is not finite
static bool select_dims(const bex_feature *f, bex_real *x, const bex_real *state,
                        const bex_real *reference, const bex_real *mean, const bex_real *std) {
    bool finite = true;
    for (int i = 0; i < f->in; i++) {
        bex_real v = state[f->dims[i]];
        finite &= isfinite(v) != 0;
        if (reference)
            v -= reference[f->dims[i]];
        else if (mean)
            v -= mean[i];
        x[i] = std ? v / std[i] : v;
    }
    return finite;
}

/* ---- making one ---- */

static const kind *kind_named(const char *name) {
    for (int i = 0; i < KINDS; i++)
        if (!strcmp(kinds[i].name, name)) return &kinds[i];
    bex_fail("no feature kind '%s'", name);
    const char *near = bex_nearest(name, kinds, KINDS, sizeof *kinds);
    if (near)
        bex_fail_hint("did you mean %s?", near);
    else
        bex_fail_hint("onehot, mlp, cosine or cosine_relative");
    return NULL;
}

// sizes known: check them, list the parameters, allocate
static int lay_out(bex_feature *f) {
    const kind *k = f->kind;
    if (f->input < 1 || f->input > MOST_INPUT) return bex_fail("states of %d values", f->input);
    if (f->in < 1 || f->in > BEX_FEATURE_DIMS)
        return bex_fail("%d dims selected; phi takes 1 to %d", f->in, BEX_FEATURE_DIMS);
    int most = k->onehot ? BEX_GRAM_CELLS : k->relative ? BEX_GRAM_WIDTH / 2 : BEX_GRAM_WIDTH;
    if (f->out < 1 || f->out > most)
        return bex_fail("%d features; %s takes 1 to %d", f->out, k->name, most);
    if (f->hidden < 1 || f->hidden > BEX_FEATURE_DIMS)
        return bex_fail("%d hidden units; mlp takes 1 to %d", f->hidden, BEX_FEATURE_DIMS);
    if (k->onehot && !f->grid && f->in != 1)
        return bex_fail("onehot without bins takes one dim, not %d", f->in);
    for (int i = 0; i < f->in; i++) {
        if (f->dims[i] < 0 || f->dims[i] >= f->input)
            return bex_fail("dim %lld of states of %d values", (long long)f->dims[i], f->input);
        for (int j = 0; j < i; j++)
            if (f->dims[j] == f->dims[i])
                return bex_fail("dim %lld is selected twice", (long long)f->dims[i]);
    }
    k->list(f);
    if (f->standardise) add(f, "phi.mean", f->in, 0), add(f, "phi.std", f->in, 0);
    size_t total = 0;
    for (int i = 0; i < f->parameters; i++) total += count_of(&f->parameter[i]);
    f->block = calloc(total ? total : 1, sizeof *f->block);
    if (!f->block) return bex_fail("out of memory");
    for (int i = 0, at = 0; i < f->parameters; i++) {
        f->parameter[i].data = f->block + at;
        at += (int)count_of(&f->parameter[i]);
    }
    f->shape[0] = f->input, f->shape[1] = f->out, f->shape[2] = f->hidden, f->shape[3] = f->grid;
    return 0;
}

static int set_grid(bex_feature *f, const bex_feature_options *o) {
    bex_real *low = find(f, "phi.low"), *bin = find(f, "phi.bin");
    for (int i = 0; i < f->in; i++) {
        if (!isfinite(o->low[i]) || !(o->bin[i] > 0) || !isfinite(o->bin[i]))
            return bex_fail("onehot: dim %lld: bins of size %g from %g", (long long)f->dims[i],
                            (double)o->bin[i], (double)o->low[i]);
        low[i] = o->low[i], bin[i] = o->bin[i];
    }
    return 0;
}

static int set_standard(bex_feature *f, const bex_feature_options *o) {
    bex_real *mean = find(f, "phi.mean"), *std = find(f, "phi.std");
    for (int i = 0; i < f->in; i++) {
        mean[i] = o->mean[f->dims[i]], std[i] = o->std[f->dims[i]];
        if (!isfinite(mean[i]) || !isfinite(std[i]) || !(std[i] > 0)) {
            bex_fail("dim %lld is constant or not finite: it cannot be standardised",
                     (long long)f->dims[i]);
            return bex_fail_hint("leave it out of the dims");
        }
    }
    return 0;
}

// what eval needs beside the parameters themselves
static void finish(bex_feature *f) {
    const bex_real *bias = find(f, "phi.bias");
    for (int i = 0; bias && i < f->out; i++)
        f->cos_b[i] = cos((double)bias[i]), f->sin_b[i] = sin((double)bias[i]);
}

// number of cells of the grid, 0 if a size is wrong or they are too many
static int count_cells(bex_feature *f) {
    int64_t cells = 1;
    for (int i = 0; i < f->in; i++) {
        if (f->bins[i] < 1 || f->bins[i] > BEX_GRAM_CELLS) return 0;
        cells *= f->bins[i];
        if (cells > BEX_GRAM_CELLS) return 0;
    }
    return (int)cells;
}

static int set_options(bex_feature *f, const bex_feature_options *o) {
    int given = o->dims ? o->dims_count : o->input;
    if (given < 1 || given > BEX_FEATURE_DIMS)
        return bex_fail("%d dims selected; phi takes 1 to %d", given, BEX_FEATURE_DIMS);
    f->input = o->input, f->in = given;
    for (int i = 0; i < given; i++) f->dims[i] = o->dims ? o->dims[i] : i;
    f->out = o->out ? o->out : f->kind->out;
    f->hidden = o->hidden ? o->hidden : 128;
    f->grid = f->kind->onehot && o->bins;
    f->standardise = o->mean && o->std;
    if (f->grid) {
        BEX_CHECK(o->low && o->bin, "a grid needs low and bin");
        for (int i = 0; i < given; i++) f->bins[i] = o->bins[i];
        f->out = count_cells(f);
        if (!f->out) return bex_fail("a grid of 1 to %d cells is needed", BEX_GRAM_CELLS);
    }
    if (!(o->bandwidth >= 0 && o->bandwidth <= 1e6))
        return bex_fail("bandwidth %g is not in 0 to 1e6", o->bandwidth);
    if (lay_out(f) < 0 || (f->grid && set_grid(f, o) < 0) ||
        (f->standardise && set_standard(f, o) < 0))
        return -1;
    double bandwidth = o->bandwidth > 0 ? o->bandwidth : 1;
    if (f->kind->draw) f->kind->draw(f, bex_rng_seed(o->seed), bandwidth);
    snprintf(f->seed_text, sizeof f->seed_text, "%llu", (unsigned long long)o->seed);
    snprintf(f->bandwidth_text, sizeof f->bandwidth_text, "%.17g", bandwidth);
    finish(f);
    return 0;
}

bex_feature *bex_feature_new(const bex_feature_options *options) {
    const kind *k = kind_named(options->kind);
    bex_feature *f = k ? calloc(1, sizeof *f) : NULL;
    if (!f) {
        if (k) bex_fail("out of memory");
        return NULL;
    }
    f->kind = k;
    if (set_options(f, options) < 0) {
        bex_feature_free(f);
        bex_fail_in("features");
        return NULL;
    }
    return f;
}

void bex_feature_free(bex_feature *f) {
    if (!f) return;
    free(f->block);
    free(f);
}

const char *bex_feature_kind(const bex_feature *f) {
    return f->kind->name;
}

int bex_feature_input(const bex_feature *f) {
    return f->input;
}

bool bex_feature_relative(const bex_feature *f) {
    return f->kind->relative;
}

bex_gram_shape bex_feature_shape(const bex_feature *f) {
    return (bex_gram_shape){f->out, f->kind->onehot};
}

bex_gram_shape bex_feature_wide(const bex_feature *f) {
    return (bex_gram_shape){f->kind->relative ? 2 * f->out : f->out, f->kind->onehot};
}

/* ---- batches ---- */

static int32_t cell_of(const bex_feature *f, const bex_real *x, const bex_real *low,
                       const bex_real *bin) {
    if (!low) {
        double s = (double)x[0];
        return s >= 0 && s < f->out && s == floor(s) ? (int32_t)s : -1;
    }
    int64_t cell = 0;
    for (int i = 0; i < f->in; i++) {
        double c = floor((double)((x[i] - low[i]) / bin[i]));
        int64_t last = f->bins[i] - 1;
        cell = cell * f->bins[i] + (c <= 0 ? 0 : c >= (double)last ? last : (int64_t)c);
    }
    return (int32_t)cell;
}

typedef struct batch {
    bex_real *out;  // (n, wide), or NULL: cells
    int32_t *cells; // (n)
    const bex_real *states, *reference;
} batch;

static bool run_cell(const bex_feature *f, const batch *b, size_t row, const bex_real *x,
                     const bex_real *low, const bex_real *bin) {
    int32_t cell = cell_of(f, x, low, bin);
    if (cell >= 0 && b->cells) b->cells[row] = cell;
    if (cell >= 0 && b->out) {
        bex_real *out = b->out + row * (size_t)f->out;
        memset(out, 0, (size_t)f->out * sizeof *out);
        out[cell] = 1;
    }
    return cell >= 0;
}

// rows first.. of a batch; the first bad row, or SIZE_MAX
static size_t run_chunk(const bex_feature *f, const batch *b, size_t first, int rows) {
    bex_real x[CHUNK * BEX_FEATURE_DIMS];
    const bex_real *mean = find(f, "phi.mean"), *std = find(f, "phi.std");
    const bex_real *low = find(f, "phi.low"), *bin = find(f, "phi.bin");
    size_t bad = SIZE_MAX;
    for (int r = rows - 1; r >= 0; r--) {
        size_t row = first + (size_t)r;
        const bex_real *state = b->states + row * (size_t)f->input;
        bool fine = select_dims(f, x + r * f->in, state, b->reference, mean, std);
        if (fine && f->kind->onehot) fine = run_cell(f, b, row, x + r * f->in, low, bin);
        if (!fine) bad = row;
    }
    if (bad != SIZE_MAX || f->kind->onehot) return bad;
    if (b->reference)
        cosine_eval(f, b->out + first * (size_t)f->out, x, rows);
    else
        f->kind->eval(f, b->out + first * (size_t)bex_feature_wide(f).d, x, rows);
    return bad;
}

typedef struct {
    const bex_feature *f;
    const batch *b;
    size_t n;
    atomic_size_t bad; // the first bad row so far, or SIZE_MAX
} chunks_job;

static void chunk_piece(long c, void *payload) {
    chunks_job *j = payload;
    size_t first = (size_t)c * CHUNK, left = j->n - first, bad = atomic_load(&j->bad);
    if (bad < first) return; // only an earlier one would still count
    size_t at = run_chunk(j->f, j->b, first, left < CHUNK ? (int)left : CHUNK);
    while (at < bad && !atomic_compare_exchange_weak(&j->bad, &bad, at)) {
    }
}

// the first bad row of n, or SIZE_MAX
static size_t run_chunks(const bex_feature *f, const batch *b, size_t n, int threads) {
    chunks_job job = {.f = f, .b = b, .n = n, .bad = SIZE_MAX};
    bex_parallel(threads < 1 ? 0 : threads, (long)((n + CHUNK - 1) / CHUNK), chunk_piece, &job);
    return atomic_load(&job.bad);
}

static int run(const bex_feature *f, const batch *b, size_t n, int threads) {
    size_t bad = run_chunks(f, b, n, threads);
    if (bad == SIZE_MAX) return 0;
    const bex_real *state = b->states + bad * (size_t)f->input;
    for (int i = 0; i < f->in; i++)
        if (!isfinite(state[f->dims[i]]))
            return bex_fail("features: state %zu: dim %lld is not finite", bad,
                            (long long)f->dims[i]);
    return bex_fail("features: state %zu: %g is not an integer in 0 to %d", bad,
                    (double)state[f->dims[0]], f->out - 1);
}

int bex_feature_eval(const bex_feature *f, bex_real *out, const bex_real *states, size_t n,
                     const bex_real *reference, int threads) {
    BEX_CHECK(!reference == !f->kind->relative, "%s %s a reference", f->kind->name,
              reference ? "takes no" : "needs");
    return run(f, &(batch){.out = out, .states = states, .reference = reference}, n, threads);
}

int bex_feature_eval_wide(const bex_feature *f, bex_real *out, const bex_real *states, size_t n,
                          int threads) {
    BEX_CHECK(!f->kind->onehot, "one-hot features are cells");
    return run(f, &(batch){.out = out, .states = states}, n, threads);
}

int bex_feature_cells(const bex_feature *f, int32_t *cells, const bex_real *states, size_t n,
                      int threads) {
    BEX_CHECK(f->kind->onehot, "%s features have no cells", f->kind->name);
    return run(f, &(batch){.cells = cells, .states = states}, n, threads);
}

void bex_feature_contract(const bex_feature *f, double *out, const double *wide,
                          const bex_real *reference) {
    BEX_CHECK(f->kind->relative, "%s features need no contraction", f->kind->name);
    double c[BEX_GRAM_WIDTH], s[BEX_GRAM_WIDTH]; // cos, sin of A x_k
    int d = f->out;
    bex_gram_shape shape = bex_feature_shape(f), big = bex_feature_wide(f);
    double packed[BEX_GRAM_WIDTH * (BEX_GRAM_WIDTH + 1) / 2], *p = packed;
    for (int i = 0; i < d; i++) {
        double cosine = (double)reference[i], sine = (double)reference[d + i];
        c[i] = cosine * f->cos_b[i] + sine * f->sin_b[i];
        s[i] = sine * f->cos_b[i] - cosine * f->sin_b[i];
    }
    for (int i = 0; i < d; i++)
        for (int j = i; j < d; j++)
            *p++ = c[i] * c[j] * wide[bex_gram_index(big, i, j)] +
                   c[i] * s[j] * wide[bex_gram_index(big, i, d + j)] +
                   s[i] * c[j] * wide[bex_gram_index(big, j, d + i)] +
                   s[i] * s[j] * wide[bex_gram_index(big, d + i, d + j)];
    bex_gram_unpack(shape, out, packed);
}

/* ---- files ---- */

void bex_feature_save(const bex_feature *f, bex_st_writer *w) {
    bex_st_add_metadata(w, "phi.kind", f->kind->name);
    bex_st_add_metadata(w, "phi.seed", f->seed_text);
    bex_st_add_metadata(w, "phi.bandwidth", f->bandwidth_text);
    bex_st_add(w, "phi.shape", BEX_ST_I64, 1, (int64_t[]){4}, f->shape);
    bex_st_add(w, "phi.dims", BEX_ST_I64, 1, (int64_t[]){f->in}, f->dims);
    if (f->grid) bex_st_add(w, "phi.bins", BEX_ST_I64, 1, (int64_t[]){f->in}, f->bins);
    for (int i = 0; i < f->parameters; i++) {
        const parameter *p = &f->parameter[i];
        bex_st_add_real(w, p->name, p->rank, p->dim, p->data);
    }
}

// int64 vector `name` of `least` to `most` values; its length, or negative with a message
static int read_integers(const bex_st_file *file, const char *name, int64_t *out, int least,
                         int most) {
    const bex_st_tensor *t = bex_st_find(file, name);
    if (!t) return bex_fail("no tensor '%s'", name);
    if (t->dtype != BEX_ST_I64 || t->rank != 1 || t->count < (size_t)least ||
        t->count > (size_t)most)
        return bex_fail("tensor '%s' is not %d to %d integers", name, least, most);
    memcpy(out, t->data, t->count * sizeof *out);
    return (int)t->count;
}

static int load_into(bex_feature *f, const bex_st_file *file) {
    if (read_integers(file, "phi.shape", f->shape, 4, 4) < 0) return -1;
    for (int i = 0; i < 4; i++)
        if (f->shape[i] < 0 || f->shape[i] > MOST_INPUT)
            return bex_fail("tensor 'phi.shape' holds %lld", (long long)f->shape[i]);
    f->input = (int)f->shape[0], f->out = (int)f->shape[1];
    f->hidden = (int)f->shape[2], f->grid = f->kind->onehot && f->shape[3];
    f->standardise = bex_st_find(file, "phi.mean") || bex_st_find(file, "phi.std");
    f->in = read_integers(file, "phi.dims", f->dims, 1, BEX_FEATURE_DIMS);
    if (f->in < 0) return -1;
    if (f->grid) {
        if (read_integers(file, "phi.bins", f->bins, f->in, f->in) < 0) return -1;
        if (count_cells(f) != f->out) return bex_fail("tensor 'phi.bins' does not fit phi.shape");
    }
    if (lay_out(f) < 0) return -1;
    for (int i = 0; i < f->parameters; i++) {
        parameter *p = &f->parameter[i];
        if (bex_st_read_real(file, p->name, p->data, p->rank, p->dim) < 0) return -1;
        bool divisor = !strcmp(p->name, "phi.std") || !strcmp(p->name, "phi.bin");
        for (size_t e = 0; divisor && e < count_of(p); e++)
            if (!(p->data[e] > 0)) return bex_fail("tensor '%s' must be positive", p->name);
    }
    const char *seed = bex_st_metadata(file, "phi.seed");
    const char *bandwidth = bex_st_metadata(file, "phi.bandwidth");
    snprintf(f->seed_text, sizeof f->seed_text, "%s", seed ? seed : "");
    snprintf(f->bandwidth_text, sizeof f->bandwidth_text, "%s", bandwidth ? bandwidth : "");
    finish(f);
    return 0;
}

bex_feature *bex_feature_load(const bex_st_file *file) {
    const char *name = bex_st_metadata(file, "phi.kind");
    if (!name) return bex_fail("features: no 'phi.kind' in the metadata"), NULL;
    const kind *k = kind_named(name);
    bex_feature *f = k ? calloc(1, sizeof *f) : NULL;
    if (k && !f) bex_fail("out of memory");
    if (f) f->kind = k;
    if (!f || load_into(f, file) < 0) {
        bex_feature_free(f);
        bex_fail_in("features");
        return NULL;
    }
    return f;
}
