/* data/chunks.c - threads fetch raw chunks in turn and inflate them side by side. */
#include "data/chunks.h"

#include "base/error.h"

#if defined(BEX_HAVE_HDF5) && defined(BEX_HAVE_ZLIB)

#include "base/parallel.h"

#include <hdf5.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MOST_FILTERS = 2, MOST_RANK = 8 };
static const size_t LARGEST_CHUNK = (size_t)1 << 30, WORTH_THREADS = (size_t)1 << 20;

typedef enum { FLOAT32, FLOAT64, BYTES } element;

typedef struct layout {
    element type;
    size_t size; // bytes an element
    int rank;
    hsize_t chunk[MOST_RANK];          // rows, columns, ... a chunk; 1 beyond the rank
    size_t bytes;                      // of a whole chunk
    int filters;                       // 0..2
    H5Z_filter_t filter[MOST_FILTERS]; // in the order they were applied
} layout;

typedef struct piece {
    hsize_t at[MOST_RANK]; // first row, first column, ...
    char *raw;             // as stored; room for most_stored()
    size_t size;
    uint32_t skipped; // bit i: filter i was not applied
} piece;

typedef struct target {
    const unsigned long long *dims; // of bytes of any rank; else NULL
    int first, count, columns, stride;
    bex_real *out;
    unsigned char *flags;
} target;

// 1 handled, 0 not
static int element_of(layout *l, hid_t dataset, int flags) {
    hid_t type = H5Dget_type(dataset);
    if (type < 0) return 0;
    H5T_class_t kind = H5Tget_class(type);
    l->size = H5Tget_size(type);
    int known = 0;
    if (flags) {
        known = l->size == 1 && (kind == H5T_ENUM || kind == H5T_INTEGER || kind == H5T_BITFIELD);
        l->type = BYTES;
    } else if (H5Tequal(type, H5T_IEEE_F32LE) > 0 && H5Tequal(type, H5T_NATIVE_FLOAT) > 0) {
        known = 1, l->type = FLOAT32;
    } else if (H5Tequal(type, H5T_IEEE_F64LE) > 0 && H5Tequal(type, H5T_NATIVE_DOUBLE) > 0) {
        known = 1, l->type = FLOAT64;
    }
    H5Tclose(type);
    return known;
}

static int filters_of(layout *l, hid_t plist) {
    int n = H5Pget_nfilters(plist);
    if (n < 0 || n > MOST_FILTERS) return 0;
    for (int i = 0; i < n; i++) {
        unsigned flags, configuration;
        size_t values = 0;
        l->filter[i] =
            H5Pget_filter2(plist, (unsigned)i, &flags, &values, NULL, 0, NULL, &configuration);
        if (l->filter[i] != H5Z_FILTER_DEFLATE && l->filter[i] != H5Z_FILTER_SHUFFLE) return 0;
    }
    l->filters = n;
    // shuffled after gzip, a pointless order, splits odd byte counts: not ours
    return n < 2 || (l->filter[0] == H5Z_FILTER_SHUFFLE && l->filter[1] == H5Z_FILTER_DEFLATE);
}

static int layout_of(layout *l, hid_t dataset, int rank, int flags) {
    *l = (layout){.rank = rank};
    for (int i = 0; i < MOST_RANK; i++) l->chunk[i] = 1;
    hid_t plist = H5Dget_create_plist(dataset);
    if (plist < 0) return 0;
    unsigned options = 0;
    int known = rank <= MOST_RANK && H5Pget_layout(plist) == H5D_CHUNKED &&
                H5Pget_chunk(plist, rank, l->chunk) == rank &&
                H5Pget_chunk_opts(plist, &options) >= 0 && !options &&
                element_of(l, dataset, flags) && filters_of(l, plist);
    H5Pclose(plist);
    l->bytes = l->size;
    for (int i = 0; i < rank && known; i++) {
        if (!l->chunk[i]) return 0;
        if (l->chunk[i] > LARGEST_CHUNK / l->bytes)
            return bex_fail("absurd chunks of %llu x %llu ...", (unsigned long long)l->chunk[0],
                            (unsigned long long)(rank > 1 ? l->chunk[1] : 1));
        l->bytes *= (size_t)l->chunk[i];
    }
    return known;
}

// deflate never grows data by a thousandth and a bit
static size_t most_stored(const layout *l) {
    return l->bytes + l->bytes / 100 + 4096;
}

