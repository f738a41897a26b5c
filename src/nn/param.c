/* nn/param.c - the registry and its blocks. */
#include "nn/param.h"

#include "base/pages.h"
#include "base/parallel.h"
#include "kernel/conv2d.h"
#include "kernel/gemm.h"
#include "nn/tensor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAD = 16 }; // reals: a float parameter starts on a cache line

bex_params *bex_params_new(void) {
    bex_params *p = calloc(1, sizeof *p);
    if (!p) bex_fail("out of memory");
    return p;
}

void bex_params_free(bex_params *p) {
    if (!p) return;
    for (int i = 0; i < p->params; i++) free(p->param[i]);
    free(p->param);
    free(p->value);
    free(p->grad);
    free(p->started);
    free(p->m);
    free(p->v);
    free(p->ema);
    free(p->packed);
    free(p);
}

const bex_param *bex_param_find(const bex_params *p, const char *name) {
    for (int i = 0; i < p->params; i++)
        if (!strcmp(p->param[i]->name, name)) return p->param[i];
    return NULL;
}

// a new parameter for which the list has room, or NULL: memory ran out, and build will say so
static bex_param *room_for_one(bex_params *p) {
    if (!p || p->failed) return NULL;
    BEX_CHECK(!p->value, "parameter added after the block was built");
    if (p->params == p->capacity) {
        int capacity = 2 * p->capacity + 16;
        bex_param **more = realloc(p->param, (size_t)capacity * sizeof *more);
        if (more) p->param = more, p->capacity = capacity;
    }
    bex_param *q = p->params < p->capacity ? calloc(1, sizeof *q) : NULL;
    p->failed = !q;
    return q;
}

void bex_params_scope(bex_params *p, const char *scope) {
    if (p) p->scope = scope;
}

const bex_param *bex_param_add(bex_params *p, bex_init init, int rank, const int *dim,
                               const char *name, ...) {
    static const bex_param nothing;
    bex_param *q = room_for_one(p);
    if (!q) return &nothing;
    va_list args;
    va_start(args, name);
    int scope = snprintf(q->name, sizeof q->name, "%s", p->scope ? p->scope : "");
    int length = scope + vsnprintf(q->name + scope, sizeof q->name - (size_t)scope, name, args);
    va_end(args);
    BEX_CHECK(length > scope && length < (int)sizeof q->name, "parameter name '%s'", q->name);
    BEX_CHECK(!bex_param_find(p, q->name), "parameter '%s' registered twice", q->name);
    q->block = p;
    q->index = p->params;
    q->init = init;
    q->rank = rank;
    memcpy(q->dim, dim, (size_t)rank * sizeof *dim);
    q->offset = p->count;
    q->count = bex_numel(rank, dim);
    p->count += (q->count + PAD - 1) / PAD * PAD;
    return p->param[p->params++] = q;
}

// NULL with a message
static bex_real *block(size_t count) {
    bex_real *b = bex_pages_alloc(count * sizeof *b);
    if (!b) bex_fail("out of memory: %zu parameters", count);
    return b;
}

static bex_real *zeros(size_t count) {
    bex_real *b = block(count);
    return b ? memset(b, 0, count * sizeof *b) : NULL;
}

// of a product: a matrix, an ensemble of them, or a convolution's weights (N,kh,kw,C)
static bool is_matrix(const bex_param *q) {
    return q->rank >= 2;
}

static int taps(const bex_param *q) {
    return q->dim[1] * q->dim[2];
}

// reals of one member's panels
static size_t panels_size(const bex_param *q, bex_panels form) {
    if (q->rank == 4)
        return form == BEX_PANELS_Y ? bex_conv2d_pack_size(q->dim[0], taps(q), q->dim[3])
                                    : bex_conv2d_pack_dx_size(q->dim[0], taps(q), q->dim[3]);
    int N = q->dim[q->rank - 2], K = q->dim[q->rank - 1];
    return form == BEX_PANELS_Y ? bex_gemm_pack_size(N, K) : bex_gemm_pack_size(K, N);
}

