/* data/hdf5.c - reading through libhdf5, behind our errors. */
#include "data/hdf5.h"

#include "base/error.h"
#include "base/path.h"
#include "data/chunks.h"

#ifdef BEX_HAVE_HDF5

#include "data/hdf5_handle.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef BEX_F64
#define NATIVE_REAL  H5T_NATIVE_DOUBLE
#define LARGEST_REAL DBL_MAX
#else
#define NATIVE_REAL  H5T_NATIVE_FLOAT
#define LARGEST_REAL FLT_MAX
#endif

enum { BLOCK_BYTES = 4 << 20, LONGEST_TEXT = 64 << 20, MOST_NAMES = 10 << 20 };

// the innermost message of libhdf5's error stack, "" if none; of the system's failures only the reason
static herr_t innermost(unsigned n, const H5E_error2_t *e, void *payload) {
    static const char mark[] = "errno = ";
    const char *text = e->desc ? e->desc : "", *number = strstr(text, mark);
    long why = number ? strtol(number + sizeof mark - 1, NULL, 10) : 0;
    (void)n;
    snprintf(payload, 160, "%s", why > 0 ? strerror((int)why) : text);
    return 1;
}

void bex_h5_begin(void) {
    static bool begun;
    if (!begun) H5dont_atexit();
    begun = true;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

const char *bex_h5_reason(char text[160]) {
    text[0] = 0;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, text);
    return text[0] ? text : "libhdf5 gives no reason";
}

int bex_h5_damaged(const char *key) {
    char text[160];
    return bex_fail("'%s' cannot be read: damaged or truncated (%s)", key, bex_h5_reason(text));
}

// ---- files

static int open_plain(const char *path) {
    int fd = open(path, O_RDONLY | O_NONBLOCK); // a fifo must not hang us
    if (fd < 0) return bex_fail("cannot be opened: %s", strerror(errno));
    struct stat st;
    int regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    close(fd);
    if (!regular) return bex_fail("not a regular file");
    if (!st.st_size) return bex_fail("an empty file");
    return 0;
}

int bex_h5_open(bex_h5 **file, const char *path) {
    char text[160];
    *file = NULL;
    if (open_plain(path) < 0) return -1;
    bex_h5_begin();
    htri_t is = H5Fis_hdf5(path);
    if (is <= 0) return bex_fail("not an HDF5 file"), bex_fail_hint("its signature is missing");
    bex_h5 *f = calloc(1, sizeof *f);
    if (!f) return bex_fail("out of memory");
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, 0, 1); // read-only media and network disks often have no locks
#endif
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG); // a handle that escapes on damage goes too
    f->file = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (f->file < 0) bex_fail("damaged or truncated (%s)", bex_h5_reason(text));
    H5Pclose(access);
    if (f->file < 0) {
        free(f);
        return -1;
    }
    *file = f;
    return 0;
}

void bex_h5_close(bex_h5 *f) {
    if (!f) return;
    H5Fclose(f->file);
    free(f);
}

// ---- what is there

static int link_exists(bex_h5 *f, const char *key) {
    if (!strcmp(key, "/")) return 1;
    char part[BEX_PATH_SIZE];
    size_t n = strlen(key);
    if (n >= sizeof part) return 0;
    // every group on the way must exist, or H5Lexists fails instead of answering
    for (size_t i = 1; i <= n; i++) {
        if (key[i] && key[i] != '/') continue;
        memcpy(part, key, i);
        part[i] = 0;
        if (H5Lexists(f->file, part, H5P_DEFAULT) <= 0) return 0;
    }
    return 1;
}

bex_h5_kind bex_h5_find(bex_h5 *f, const char *key) {
    if (!link_exists(f, key)) return BEX_H5_ABSENT;
    hid_t object = H5Oopen(f->file, key, H5P_DEFAULT);
    if (object < 0) return BEX_H5_OTHER;
    H5I_type_t type = H5Iget_type(object);
    H5Oclose(object);
    return type == H5I_GROUP ? BEX_H5_GROUP : type == H5I_DATASET ? BEX_H5_DATASET : BEX_H5_OTHER;
}

static herr_t take_name(hid_t group, const char *name, const H5L_info_t *info, void *payload) {
    (void)group, (void)info;
    bex_names *names = payload;
    if (names->count >= MOST_NAMES) return bex_fail("has more than %d members", MOST_NAMES);
    return bex_names_push(names, name) < 0 ? -1 : 0;
}

