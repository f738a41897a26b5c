/* nn/safetensors_save.c - write safetensors: gather borrowed tensors, then one pass. */
#include "nn/safetensors.h"

#include "base/error.h"
#include "base/file.h"
#include "base/utf8.h"
#include "nn/safetensors_header.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct bex_st_writer {
    bex_st_entry *entries; // names are ours, data is borrowed; places come with the save
    int count, room;
    bex_st_pair *pairs; // metadata, ours
    int pair_count, pair_room;
    void **copies; // of data that was converted
    int kept, copy_room;
    bool failed; // memory ran out: save says so
};

// `array` with room for one more, or NULL: the writer has failed
static void *grown(bex_st_writer *w, void *array, int count, int *room, size_t size) {
    if (count < *room) return array;
    int more = *room ? 2 * *room : 16;
    array = realloc(array, (size_t)more * size);
    if (array)
        *room = more;
    else
        w->failed = true;
    return array;
}

bex_st_writer *bex_st_writer_new(void) {
    bex_st_writer *w = calloc(1, sizeof *w);
    if (!w) bex_fail("out of memory");
    return w;
}

void bex_st_writer_free(bex_st_writer *w) {
    if (!w) return;
    for (int i = 0; i < w->count; i++) free((char *)w->entries[i].tensor.name);
    for (int i = 0; i < w->pair_count; i++) {
        free((char *)w->pairs[i].key);
        free((char *)w->pairs[i].value);
    }
    for (int i = 0; i < w->kept; i++) free(w->copies[i]);
    free(w->copies);
    free(w->entries);
    free(w->pairs);
    free(w);
}

void bex_st_add(bex_st_writer *w, const char *name, bex_st_dtype dtype, int rank,
                const int64_t *dim, const void *data) {
    BEX_CHECK(bex_utf8_is_name(name) && strcmp(name, "__metadata__") != 0, "tensor name '%s'",
              name);
    BEX_CHECK(rank >= 0 && rank <= BEX_ST_RANK, "tensor '%s': rank %d", name, rank);
    if (!w || w->failed) return;
    for (int i = 0; i < w->count; i++)
        BEX_CHECK(strcmp(w->entries[i].tensor.name, name) != 0, "tensor '%s' added twice", name);
    bex_st_tensor t = {.dtype = dtype, .rank = rank, .count = 1, .data = data};
    size_t bytes = bex_st_dtype_size(dtype); // of the dims that are not 0, as the reader counts
    for (int i = 0; i < rank; i++) {
        BEX_CHECK(dim[i] >= 0, "tensor '%s': dimension %lld", name, (long long)dim[i]);
        BEX_CHECK(dim[i] == 0 || !__builtin_mul_overflow(bytes, (size_t)dim[i], &bytes),
                  "tensor '%s': its shape overflows", name);
        t.dim[i] = dim[i];
        t.count *= (size_t)dim[i];
    }
    BEX_CHECK(bytes <= PTRDIFF_MAX, "tensor '%s': its shape overflows", name);
    BEX_CHECK(data || t.count == 0, "tensor '%s': no data", name);
    void *more = grown(w, w->entries, w->count, &w->room, sizeof *w->entries);
    if (!more) return;
    w->entries = more;
    if (!(t.name = strdup(name))) {
        w->failed = true;
        return;
    }
    w->entries[w->count++] = (bex_st_entry){.tensor = t};
}

void bex_st_add_real(bex_st_writer *w, const char *name, int rank, const int64_t *dim,
                     const bex_real *data) {
    bex_st_add(w, name, sizeof(bex_real) == sizeof(float) ? BEX_ST_F32 : BEX_ST_F64, rank, dim,
               data);
}

// bits of the nearest half, infinity's for what is too large or no number
static uint16_t to_f16(double x) {
    int sign = signbit(x) ? 0x8000 : 0, exponent = 1; // biased; that of fractions in 2^-24 too
    double size = fabs(x);
    if (!(size < 65520)) return (uint16_t)(sign | 31 << 10); // it would round to 65,536
    if (size >= 0x1p-14) {
        frexp(size, &exponent); // size = [0.5, 1) 2^exponent
        exponent += 14;
    }
    int fraction = (int)nearbyint(ldexp(size, 25 - exponent)); // 1.f is 1024 and more
    // one that rounds up to the next power carries into the exponent
    return (uint16_t)(sign | (((exponent - 1) << 10) + fraction));
}