static int fetch(piece *p, hid_t dataset, const layout *l) {
    hsize_t size;
    if (H5Dget_chunk_storage_size(dataset, p->at, &size) < 0 || !size)
        return bex_fail("damaged: the chunk at row %llu is missing", (unsigned long long)p->at[0]);
    if (size > most_stored(l))
        return bex_fail("damaged: the chunk at row %llu takes %llu bytes, at most %zu are possible",
                        (unsigned long long)p->at[0], (unsigned long long)size, l->bytes);
    p->size = (size_t)size;
    if (H5Dread_chunk(dataset, H5P_DEFAULT, p->at, &p->skipped, p->raw) < 0)
        return bex_fail("damaged or truncated: the chunk at row %llu cannot be read",
                        (unsigned long long)p->at[0]);
    return 0;
}

// byte b of element i is at b * n + i
static void unshuffle(char *to, const char *from, size_t n, size_t size) {
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < size; b++) to[i * size + b] = from[b * n + i];
}

// undo the filters, last first, into one of two buffers of a whole chunk; NULL if sizes disagree
static const char *unpack(const piece *p, const layout *l, char *one, char *other) {
    const char *data = p->raw;
    size_t size = p->size;
    for (int i = l->filters - 1; i >= 0; i--) {
        if (p->skipped >> i & 1) continue;
        char *to = data == one ? other : one;
        if (l->filter[i] == H5Z_FILTER_DEFLATE) {
            uLongf got = (uLongf)l->bytes;
            if (uncompress((Bytef *)to, &got, (const Bytef *)data, (uLong)size) != Z_OK)
                return NULL;
            size = got;
        } else {
            if (size != l->bytes) return NULL;
            unshuffle(to, data, l->bytes / l->size, l->size);
        }
        data = to;
    }
    return size == l->bytes ? data : NULL;
}

// plain loops: a call to memcpy for each row of a chunk one column wide costs more than inflating it
static void convert(bex_real *to, const void *from, size_t n, element type) {
    if (type == FLOAT64)
        for (size_t i = 0; i < n; i++) to[i] = (bex_real)((const double *)from)[i];
    else
        for (size_t i = 0; i < n; i++) to[i] = (bex_real)((const float *)from)[i];
}

// the part of a chunk that lies in the rows wanted
static void scatter(const target *t, const layout *l, const hsize_t *at, const char *data) {
    long long begin = (long long)at[0], end = begin + (long long)l->chunk[0];
    if (begin < t->first) begin = t->first;
    if (end > (long long)t->first + t->count) end = (long long)t->first + t->count;
    size_t width = (size_t)l->chunk[1], column = (size_t)at[1];
    if (column + width > (size_t)t->columns) width = (size_t)t->columns - column;
    for (long long r = begin; r < end; r++) {
        const char *row = data + (size_t)(r - (long long)at[0]) * (size_t)l->chunk[1] * l->size;
        size_t to = (size_t)(r - t->first);
        if (t->flags)
            t->flags[to] = (unsigned char)*row;
        else
            convert(t->out + to * (size_t)t->stride + column, row, width, l->type);
    }
}

// rows of the last dimension, as long as chunk and array both have them
static void copy_bytes(const target *t, const layout *l, const hsize_t *at, const char *data,
                       int dim, size_t to) {
    size_t n = (size_t)l->chunk[dim], size = (size_t)t->dims[dim], from = (size_t)at[dim];
    if (from + n > size) n = size - from;
    if (dim == l->rank - 1) {
        memcpy(t->flags + to * size + from, data, n);
        return;
    }
    size_t below = 1;
    for (int i = dim + 1; i < l->rank; i++) below *= (size_t)l->chunk[i];
    for (size_t i = 0; i < n; i++)
        copy_bytes(t, l, at, data + i * below, dim + 1, to * size + from + i);
}

static void scatter_bytes(const target *t, const layout *l, const hsize_t *at, const char *data) {
    if (l->rank == 1) {
        scatter(t, l, at, data);
        return;
    }
    size_t row = l->bytes / (size_t)l->chunk[0];
    for (long long i = 0; i < (long long)l->chunk[0]; i++) {
        long long r = (long long)at[0] + i - t->first;
        if (r >= 0 && r < t->count) copy_bytes(t, l, at, data + (size_t)i * row, 1, (size_t)r);
    }
}