int bex_h5_names(bex_h5 *f, const char *group, bex_names *names) {
    hid_t g = H5Gopen2(f->file, group, H5P_DEFAULT);
    if (g < 0) return bex_fail("'%s' is missing or not a group", group);
    bex_error_clear();
    hsize_t at = 0;
    herr_t code = H5Literate(g, H5_INDEX_NAME, H5_ITER_INC, &at, take_name, names);
    if (code < 0 && *bex_error())
        bex_fail_in("'%s'", group);
    else if (code < 0)
        bex_h5_damaged(group);
    H5Gclose(g);
    return code < 0 ? -1 : 0;
}

static bex_h5_content content_of(hid_t type) {
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
    case H5T_FLOAT:
        return H5Tget_size(type) <= 8 ? BEX_H5_NUMBERS : BEX_H5_UNREADABLE;
    case H5T_ENUM:
    case H5T_BITFIELD:
        return H5Tget_size(type) == 1 ? BEX_H5_BOOLEANS : BEX_H5_UNREADABLE;
    case H5T_STRING:
        return BEX_H5_TEXT;
    default:
        return BEX_H5_UNREADABLE;
    }
}

// chunks that cover the shape; 0 if that does not fit 64 bits
static uint64_t chunks_needed(int rank, const hsize_t *dims, const hsize_t *chunk) {
    uint64_t n = 1;
    for (int i = 0; i < rank; i++) {
        if (!chunk[i]) return 0;
        uint64_t along = dims[i] / chunk[i] + (dims[i] % chunk[i] != 0);
        if (along && n > UINT64_MAX / along) return 0;
        n *= along;
    }
    return n;
}

// storage for every row, inside this file? libhdf5 would fill what is missing with zeros
static int check_stored(const char *key, hid_t dataset, const bex_h5_shape *s, size_t element) {
    hid_t plist = H5Dget_create_plist(dataset), space = -1;
    int code = -1;
    if (plist < 0) return bex_h5_damaged(key);
    hsize_t chunk[BEX_H5_MAX_RANK], dims[BEX_H5_MAX_RANK], have = 0;
    for (int i = 0; i < s->rank; i++) dims[i] = s->dims[i];
    switch (H5Pget_layout(plist)) {
    case H5D_COMPACT:
        code = 0;
        break;
    case H5D_CONTIGUOUS:
        if (H5Pget_external_count(plist) != 0)
            bex_fail("'%s' keeps its values in another file", key);
        else if (s->rows && H5Dget_storage_size(dataset) < s->rows * s->columns * element)
            bex_fail("'%s' declares %llu rows but holds no data for them", key, s->rows);
        else
            code = 0;
        break;
    case H5D_CHUNKED:
        space = H5Dget_space(dataset);
        if (H5Pget_chunk(plist, s->rank, chunk) != s->rank || space < 0 ||
            H5Dget_num_chunks(dataset, space, &have) < 0) {
            bex_h5_damaged(key);
        } else {
            uint64_t need = chunks_needed(s->rank, dims, chunk);
            code = need == have ? 0 : -1;
            if (code < 0)
                bex_fail("'%s' declares %llu rows but holds %llu of %llu chunks", key, s->rows,
                         (unsigned long long)have, (unsigned long long)need);
        }
        break;
    default:
        bex_fail("'%s' has a layout that is not read (virtual?)", key);
    }
    if (space >= 0) H5Sclose(space);
    H5Pclose(plist);
    return code;
}

static int fill_shape(const char *key, hid_t dataset, bex_h5_shape *s) {
    int code = -1;
    hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    if (space < 0 || type < 0) {
        bex_h5_damaged(key);
        goto done;
    }
    hsize_t dims[H5S_MAX_RANK];
    int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 0 || rank > BEX_H5_MAX_RANK || H5Sget_simple_extent_type(space) == H5S_NULL ||
        H5Sget_simple_extent_dims(space, dims, NULL) != rank) {
        bex_fail("'%s' has rank %d, at most %d is read", key, rank, BEX_H5_MAX_RANK);
        goto done;
    }
    *s = (bex_h5_shape){.rank = rank, .rows = rank ? dims[0] : 1, .columns = 1};
    s->content = content_of(type);
    const unsigned long long most = (unsigned long long)1 << 50;
    for (int i = 0; i < rank; i++) {
        s->dims[i] = dims[i];
        if (i && dims[i] && s->columns > most / dims[i]) s->columns = most + 1;
        if (i && s->columns <= most) s->columns *= dims[i];
    }
    if (s->rows > most || s->columns > most || (s->columns && s->rows > most / s->columns)) {
        bex_fail("'%s' has an absurd size: %llu rows of %llu values", key, s->rows, s->columns);
        goto done;
    }
    code = check_stored(key, dataset, s, H5Tget_size(type));
