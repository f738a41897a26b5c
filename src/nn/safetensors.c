/* nn/safetensors.c - read safetensors: check everything, then copy the data once.
 *
 *   8 bytes N | header: N bytes of JSON | data
 *   header -> entries with [begin, end) -> sorted by begin -> must tile the data exactly -> read
 *
 * A file from elsewhere may place a tensor at any byte; each is copied to an aligned place of its own,
 * so that `data` can be used as an array. The JSON is safetensors_header.c's, writing
 * safetensors_save.c's. */
#include "nn/safetensors.h"

#include "base/error.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/pages.h"
#include "nn/safetensors_header.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "safetensors data is little endian and used in place: this machine is not"
#endif

enum { ALIGN = 64 };

static const struct {
    const char *name;
    size_t size;
} dtypes[BEX_ST_DTYPES] = {
    [BEX_ST_F32] = {"F32", 4}, [BEX_ST_F64] = {"F64", 8},   [BEX_ST_I64] = {"I64", 8},
    [BEX_ST_I32] = {"I32", 4}, [BEX_ST_U8] = {"U8", 1},     [BEX_ST_BOOL] = {"BOOL", 1},
    [BEX_ST_F16] = {"F16", 2}, [BEX_ST_BF16] = {"BF16", 2}, [BEX_ST_I8] = {"I8", 1},
    [BEX_ST_I16] = {"I16", 2}, [BEX_ST_U16] = {"U16", 2},   [BEX_ST_U32] = {"U32", 4},
    [BEX_ST_U64] = {"U64", 8},
};

struct bex_st_file {
    char *name;           // what messages call it
    bex_st_header header; // owns tensor names and metadata
    bex_st_tensor *tensors;
    int count;
    unsigned char *data;
};

// where the bytes come from: a stream, or memory when stream is NULL
typedef struct source {
    FILE *stream;
    const unsigned char *bytes;
    uint64_t size, at;
} source;

size_t bex_st_dtype_size(bex_st_dtype dtype) {
    return dtypes[dtype].size;
}

const char *bex_st_dtype_name(bex_st_dtype dtype) {
    return dtypes[dtype].name;
}

static int pull(source *s, void *out, uint64_t n) {
    if (n > s->size - s->at) return bex_fail("truncated");
    if (n == 0) return 0;
    if (!s->stream)
        memcpy(out, s->bytes + s->at, (size_t)n);
    else if (fread(out, 1, (size_t)n, s->stream) != n)
        return bex_fail("cannot read: %s", ferror(s->stream) ? strerror(errno) : "it shrank");
    s->at += n;
    return 0;
}

/* ---- the header ---- */

// elements and bytes of a shape; an overflow is refused even beside a dimension of 0
static int measure(bex_st_tensor *t, uint64_t *bytes) {
    uint64_t product = dtypes[t->dtype].size;
    t->count = 1;
    for (int i = 0; i < t->rank; i++) {
        uint64_t d = (uint64_t)t->dim[i];
        if (d > 0 && __builtin_mul_overflow(product, d, &product))
            return bex_fail("its shape overflows");
        t->count = d > 0 ? t->count * (size_t)d : 0;
    }
    if (product > PTRDIFF_MAX) return bex_fail("its shape overflows");
    *bytes = t->count * dtypes[t->dtype].size;
    return 0;
}

static int check_entry(bex_st_entry *e, uint64_t data_size) {
    uint64_t bytes = 0;
    if (measure(&e->tensor, &bytes) < 0) return -1;
    if (e->begin > e->end)
        return bex_fail("data_offsets [%" PRIu64 ", %" PRIu64 ") run backwards", e->begin, e->end);
    if (e->end > data_size)
        return bex_fail("it ends at byte %" PRIu64 " of %" PRIu64 " bytes of data: truncated",
                        e->end, data_size);
    if (e->end - e->begin != bytes)
        return bex_fail("it has %" PRIu64 " bytes, its shape and dtype need %" PRIu64,
                        e->end - e->begin, bytes);
    return 0;
}

// an empty tensor comes before the one that begins where it stands
static int by_place(const void *a, const void *b) {
    const bex_st_entry *p = a, *q = b;
    if (p->begin != q->begin) return p->begin < q->begin ? -1 : 1;
    if (p->end != q->end) return p->end < q->end ? -1 : 1;
    return strcmp(p->tensor.name, q->tensor.name);
}

static int check_tiling(const bex_st_entry *all, int count, uint64_t data_size) {
    uint64_t at = 0;
    for (int i = 0; i < count; i++) {
        if (all[i].begin != at)
            return bex_fail("tensor '%.200s': it begins at byte %" PRIu64
                            ", the data before it ends at %" PRIu64 ": %s",
                            all[i].tensor.name, all[i].begin, at,
                            all[i].begin < at ? "an overlap" : "a gap");
        at = all[i].end;
    }
    if (at != data_size)
        return bex_fail("%" PRIu64 " bytes at the end belong to no tensor", data_size - at);
    return 0;
}

/* ---- the data ---- */

static size_t aligned(size_t n) {
    return (n + ALIGN - 1) / ALIGN * ALIGN;
}