// what the threads share
typedef struct walk {
    hid_t dataset;
    const layout *layout;
    const target *target;
    hsize_t row;           // of the first chunk
    long across;           // chunks side by side
    long along[MOST_RANK]; // of them, in each dimension
    char **space; // (threads) a worker's: two whole chunks, one as stored; NULL until it has work
} walk;

static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER; // libhdf5: one thread at a time

// take, unpack, scatter. Chunks do not overlap
static int read_piece(long number, int worker, void *payload) {
    const walk *w = payload;
    const layout *l = w->layout;
    char **space = &w->space[worker];
    if (!*space) *space = malloc(2 * l->bytes + most_stored(l));
    if (!*space) return bex_fail("out of memory: %zu bytes", 2 * l->bytes + most_stored(l));
    piece p = {.raw = *space + 2 * l->bytes};
    p.at[0] = w->row + (hsize_t)(number / w->across) * l->chunk[0];
    long side = number % w->across;
    for (int i = l->rank - 1; i > 0; side /= w->along[i--])
        p.at[i] = (hsize_t)(side % w->along[i]) * l->chunk[i];
    pthread_mutex_lock(&library);
    int code = fetch(&p, w->dataset, l);
    pthread_mutex_unlock(&library);
    if (code < 0) return -1;
    const char *data = unpack(&p, l, *space, *space + l->bytes);
    if (!data)
        return bex_fail("damaged: the chunk at row %llu does not expand to its %zu bytes",
                        (unsigned long long)p.at[0], l->bytes);
    if (w->target->dims)
        scatter_bytes(w->target, l, p.at, data);
    else
        scatter(w->target, l, p.at, data);
    return 0;
}

// the chunks of rows first .. first + count - 1 of an array of these dims, `bytes` in all
static int read_all(hid_t dataset, const layout *l, const target *t, const unsigned long long *dims,
                    size_t bytes) {
    walk w = {.dataset = dataset,
              .layout = l,
              .target = t,
              .row = (hsize_t)t->first / l->chunk[0] * l->chunk[0],
              .across = 1};
    for (int i = 1; i < l->rank; i++) {
        w.along[i] = (long)((dims[i] + l->chunk[i] - 1) / l->chunk[i]);
        w.across *= w.along[i];
    }
    long down =
        (long)(((hsize_t)t->first + (hsize_t)t->count - w.row + l->chunk[0] - 1) / l->chunk[0]);
    // small arrays, a few of them an episode, are not worth waking threads for
    int threads = bytes >= WORTH_THREADS ? bex_parallel_threads() : 1;
    w.space = calloc((size_t)threads, sizeof *w.space);
    if (!w.space) return bex_fail("out of memory");
    int code = bex_try_parallel(threads, down * w.across, read_piece, &w);
    for (int i = 0; i < threads; i++) free(w.space[i]);
    free(w.space);
    return code < 0 ? code : 1;
}

int bex_chunks_read_bytes(int64_t dataset, int rank, const unsigned long long *dims, int first,
                          int count, unsigned char *out) {
    layout l;
    int known = layout_of(&l, (hid_t)dataset, rank, 1);
    if (known <= 0 || !count) return known;
    size_t row = 1;
    for (int i = 1; i < rank; i++) row *= (size_t)dims[i];
    target t = {.dims = dims, .first = first, .count = count, .flags = out};
    return read_all((hid_t)dataset, &l, &t, dims, (size_t)count * row);
}

int bex_chunks_read(int64_t dataset, int rank, unsigned long long columns, int first, int count,
                    bex_real *out, int stride, unsigned char *flags) {
    layout l;
    int known = layout_of(&l, (hid_t)dataset, rank, flags != NULL);
    if (known <= 0 || !count) return known;
    target t = {NULL, first, count, (int)columns, stride, out, flags};
    const unsigned long long dims[2] = {0, columns};
    return read_all((hid_t)dataset, &l, &t, dims, (size_t)count * (size_t)columns * l.size);
}

#else

int bex_chunks_read(int64_t dataset, int rank, unsigned long long columns, int first, int count,
                    bex_real *out, int stride, unsigned char *flags) {
    (void)dataset, (void)rank, (void)columns, (void)first, (void)count, (void)out, (void)stride;
    (void)flags;
    return 0;
}

int bex_chunks_read_bytes(int64_t dataset, int rank, const unsigned long long *dims, int first,
                          int count, unsigned char *out) {
    (void)dataset, (void)rank, (void)dims, (void)first, (void)count, (void)out;
    return 0;
}

#endif