done:
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return code;
}

static hid_t open_dataset(bex_h5 *f, const char *key) {
    bex_h5_kind kind = bex_h5_find(f, key);
    if (kind == BEX_H5_ABSENT) return bex_fail("'%s' is missing", key);
    if (kind == BEX_H5_GROUP) return bex_fail("'%s' is a group, expected an array", key);
    hid_t dataset = kind == BEX_H5_DATASET ? H5Dopen2(f->file, key, H5P_DEFAULT) : -1;
    return dataset < 0 ? bex_h5_damaged(key) : dataset;
}

int bex_h5_measure(bex_h5 *f, const char *key, bex_h5_shape *s) {
    hid_t dataset = open_dataset(f, key);
    if (dataset < 0) return -1;
    int code = fill_shape(key, dataset, s);
    H5Dclose(dataset);
    return code;
}

// ---- rows

typedef struct slab {
    hid_t dataset, space;
    bex_h5_shape shape;
    int block; // rows a read: whole chunks, about BLOCK_BYTES
} slab;

static int block_rows(hid_t dataset, const bex_h5_shape *s) {
    uint64_t row = s->columns * sizeof(bex_real), rows = row ? BLOCK_BYTES / row : BLOCK_BYTES;
    hid_t plist = H5Dget_create_plist(dataset);
    hsize_t chunk[BEX_H5_MAX_RANK] = {1};
    if (plist >= 0 && H5Pget_layout(plist) == H5D_CHUNKED)
        if (H5Pget_chunk(plist, s->rank, chunk) < 0 || !chunk[0]) chunk[0] = 1;
    if (plist >= 0) H5Pclose(plist);
    // a chunk is inflated each time it is touched: touch it once
    rows = rows > chunk[0] ? rows / chunk[0] * chunk[0] : chunk[0];
    return rows > INT_MAX ? INT_MAX : rows ? (int)rows : 1;
}

static void slab_close(slab *s) {
    if (s->space >= 0) H5Sclose(s->space);
    if (s->dataset >= 0) H5Dclose(s->dataset);
}

static int slab_open(slab *s, bex_h5 *f, const char *key, int first, int count) {
    *s = (slab){.dataset = open_dataset(f, key), .space = -1};
    if (s->dataset < 0) return -1;
    int code = fill_shape(key, s->dataset, &s->shape);
    if (code == 0 && (s->shape.rank < 1 || s->shape.rows < (uint64_t)first + (uint64_t)count))
        code = bex_fail("'%s' has %llu rows, expected %lld", key, s->shape.rows,
                        (long long)first + count);
    if (code == 0 && s->shape.columns > INT_MAX)
        code = bex_fail("'%s' has an absurd size: %llu values a row", key, s->shape.columns);
    if (code == 0 && (s->space = H5Dget_space(s->dataset)) < 0) code = bex_h5_damaged(key);
    if (code == 0) s->block = block_rows(s->dataset, &s->shape);
    if (code < 0) slab_close(s);
    return code;
}