static int check_bools(const bex_st_tensor *t) {
    const unsigned char *v = t->data;
    for (size_t i = 0; t->dtype == BEX_ST_BOOL && i < t->count; i++)
        if (v[i] > 1)
            return bex_fail("tensor '%.200s': element %zu is %d, a BOOL is 0 or 1", t->name, i,
                            v[i]);
    return 0;
}

// tensors lie in the order of `all`, without gaps: one pass over the source
static int read_data(bex_st_file *f, source *s) {
    const bex_st_entry *all = f->header.entries;
    size_t total = ALIGN;
    f->count = f->header.count;
    for (int i = 0; i < f->count; i++)
        if (__builtin_add_overflow(total, aligned((size_t)(all[i].end - all[i].begin)), &total))
            return bex_fail("too large for this machine");
    f->data = bex_pages_alloc(total);
    f->tensors = malloc(((size_t)f->count + 1) * sizeof *f->tensors);
    if (!f->data || !f->tensors) return bex_fail("out of memory: %zu bytes", total);
    unsigned char *at = f->data;
    for (int i = 0; i < f->count; i++) {
        size_t bytes = (size_t)(all[i].end - all[i].begin);
        if (pull(s, at, bytes) < 0) return -1;
        f->tensors[i] = all[i].tensor;
        f->tensors[i].data = at;
        if (check_bools(&f->tensors[i]) < 0) return -1;
        at += aligned(bytes);
    }
    return 0;
}

/* ---- a whole file ---- */

static int read_header(bex_st_file *f, source *s) {
    uint64_t length;
    if (pull(s, &length, sizeof length) < 0)
        return bex_fail("truncated: %" PRIu64 " bytes hold no header length", s->size);
    if (length > BEX_ST_HEADER_MOST)
        return bex_fail("header of %" PRIu64 " bytes, at most %d are allowed: not safetensors?",
                        length, BEX_ST_HEADER_MOST);
    if (length > s->size - s->at)
        return bex_fail("truncated: header of %" PRIu64 " bytes, the file has %" PRIu64, length,
                        s->size);
    char *text = malloc((size_t)length + 1);
    if (!text) return bex_fail("out of memory: %" PRIu64 " bytes", length);
    int code = pull(s, text, length);
    if (code == 0 && (length == 0 || text[0] != '{'))
        code = bex_fail("the header does not begin with '{': not safetensors?");
    if (code == 0) code = bex_st_header_read(&f->header, text, (size_t)length);
    free(text);
    return code;
}

static int read_file(bex_st_file *f, source *s) {
    if (read_header(f, s) < 0) return -1;
    bex_st_header *h = &f->header;
    uint64_t data_size = s->size - s->at;
    for (int i = 0; i < h->count; i++)
        if (check_entry(&h->entries[i], data_size) < 0)
            return bex_fail_in("tensor '%.200s'", h->entries[i].tensor.name);
    qsort(h->entries, (size_t)h->count, sizeof *h->entries, by_place);
    if (check_tiling(h->entries, h->count, data_size) < 0) return -1;
    return read_data(f, s);
}

static bex_st_file *read_source(source *s, const char *name) {
    bex_st_file *f = calloc(1, sizeof *f);
    if (f) f->name = strdup(name);
    if (f && f->name ? read_file(f, s) == 0 : bex_fail("out of memory") == 0) return f;
    bex_fail_in("%s", name);
    bex_st_free(f);
    return NULL;
}

bex_st_file *bex_st_parse(const void *bytes, size_t size, const char *name) {
    source s = {.bytes = bytes, .size = size};
    return read_source(&s, name);
}

bex_st_file *bex_st_load(const char *path) {
    source s = {.stream = NULL};
    size_t size;
    if (!(s.stream = bex_file_open(path, &size))) return NULL;
    s.size = size;
    bex_st_file *file = read_source(&s, path);
    fclose(s.stream);
    return file;
}

void bex_st_free(bex_st_file *f) {
    if (!f) return;
    bex_st_header_free(&f->header);
    free(f->tensors);
    free(f->data);
    free(f->name);
    free(f);
}

/* ---- looking in ---- */

int bex_st_count(const bex_st_file *f) {
    return f->count;
}

const bex_st_tensor *bex_st_at(const bex_st_file *f, int i) {
    BEX_CHECK(i >= 0 && i < f->count, "tensor %d of %d", i, f->count);
    return &f->tensors[i];
}

const bex_st_tensor *bex_st_find(const bex_st_file *f, const char *name) {
    for (int i = 0; i < f->count; i++)
        if (!strcmp(f->tensors[i].name, name)) return &f->tensors[i];
    return NULL;
}

const char *bex_st_metadata(const bex_st_file *f, const char *key) {
    for (int i = 0; i < f->header.pair_count; i++)
        if (!strcmp(f->header.pairs[i].key, key)) return f->header.pairs[i].value;
    return NULL;
}

