/* nn/safetensors_save.c - write safetensors: gather borrowed tensors, then one pass. */
#include "nn/safetensors.h"

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bex_st_writer {
    bex_st_tensor *tensors; // names are ours, data is borrowed
    int count, room;
    struct pair {
        char *key, *value;
    } * metadata;
    int pairs, pair_room;
    void **copies; // of data that was converted
    int kept, copy_room;
};

static void *grown(void *array, int *room, size_t size) {
    *room = *room ? 2 * *room : 16;
    array = realloc(array, (size_t)*room * size);
    BEX_CHECK(array, "out of memory: %d entries", *room);
    return array;
}

static char *copied(const char *text) {
    char *copy = strdup(text);
    BEX_CHECK(copy, "out of memory");
    return copy;
}

bex_st_writer *bex_st_writer_new(void) {
    bex_st_writer *w = calloc(1, sizeof *w);
    BEX_CHECK(w, "out of memory");
    return w;
}

void bex_st_writer_free(bex_st_writer *w) {
    if (!w) return;
    for (int i = 0; i < w->count; i++) free((char *)w->tensors[i].name);
    for (int i = 0; i < w->pairs; i++) free(w->metadata[i].key), free(w->metadata[i].value);
    for (int i = 0; i < w->kept; i++) free(w->copies[i]);
    free(w->copies);
    free(w->tensors);
    free(w->metadata);
    free(w);
}

void bex_st_add(bex_st_writer *w, const char *name, bex_st_dtype dtype, int rank,
                const int64_t *dim, const void *data) {
    BEX_CHECK(bex_utf8_is_name(name) && strcmp(name, "__metadata__") != 0, "tensor name '%s'",
              name);
    BEX_CHECK(rank >= 0 && rank <= BEX_ST_RANK, "tensor '%s': rank %d", name, rank);
    for (int i = 0; i < w->count; i++)
        BEX_CHECK(strcmp(w->tensors[i].name, name) != 0, "tensor '%s' added twice", name);
    bex_st_tensor t = {
        .name = copied(name), .dtype = dtype, .rank = rank, .count = 1, .data = data};
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
    if (w->count == w->room) w->tensors = grown(w->tensors, &w->room, sizeof *w->tensors);
    w->tensors[w->count++] = t;
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
    uint16_t *half = malloc(count * sizeof *half + 1);
    BEX_CHECK(half, "out of memory: %zu values", count);
    for (size_t i = 0; i < count; i++) {
        half[i] = to_f16((double)data[i]);
        if ((half[i] & 0x7fff) < 31 << 10) continue;
        free(half);
        return bex_fail("tensor '%.200s': element %zu is %g, too large for 16 bits", name, i,
                        (double)data[i]);
    }
    if (w->kept == w->copy_room) w->copies = grown(w->copies, &w->copy_room, sizeof *w->copies);
    w->copies[w->kept++] = half;
    bex_st_add(w, name, BEX_ST_F16, rank, dim, half);
    return 0;
}

void bex_st_add_metadata(bex_st_writer *w, const char *key, const char *value) {
    for (int i = 0; i < w->pairs; i++)
        BEX_CHECK(strcmp(w->metadata[i].key, key) != 0, "metadata '%s' added twice", key);
    if (w->pairs == w->pair_room)
        w->metadata = grown(w->metadata, &w->pair_room, sizeof *w->metadata);
    w->metadata[w->pairs++] = (struct pair){copied(key), copied(value)};
}

static int by_size_then_name(const void *a, const void *b) {
    const bex_st_tensor *p = a, *q = b;
    size_t m = bex_st_dtype_size(p->dtype), n = bex_st_dtype_size(q->dtype);
    if (m != n) return m > n ? -1 : 1;
    return strcmp(p->name, q->name);
}

static size_t tensor_bytes(const bex_st_tensor *t) {
    return t->count * bex_st_dtype_size(t->dtype);
}

static int put_metadata(json_t *header, const bex_st_writer *w) {
    if (w->pairs == 0) return 0;
    json_t *metadata = json_object();
    BEX_CHECK(json_object_set_new(header, "__metadata__", metadata) == 0, "out of memory");
    for (int i = 0; i < w->pairs; i++) {
        const struct pair *p = &w->metadata[i];
        if (!bex_utf8_valid(p->key) || !bex_utf8_valid(p->value))
            return bex_fail("metadata '%.60s' is not UTF-8", p->key);
        BEX_CHECK(json_object_set_new(metadata, p->key, json_string(p->value)) == 0,
                  "out of memory");
    }
    return 0;
}

// the header's text, space-padded to a multiple of 8; malloced; NULL with a message
static char *header_text(size_t *length, const bex_st_writer *w, const bex_st_tensor *sorted) {
    char *text = NULL, *padded = NULL;
    json_t *header = json_object();
    BEX_CHECK(header, "out of memory");
    if (put_metadata(header, w) < 0) goto done;
    uint64_t at = 0;
    for (int i = 0; i < w->count; i++) {
        const bex_st_tensor *t = &sorted[i];
        json_t *shape = json_array();
        for (int k = 0; k < t->rank; k++) json_array_append_new(shape, json_integer(t->dim[k]));
        uint64_t end = at + tensor_bytes(t);
        json_t *entry = json_pack("{s:s, s:o, s:[I, I]}", "dtype", bex_st_dtype_name(t->dtype),
                                  "shape", shape, "data_offsets", (json_int_t)at, (json_int_t)end);
        BEX_CHECK(json_object_set_new(header, t->name, entry) == 0, "out of memory");
        at = end;
    }
    text = json_dumps(header, JSON_COMPACT);
    BEX_CHECK(text, "out of memory");
    size_t size = strlen(text);
    *length = (size + 7) / 8 * 8;
    if (*length > BEX_ST_HEADER_MOST) {
        bex_fail("header of %zu bytes, at most %d are allowed", *length, BEX_ST_HEADER_MOST);
        goto done;
    }
    padded = malloc(*length + 1);
    BEX_CHECK(padded, "out of memory");
    memset(padded, ' ', *length);
    memcpy(padded, text, size);
done:
    free(text);
    json_decref(header);
    return padded;
}

static int put(bex_file_out *out, const void *bytes, size_t size) {
    if (size == 0 || fwrite(bytes, 1, size, out->stream) == size) return 0;
    return bex_fail("cannot write '%s': %s", out->path, strerror(errno));
}

int bex_st_save(const bex_st_writer *w, const char *path) {
    int code = -1;
    char *header = NULL;
    bex_file_out out = {.stream = NULL};
    bex_st_tensor *sorted = malloc(((size_t)w->count + 1) * sizeof *sorted);
    BEX_CHECK(sorted, "out of memory");
    if (w->count > 0) memcpy(sorted, w->tensors, (size_t)w->count * sizeof *sorted);
    qsort(sorted, (size_t)w->count, sizeof *sorted, by_size_then_name);
    size_t length;
    header = header_text(&length, w, sorted);
    if (!header) {
        bex_fail_in("%s", path);
        goto done;
    }
    if (bex_file_create(&out, path, 1) < 0) goto done;
    uint64_t prefix = length;
    if (put(&out, &prefix, sizeof prefix) < 0 || put(&out, header, length) < 0) goto done;
    for (int i = 0; i < w->count; i++)
        if (put(&out, sorted[i].data, tensor_bytes(&sorted[i])) < 0) goto done;
    code = bex_file_commit(&out);
done:
    bex_file_discard(&out);
    free(header);
    free(sorted);
    return code;
}