// rows at..at+n-1 into the left columns of a (n, stride) array
static int slab_read(slab *s, const char *key, int at, int n, hid_t type, void *out, int stride) {
    hsize_t start[BEX_H5_MAX_RANK] = {(hsize_t)at}, count[BEX_H5_MAX_RANK] = {(hsize_t)n};
    for (int i = 1; i < s->shape.rank; i++) count[i] = s->shape.dims[i];
    hsize_t all[2] = {(hsize_t)n, (hsize_t)stride};
    hsize_t part[2] = {(hsize_t)n, s->shape.columns}, origin[2] = {0, 0};
    if (!n || !s->shape.columns) return 0;
    // the last row of a strided destination may end at the last column we fill
    hid_t memory = H5Screate_simple(2, all, NULL);
    herr_t code = memory < 0 ? -1 : 0;
    if (code == 0) code = H5Sselect_hyperslab(s->space, H5S_SELECT_SET, start, NULL, count, NULL);
    if (code >= 0) code = H5Sselect_hyperslab(memory, H5S_SELECT_SET, origin, NULL, part, NULL);
    if (code >= 0) code = H5Dread(s->dataset, type, memory, s->space, H5P_DEFAULT, out);
    if (memory >= 0) H5Sclose(memory);
    return code < 0 ? bex_h5_damaged(key) : 0;
}

// written so that it vectorises: no early exit, and NaN fails every comparison
static int all_finite(const bex_real *v, size_t n) {
    int bad = 0;
    for (size_t i = 0; i < n; i++) bad |= !(bex_fabs(v[i]) <= LARGEST_REAL);
    return !bad;
}

static int first_bad_row(const bex_real *v, int rows, int columns, int stride) {
    if (columns == stride && all_finite(v, (size_t)rows * (size_t)stride)) return -1;
    for (int r = 0; r < rows; r++)
        if (!all_finite(v + (size_t)r * (size_t)stride, (size_t)columns)) return r;
    return -1;
}

int bex_h5_read(bex_h5 *f, const char *key, int first, int count, bex_real *out, int stride,
                int *bad_row) {
    slab s;
    *bad_row = -1;
    if (slab_open(&s, f, key, first, count) < 0) return -1;
    int code = 0, columns = (int)s.shape.columns;
    if (s.shape.content != BEX_H5_NUMBERS && s.shape.content != BEX_H5_BOOLEANS)
        code = bex_fail("'%s' does not hold numbers", key);
    BEX_CHECK(code < 0 || columns <= stride, "'%s': %d columns into %d", key, columns, stride);
    int taken = code < 0 ? code
                         : bex_chunks_read(s.dataset, s.shape.rank, s.shape.columns, first, count,
                                           out, stride, NULL);
    if (code == 0 && taken < 0) code = bex_fail_in("'%s'", key);
    int block = taken ? count : s.block;
    for (int done = 0, n; done < count && code == 0; done += n) {
        n = count - done < block ? count - done : block;
        bex_real *to = out + (size_t)done * (size_t)stride;
        if (!taken) code = slab_read(&s, key, first + done, n, NATIVE_REAL, to, stride);
        if (code == 0 && *bad_row < 0) {
            int bad = first_bad_row(to, n, columns, stride);
            if (bad >= 0) *bad_row = done + bad;
        }
    }
    slab_close(&s);
    return code;
}

int bex_h5_read_doubles(bex_h5 *f, const char *key, int first, int count, double *out) {
    slab s;
    if (slab_open(&s, f, key, first, count) < 0) return -1;
    int code = 0;
    if (s.shape.content != BEX_H5_NUMBERS) code = bex_fail("'%s' does not hold numbers", key);
    if (code == 0)
        code = slab_read(&s, key, first, count, H5T_NATIVE_DOUBLE, out, (int)s.shape.columns);
    for (size_t i = 0; code == 0 && i < (size_t)count * s.shape.columns; i++)
        if (!isfinite(out[i]))
            code = bex_fail("'%s' is not finite in row %lld", key,
                            first + (long long)(i / s.shape.columns));
    slab_close(&s);
    return code;
}

int bex_h5_read_integers(bex_h5 *f, const char *key, int first, int count, int *out) {
    slab s;
    if (slab_open(&s, f, key, first, count) < 0) return -1;
    int code = 0;
    if (s.shape.content == BEX_H5_TEXT || s.shape.content == BEX_H5_UNREADABLE)
        code = bex_fail("'%s' does not hold numbers", key);
    else if (s.shape.columns != 1)
        code = bex_fail("'%s' has %llu columns, expected one", key, s.shape.columns);
    if (code == 0) code = slab_read(&s, key, first, count, H5T_NATIVE_INT, out, 1);
    slab_close(&s);
    return code;
}