static int members(const bex_param *q) {
    return q->rank == 3 ? q->dim[0] : 1;
}

static bex_panels last_form(const bex_params *p) {
    return p->blocks ? BEX_PANELS_DX : BEX_PANELS_Y;
}

// where each matrix's panels go; a panel's size is a multiple of a cache line
static void lay_out_panels(bex_params *p) {
    for (int i = 0; i < p->params; i++)
        for (bex_panels form = BEX_PANELS_Y; is_matrix(p->param[i]) && form <= last_form(p);
             form++) {
            p->param[i]->packed[form] = p->packed_count;
            p->packed_count += (size_t)members(p->param[i]) * panels_size(p->param[i], form);
        }
}

static void mark(bex_params *p, int first, int blocks, bool started) {
    size_t n = (size_t)p->params;
    memset(p->started + (size_t)first * n, started, (size_t)blocks * n);
}

int bex_params_allocate(bex_params *p, int blocks) {
    if (!p || p->failed) return bex_fail("out of memory: the parameters of a network");
    BEX_CHECK(!p->value, "parameter block built twice");
    bex_real *value = zeros(p->count), *grad = NULL;
    bool *started = NULL;
    if (value && blocks) {
        grad = zeros(p->count * (size_t)blocks);
        started = malloc((size_t)blocks * (size_t)(p->params + 1));
    }
    if (!value || (blocks && (!grad || !started))) {
        free(value);
        free(grad);
        free(started);
        return bex_fail("out of memory: %d blocks of %zu parameters", blocks + 1, p->count);
    }
    p->blocks = blocks, p->value = value, p->grad = grad, p->started = started;
    if (blocks) mark(p, 0, blocks, true);
    lay_out_panels(p);
    return 0;
}

int bex_params_build(bex_params *p, int blocks, bex_rng rng) {
    if (bex_params_allocate(p, blocks) < 0) return -1;
    for (int i = 0; i < p->params; i++) {
        const bex_param *q = p->param[i];
        bex_init_fill(bex_param_edit(q), q->init, q->rank, q->dim, bex_rng_split(rng, q->name, 0));
    }
    return 0;
}

size_t bex_params_total(const bex_params *p) {
    size_t n = 0;
    for (int i = 0; i < p->params; i++) n += p->param[i]->count;
    return n;
}

int bex_params_moments(bex_params *p) {
    if (!p->m) p->m = zeros(p->count);
    if (!p->v) p->v = zeros(p->count);
    return p->m && p->v ? 0 : -1;
}

int bex_params_ema(bex_params *p) {
    if (!p->ema && !(p->ema = zeros(p->count))) return -1;
    memcpy(p->ema, p->value, p->count * sizeof *p->ema);
    return 0;
}

void bex_params_zero_grad(bex_params *p) {
    if (!p->blocks) return;
    memset(p->grad, 0, (size_t)p->blocks * p->count * sizeof *p->grad);
    mark(p, 0, p->blocks, true);
}

void bex_params_begin(bex_params *p, int block) {
    mark(p, block, 1, false);
}

static bool *flag(const bex_param *q, int block) {
    return q->block->started + (size_t)block * (size_t)q->block->params + q->index;
}

// a whole parameter's, as zeros, unless it has begun
static void start(const bex_param *q, int block) {
    if (!*flag(q, block)) memset(bex_param_grad(q, block), 0, q->count * sizeof(bex_real));
    *flag(q, block) = true;
}

void bex_params_end(bex_params *p, int block) {
    for (int i = 0; i < p->params; i++) start(p->param[i], block);
}

bool *bex_param_started(const bex_param *q, int block) {
    const bex_param *whole = q->block->param[q->index];
    if (q->count < whole->count) start(whole, block);
    return flag(q, block);
}