int bex_st_add_half(bex_st_writer *w, const char *name, int rank, const int64_t *dim,
                    const bex_real *data) {
    size_t count = 1;
    for (int i = 0; i < rank; i++) count *= (size_t)dim[i];
    void *more =
        w && !w->failed ? grown(w, w->copies, w->kept, &w->copy_room, sizeof *w->copies) : NULL;
    if (!more) return bex_fail("out of memory");
    w->copies = more;
    uint16_t *half = malloc(count * sizeof *half + 1);
    if (!half) return bex_fail("out of memory: %zu values", count);
    for (size_t i = 0; i < count; i++) {
        half[i] = to_f16((double)data[i]);
        if ((half[i] & 0x7fff) < 31 << 10) continue;
        free(half);
        return bex_fail("tensor '%.200s': element %zu is %g, too large for 16 bits", name, i,
                        (double)data[i]);
    }
    w->copies[w->kept++] = half;
    bex_st_add(w, name, BEX_ST_F16, rank, dim, half);
    return 0;
}

void bex_st_add_metadata(bex_st_writer *w, const char *key, const char *value) {
    if (!w || w->failed) return;
    for (int i = 0; i < w->pair_count; i++)
        BEX_CHECK(strcmp(w->pairs[i].key, key) != 0, "metadata '%s' added twice", key);
    void *more = grown(w, w->pairs, w->pair_count, &w->pair_room, sizeof *w->pairs);
    if (!more) return;
    w->pairs = more;
    bex_st_pair *p = &w->pairs[w->pair_count++];
    *p = (bex_st_pair){strdup(key), strdup(value)};
    if (!p->key || !p->value) w->failed = true;
}

static int by_size_then_name(const void *a, const void *b) {
    const bex_st_tensor *p = &((const bex_st_entry *)a)->tensor,
                        *q = &((const bex_st_entry *)b)->tensor;
    size_t m = bex_st_dtype_size(p->dtype), n = bex_st_dtype_size(q->dtype);
    if (m != n) return m > n ? -1 : 1;
    return strcmp(p->name, q->name);
}

static size_t tensor_bytes(const bex_st_tensor *t) {
    return t->count * bex_st_dtype_size(t->dtype);
}

// entries in the order they are written, each in its place; malloced; NULL with a message
static bex_st_entry *lay_out(const bex_st_writer *w) {
    bex_st_entry *sorted = malloc(((size_t)w->count + 1) * sizeof *sorted);
    if (!sorted) return bex_fail("out of memory"), NULL;
    if (w->count > 0) memcpy(sorted, w->entries, (size_t)w->count * sizeof *sorted);
    qsort(sorted, (size_t)w->count, sizeof *sorted, by_size_then_name);
    uint64_t at = 0;
    for (int i = 0; i < w->count; i++) {
        sorted[i].begin = at;
        at = sorted[i].end = at + tensor_bytes(&sorted[i].tensor);
    }
    return sorted;
}

// the header's text, space-padded to a multiple of 8; malloced; NULL with a message
static char *header_text(size_t *length, const bex_st_writer *w, const bex_st_entry *sorted) {
    for (int i = 0; i < w->pair_count; i++)
        if (!bex_utf8_valid(w->pairs[i].key) || !bex_utf8_valid(w->pairs[i].value))
            return bex_fail("metadata '%.60s' is not UTF-8", w->pairs[i].key), NULL;
    char *text = bex_st_header_write(sorted, w->count, w->pairs, w->pair_count);
    if (!text) return NULL;
    size_t size = strlen(text);
    *length = (size + 7) / 8 * 8;
    char *padded = *length <= BEX_ST_HEADER_MOST ? realloc(text, *length + 1) : NULL;
    if (padded) return memset(padded + size, ' ', *length - size), padded;
    if (*length > BEX_ST_HEADER_MOST)
        bex_fail("header of %zu bytes, at most %d are allowed", *length, BEX_ST_HEADER_MOST);
    else
        bex_fail("out of memory: a header of %zu bytes", *length);
    free(text);
    return NULL;
}

static int put(bex_file_out *out, const void *bytes, size_t size) {
    if (size == 0 || fwrite(bytes, 1, size, out->stream) == size) return 0;
    return bex_fail("cannot write '%s': %s", out->path, strerror(errno));
}

static int write_file(bex_file_out *out, const char *header, size_t length,
                      const bex_st_entry *sorted, int count) {
    uint64_t prefix = length;
    if (put(out, &prefix, sizeof prefix) < 0 || put(out, header, length) < 0) return -1;
    for (int i = 0; i < count; i++)
        if (put(out, sorted[i].tensor.data, tensor_bytes(&sorted[i].tensor)) < 0) return -1;
    return bex_file_commit(out);
}

int bex_st_save(const bex_st_writer *w, const char *path) {
    if (!w || w->failed) return bex_fail("%s: out of memory", path);
    int code = -1;
    size_t length = 0;
    bex_file_out out = {.stream = NULL};
    bex_st_entry *sorted = lay_out(w);
    char *header = sorted ? header_text(&length, w, sorted) : NULL;
    if (!header)
        bex_fail_in("%s", path);
    else if (bex_file_create(&out, path, 1) == 0)
        code = write_file(&out, header, length, sorted, w->count);
    bex_file_discard(&out);
    free(header);
    free(sorted);
    return code;
}