// PyTables stores booleans as bit fields, which convert to nothing but bit fields
static hid_t flag_type(hid_t dataset) {
    hid_t type = H5Dget_type(dataset);
    int bits = type >= 0 && H5Tget_class(type) == H5T_BITFIELD;
    if (type >= 0) H5Tclose(type);
    return bits ? H5T_NATIVE_B8 : H5T_NATIVE_UCHAR;
}

int bex_h5_read_flags(bex_h5 *f, const char *key, int first, int count, unsigned char *out) {
    slab s;
    if (slab_open(&s, f, key, first, count) < 0) return -1;
    int code = 0;
    if (s.shape.content == BEX_H5_TEXT || s.shape.content == BEX_H5_UNREADABLE)
        code = bex_fail("'%s' does not hold flags", key);
    else if (s.shape.columns != 1)
        code = bex_fail("'%s' has %llu columns, expected one flag a row", key, s.shape.columns);
    int taken =
        code < 0 ? code : bex_chunks_read(s.dataset, s.shape.rank, 1, first, count, NULL, 0, out);
    if (code == 0 && taken < 0) code = bex_fail_in("'%s'", key);
    if (code == 0 && !taken) code = slab_read(&s, key, first, count, flag_type(s.dataset), out, 1);
    for (int i = 0; i < count && code == 0; i++) out[i] = out[i] != 0;
    slab_close(&s);
    return code;
}

// ---- pictures

enum { PIXELS = 4096 }; // of a picture's side
static const unsigned long long BAND_BYTES = 256ull << 20;

static int check_pictures(const char *key, hid_t dataset, const bex_h5_shape *s) {
    hid_t type = H5Dget_type(dataset);
    int bytes = type >= 0 && H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) == 1 &&
                H5Tget_sign(type) == H5T_SGN_NONE;
    if (type >= 0) H5Tclose(type);
    if (s->rank != 4 || s->dims[3] != 3)
        return bex_fail(
            "'%s' has rank %d and %llu values last, pictures are (rows, height, width, 3)", key,
            s->rank, s->rank ? s->dims[s->rank - 1] : 0);
    if (!bytes) return bex_fail("'%s' does not hold unsigned bytes, pictures do", key);
    if (!s->dims[1] || !s->dims[2] || s->dims[1] > PIXELS || s->dims[2] > PIXELS)
        return bex_fail("'%s' has pictures of %llu x %llu pixels, 1 to %d are read", key,
                        s->dims[1], s->dims[2], PIXELS);
    return s->rows > INT_MAX ? bex_fail("'%s' has an absurd size: %llu rows", key, s->rows) : 0;
}

// how they are stored
static int find_band(const char *key, hid_t dataset, bex_h5_pictures *p) {
    hid_t plist = H5Dget_create_plist(dataset);
    hsize_t chunk[BEX_H5_MAX_RANK] = {1};
    int code = 0;
    p->band = 1, p->at = -1;
    if (plist < 0) return bex_h5_damaged(key);
    H5D_layout_t layout = H5Pget_layout(plist);
    if (layout == H5D_CONTIGUOUS) {
        haddr_t at = H5Dget_offset(dataset);
        if (at != HADDR_UNDEF) p->at = (long long)at;
    } else if (layout == H5D_CHUNKED && (H5Pget_chunk(plist, 4, chunk) != 4 || !chunk[0])) {
        code = bex_h5_damaged(key);
    }
    H5Pclose(plist);
    unsigned long long row = 3ull * (unsigned)p->height * (unsigned)p->width;
    if (chunk[0] > (hsize_t)p->rows) chunk[0] = (hsize_t)(p->rows ? p->rows : 1);
    if (code == 0 && chunk[0] * row > BAND_BYTES)
        code = bex_fail("'%s' is stored in chunks of %llu pictures: too large to read one by one",
                        key, (unsigned long long)chunk[0]);
    if (code == 0) p->band = (int)chunk[0];
    return code;
}

int bex_h5_measure_pictures(bex_h5 *f, const char *key, bex_h5_pictures *p) {
    bex_h5_shape s;
    hid_t dataset = open_dataset(f, key);
    if (dataset < 0) return -1;
    int code = fill_shape(key, dataset, &s);
    if (code == 0) code = check_pictures(key, dataset, &s);
    if (code == 0) {
        *p = (bex_h5_pictures){(int)s.rows, (int)s.dims[1], (int)s.dims[2], 1, -1};
        code = find_band(key, dataset, p);
    }
    H5Dclose(dataset);
    return code;
}