static void print_shape(char *out, size_t size, int rank, const int64_t *dim) {
    int used = snprintf(out, size, "(");
    for (int i = 0; i < rank && (size_t)used < size; i++)
        used += snprintf(out + used, size - (size_t)used, "%s%" PRId64, i ? ", " : "", dim[i]);
    if ((size_t)used < size) snprintf(out + used, size - (size_t)used, ")");
}

const bex_st_tensor *bex_st_expect(const bex_st_file *f, const char *name, int rank,
                                   const int64_t *dim) {
    BEX_CHECK(rank >= 0 && rank <= BEX_ST_RANK, "rank %d", rank);
    const bex_st_tensor *t = bex_st_find(f, name);
    if (!t) {
        bex_fail("%s: no tensor '%.200s'", f->name, name);
        const char *near =
            f->count ? bex_nearest(name, f->tensors, f->count, sizeof *f->tensors) : NULL;
        if (near) bex_fail_hint("the nearest is '%s'", near);
        return NULL;
    }
    if (t->rank == rank && (rank == 0 || !memcmp(t->dim, dim, (size_t)rank * sizeof *dim)))
        return t;
    char found[200], wanted[200];
    print_shape(found, sizeof found, t->rank, t->dim);
    print_shape(wanted, sizeof wanted, rank, dim);
    bex_fail("%s: tensor '%.200s': its shape is %s, %s is needed", f->name, name, found, wanted);
    return NULL;
}

int bex_st_read(const bex_st_file *f, const char *name, bex_st_dtype dtype, void *out, int rank,
                const int64_t *dim) {
    const bex_st_tensor *t = bex_st_expect(f, name, rank, dim);
    if (!t) return -1;
    if (t->dtype != dtype)
        return bex_fail("%s: tensor '%.200s': its dtype is %s, %s is needed", f->name, name,
                        dtypes[t->dtype].name, dtypes[dtype].name);
    if (t->count > 0) memcpy(out, t->data, t->count * dtypes[dtype].size);
    return 0;
}

/* ---- conversion ---- */

static double from_bf16(uint16_t half) {
    uint32_t bits = (uint32_t)half << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

static double from_f16(uint16_t half) {
    int exponent = half >> 10 & 31, fraction = half & 1023;
    double x = exponent == 31  ? fraction ? (double)NAN : (double)INFINITY
               : exponent == 0 ? ldexp(fraction, -24)
                               : ldexp(1024 + fraction, exponent - 25);
    return half & 0x8000 ? -x : x;
}

static double element(const bex_st_tensor *t, size_t i) {
    switch (t->dtype) {
    case BEX_ST_F32:
        return (double)((const float *)t->data)[i];
    case BEX_ST_F64:
        return ((const double *)t->data)[i];
    case BEX_ST_F16:
        return from_f16(((const uint16_t *)t->data)[i]);
    default:
        return from_bf16(((const uint16_t *)t->data)[i]);
    }
}

// most files hold floats, which need no conversion to be looked at
static bool all_finite(const float *x, size_t n) {
    int good = 1;
    for (size_t i = 0; i < n; i++) good &= fabsf(x[i]) <= FLT_MAX;
    return good;
}

// the floating tensor `name`, every element finite and at most `most` in size; NULL with a message
static const bex_st_tensor *expect_floats(const bex_st_file *f, const char *name, int rank,
                                          const int64_t *dim, double most) {
    const bex_st_tensor *t = bex_st_expect(f, name, rank, dim);
    if (!t) return NULL;
    if (t->dtype != BEX_ST_F32 && t->dtype != BEX_ST_F64 && t->dtype != BEX_ST_F16 &&
        t->dtype != BEX_ST_BF16) {
        bex_fail("%s: tensor '%.200s': its dtype is %s, a floating one is needed", f->name, name,
                 dtypes[t->dtype].name);
        return NULL;
    }
    if (t->dtype == BEX_ST_F32 && all_finite(t->data, t->count)) return t;
    for (size_t i = 0; i < t->count; i++) {
        double x = element(t, i);
        if (fabs(x) <= most) continue; // false for NaN too
        bex_fail("%s: tensor '%.200s': element %zu is %g, %s", f->name, name, i, x,
                 isfinite(x) ? "too large" : "not finite");
        return NULL;
    }
    return t;
}

int bex_st_read_real(const bex_st_file *f, const char *name, bex_real *out, int rank,
                     const int64_t *dim) {
    const double most = sizeof(bex_real) == sizeof(float) ? (double)FLT_MAX : DBL_MAX;
    const bex_st_tensor *t = expect_floats(f, name, rank, dim, most);
    if (!t) return -1;
    if (t->dtype == BEX_ST_F32 && sizeof *out == sizeof(float))
        return memcpy(out, t->data, t->count * sizeof *out), 0;
    for (size_t i = 0; i < t->count; i++) out[i] = (bex_real)element(t, i);
    return 0;
}

int bex_st_read_f64(const bex_st_file *f, const char *name, double *out, int rank,
                    const int64_t *dim) {
    const bex_st_tensor *t = expect_floats(f, name, rank, dim, DBL_MAX);
    if (!t) return -1;
    for (size_t i = 0; i < t->count; i++) out[i] = element(t, i);
    return 0;
}