static void check_equal_layout(const bex_params *a, const bex_params *b) {
    BEX_CHECK(a->params == b->params && a->count == b->count,
              "blocks of %d parameters (%zu reals) and %d (%zu)", a->params, a->count, b->params,
              b->count);
}

void bex_params_copy(bex_params *to, const bex_params *from) {
    check_equal_layout(to, from);
    memcpy(to->value, from->value, to->count * sizeof *to->value);
    bex_params_changed(to);
}

enum { PIECE = 16384 }; // reals

typedef struct {
    bex_params *to;
    const bex_params *from;
    bex_real tau;
} polyak_job;

static void polyak_piece(long k, void *payload) {
    const polyak_job *j = payload;
    size_t at = (size_t)k * PIECE, end = at + PIECE < j->to->count ? at + PIECE : j->to->count;
    bex_real *to = j->to->value, tau = j->tau;
    const bex_real *from = j->from->value;
    for (size_t i = at; i < end; i++) to[i] += tau * (from[i] - to[i]);
}

void bex_params_polyak(bex_params *to, const bex_params *from, bex_real tau, int threads) {
    check_equal_layout(to, from);
    polyak_job job = {to, from, tau};
    bex_parallel(threads, (long)((to->count + PIECE - 1) / PIECE), polyak_piece, &job);
    bex_params_changed(to);
}

/* ---- the packed copy ---- */

static void pack_convolution(bex_real *packed, const bex_param *q) {
    int N = q->dim[0], C = q->dim[3];
    bex_conv2d_pack(packed + q->packed[BEX_PANELS_Y], bex_param_value(q), N, taps(q), C);
    if (last_form(q->block) == BEX_PANELS_DX)
        bex_conv2d_pack_dx(packed + q->packed[BEX_PANELS_DX], bex_param_value(q), N, taps(q), C);
}

static void pack_param(long i, void *payload) {
    const bex_params *p = payload;
    const bex_param *q = p->param[i];
    if (!is_matrix(q)) return;
    if (q->rank == 4) {
        pack_convolution(p->packed, q);
        return;
    }
    int N = q->dim[q->rank - 2], K = q->dim[q->rank - 1];
    for (int e = 0; e < members(q); e++) {
        const bex_real *W = bex_param_value(q) + (size_t)e * (size_t)N * (size_t)K;
        for (bex_panels form = BEX_PANELS_Y; form <= last_form(p); form++) {
            bex_real *to = p->packed + q->packed[form] + (size_t)e * panels_size(q, form);
            if (form == BEX_PANELS_Y)
                bex_gemm_pack(to, W, K, N, K, BEX_GEMM_TB);
            else
                bex_gemm_pack(to, W, K, K, N, 0);
        }
    }
}

int bex_params_pack(bex_params *p, int threads) {
    if (p->packed_holds) return 0;
    if (!p->packed && !(p->packed = block(p->packed_count))) return -1;
    bex_parallel(threads, p->params, pack_param, p);
    p->packed_holds = true;
    return 0;
}

void bex_params_changed(bex_params *p) {
    p->packed_holds = false;
}

const bex_real *bex_param_panels(const bex_param *q, bex_panels form, int member) {
    const bex_params *p = q->block;
    if (!p->packed_holds || form > last_form(p)) return NULL;
    return p->packed + q->packed[form] + (size_t)member * panels_size(q, form);
}

bex_param bex_param_member(const bex_param *q, int e) {
    BEX_CHECK(q->rank > 1 && e >= 0 && e < q->dim[0], "member %d of '%s'", e, q->name);
    bex_param one = *q;
    one.rank--;
    for (int i = 0; i < one.rank; i++) one.dim[i] = q->dim[i + 1];
    one.count = q->count / (size_t)q->dim[0];
    one.offset += (size_t)e * one.count;
    for (bex_panels form = BEX_PANELS_Y; q->rank == 3 && form <= BEX_PANELS_DX; form++)
        one.packed[form] += (size_t)e * panels_size(q, form);
    return one;
}