int bex_h5_read_pictures(bex_h5 *f, const char *key, int first, int count, unsigned char *out) {
    slab s;
    if (slab_open(&s, f, key, first, count) < 0) return -1;
    int code = check_pictures(key, s.dataset, &s.shape);
    int taken =
        code < 0 ? code
                 : bex_chunks_read_bytes(s.dataset, s.shape.rank, s.shape.dims, first, count, out);
    if (code == 0 && taken < 0) code = bex_fail_in("'%s'", key);
    if (code == 0 && !taken)
        code = slab_read(&s, key, first, count, H5T_NATIVE_UCHAR, out, (int)s.shape.columns);
    slab_close(&s);
    return code;
}

// ---- strings

// `count` strings of `type` at `raw`: pointers if variable, else padded fields
static int take_texts(bex_names *texts, const char *raw, size_t count, hid_t type) {
    if (H5Tis_variable_str(type) > 0) {
        for (size_t i = 0; i < count; i++) {
            const char *t = ((char *const *)(const void *)raw)[i];
            if (bex_names_push(texts, t ? t : "") < 0) return -1;
        }
        return 0;
    }
    size_t size = H5Tget_size(type);
    char *field = malloc(size + 1);
    if (!field) return bex_fail("out of memory");
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++) {
        memcpy(field, raw + i * size, size);
        size_t end = size;
        if (H5Tget_strpad(type) == H5T_STR_SPACEPAD)
            while (end && field[end - 1] == ' ') end--;
        field[end] = 0;
        code = bex_names_push(texts, field) < 0 ? -1 : 0;
    }
    free(field);
    return code;
}

// all strings of a data set or attribute; `read` is H5Dread or H5Aread behind one shape
static int read_texts(const char *key, hid_t object, int attribute, bex_names *texts) {
    int code = -1, loaded = 0;
    char *raw = NULL;
    hid_t space = attribute ? H5Aget_space(object) : H5Dget_space(object);
    hid_t type = attribute ? H5Aget_type(object) : H5Dget_type(object);
    hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    if (count < 0 || type < 0) {
        bex_h5_damaged(key);
        goto done;
    }
    size_t size = H5Tget_size(type);
    if (H5Tget_class(type) != H5T_STRING || !size) {
        bex_fail("'%s' does not hold text", key);
        goto done;
    }
    if ((uint64_t)count > LONGEST_TEXT / size) {
        bex_fail("'%s' has an absurd size: %lld strings of %zu bytes", key, (long long)count, size);
        goto done;
    }
    raw = calloc((size_t)count + 1, size);
    if (!raw) {
        bex_fail("out of memory: %lld strings", (long long)count);
        goto done;
    }
    herr_t read = attribute ? H5Aread(object, type, raw)
                            : H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw);
    loaded = read >= 0;
    code = read < 0 ? bex_h5_damaged(key) : take_texts(texts, raw, (size_t)count, type);
done:
    if (loaded && H5Tis_variable_str(type) > 0) H5Dvlen_reclaim(type, space, H5P_DEFAULT, raw);
    free(raw);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    return code;
}

int bex_h5_read_texts(bex_h5 *f, const char *key, bex_names *texts) {
    hid_t dataset = open_dataset(f, key);
    if (dataset < 0) return -1;
    bex_h5_shape shape;
    int code = fill_shape(key, dataset, &shape);
    if (code == 0) code = read_texts(key, dataset, 0, texts);
    H5Dclose(dataset);
    return code;
}

int bex_h5_attribute(bex_h5 *f, const char *object, const char *name, char **text) {
    *text = NULL;
    if (H5Aexists_by_name(f->file, object, name, H5P_DEFAULT) <= 0) return 0;
    hid_t attribute = H5Aopen_by_name(f->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) return bex_h5_damaged(name);
    bex_names texts = {0};
    int code = read_texts(name, attribute, 1, &texts);
    H5Aclose(attribute);
    if (code == 0 && texts.count != 1) code = bex_fail("'%s' is not one string", name);
    if (code == 0) {
        *text = texts.text[0];
        texts.text[0] = NULL; // the caller's now
    }
    bex_names_fini(&texts);
    return code < 0 ? bex_fail_in("'%s'", object) : 1;
}

#endif
