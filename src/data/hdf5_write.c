/* data/hdf5_write.c - writing through libhdf5, behind our errors. */
#include "data/hdf5_write.h"

#include "base/error.h"
#include "base/real.h"

#ifdef BEX_HAVE_HDF5

#include "data/hdf5.h"

#include <hdf5.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef BEX_F64
#define NATIVE_REAL H5T_NATIVE_DOUBLE
#else
#define NATIVE_REAL H5T_NATIVE_FLOAT
#endif

enum { MOST_COLUMNS = 64 };

typedef struct column {
    hid_t dataset;
    bex_column_type type;
    int width;
    hsize_t rows;
} column;

struct bex_h5_out {
    hid_t file;
    column columns[MOST_COLUMNS];
    int count;
};

static int unwritten(const char *key) {
    char text[160];
    return bex_fail("'%s' cannot be written: %s", key, bex_h5_reason(text));
}

int bex_h5_out_create(bex_h5_out **file, const char *path) {
    *file = NULL;
    bex_h5_out *f = calloc(1, sizeof *f);
    if (!f) return bex_fail("out of memory");
    bex_h5_begin();
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    f->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (f->file < 0) unwritten(path);
    H5Pclose(access);
    if (f->file < 0) return free(f), -1;
    *file = f;
    return 0;
}

// h5py's numpy.bool_: an 8-bit enumeration FALSE 0, TRUE 1
static hid_t boolean_type(void) {
    hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
    int8_t no = 0, yes = 1;
    H5Tenum_insert(type, "FALSE", &no);
    H5Tenum_insert(type, "TRUE", &yes);
    return type;
}

static hid_t stored_type(bex_column_type column_type) {
    return column_type == BEX_COLUMN_FLAG      ? boolean_type()
           : column_type == BEX_COLUMN_FLOAT64 ? H5Tcopy(H5T_IEEE_F64LE)
           : column_type == BEX_COLUMN_INT32   ? H5Tcopy(H5T_STD_I32LE)
           : column_type == BEX_COLUMN_BYTE    ? H5Tcopy(H5T_STD_U8LE)
                                               : H5Tcopy(H5T_IEEE_F32LE);
}

static hid_t memory_type(bex_column_type column_type) {
    return column_type == BEX_COLUMN_FLAG    ? boolean_type()
           : column_type == BEX_COLUMN_INT32 ? H5Tcopy(H5T_NATIVE_INT)
           : column_type == BEX_COLUMN_BYTE  ? H5Tcopy(H5T_NATIVE_UCHAR)
                                             : H5Tcopy(NATIVE_REAL);
}

static hid_t link_plist(void) {
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    return links;
}

int bex_h5_out_column(bex_h5_out *f, const char *key, bex_column_type column_type, int width,
                      int chunk) {
    BEX_CHECK(f->count < MOST_COLUMNS, "more than %d arrays in one file", MOST_COLUMNS);
    int rank = width ? 2 : 1;
    hsize_t none[2] = {0, (hsize_t)width}, most[2] = {H5S_UNLIMITED, (hsize_t)width};
    hsize_t piece[2] = {(hsize_t)chunk, (hsize_t)width};
    hid_t space = H5Screate_simple(rank, none, most), type = stored_type(column_type);
    hid_t links = link_plist(), plist = H5Pcreate(H5P_DATASET_CREATE);
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk(plist, rank, piece);
    H5Pset_deflate(plist, 4);
    H5Pset_obj_track_times(plist, 0);
    H5Pset_chunk_cache(access, 0, 0, 1.0); // chunks come whole
    hid_t dataset = H5Dcreate2(f->file, key, type, space, links, plist, access);
    if (dataset < 0) unwritten(key);
    H5Pclose(access), H5Pclose(plist), H5Pclose(links), H5Tclose(type), H5Sclose(space);
    if (dataset < 0) return -1;
    f->columns[f->count] = (column){dataset, column_type, width, 0};
    return f->count++;
}

int bex_h5_out_append(bex_h5_out *f, int number, int rows, const void *block) {
    column *c = &f->columns[number];
    hsize_t start[2] = {c->rows, 0}, count[2] = {(hsize_t)rows, (hsize_t)c->width};
    hsize_t all[2] = {c->rows + (hsize_t)rows, (hsize_t)c->width};
    if (!rows) return 0;
    if (H5Dset_extent(c->dataset, all) < 0) return unwritten("rows");
    hid_t space = H5Dget_space(c->dataset), type = memory_type(c->type);
    hid_t memory = H5Screate_simple(c->width ? 2 : 1, count, NULL);
    herr_t code = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    if (code >= 0) code = H5Dwrite(c->dataset, type, memory, space, H5P_DEFAULT, block);
    if (code < 0) unwritten("rows");
    H5Sclose(memory), H5Tclose(type), H5Sclose(space);
    if (code < 0) return -1;
    c->rows += (hsize_t)rows;
    return 0;
}

int bex_h5_out_array(bex_h5_out *f, const char *key, bex_column_type column_type, int rank,
                     const int *dims, const void *values) {
    hsize_t size[BEX_H5_MAX_RANK];
    for (int i = 0; i < rank; i++) size[i] = (hsize_t)dims[i];
    hid_t space = H5Screate_simple(rank, size, NULL), stored = stored_type(column_type);
    hid_t memory = memory_type(column_type), links = link_plist();
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(plist, 0);
    hid_t dataset = H5Dcreate2(f->file, key, stored, space, links, plist, H5P_DEFAULT);
    herr_t code =
        dataset < 0 ? -1 : H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    if (code < 0) unwritten(key);
    if (dataset >= 0 && H5Dclose(dataset) < 0 && code >= 0) code = unwritten(key);
    H5Pclose(plist), H5Pclose(links), H5Tclose(memory), H5Tclose(stored), H5Sclose(space);
    return code < 0 ? -1 : 0;
}

static int write_attribute(bex_h5_out *f, const char *object, const char *name, hid_t type,
                           const void *value) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t a = H5Acreate_by_name(f->file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT,
                                H5P_DEFAULT);
    herr_t code = a < 0 ? -1 : H5Awrite(a, type, value);
    if (code < 0) unwritten(name);
    if (a >= 0) H5Aclose(a);
    H5Sclose(space);
    return code < 0 ? -1 : 0;
}

int bex_h5_out_text(bex_h5_out *f, const char *object, const char *name, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    int code = write_attribute(f, object, name, type, &text);
    H5Tclose(type);
    return code;
}

int bex_h5_out_integer(bex_h5_out *f, const char *object, const char *name, long long value) {
    return write_attribute(f, object, name, H5T_NATIVE_LLONG, &value);
}

int bex_h5_out_texts(bex_h5_out *f, const char *key, char *const *texts, int count) {
    size_t n = count < 0 ? 1 : (size_t)count, longest = 1;
    for (size_t i = 0; i < n; i++)
        if (strlen(texts[i]) > longest) longest = strlen(texts[i]);
    char *raw = calloc(n + 1, longest);
    if (!raw) return bex_fail("out of memory");
    for (size_t i = 0; i < n; i++) memcpy(raw + i * longest, texts[i], strlen(texts[i]));
    hsize_t dims[1] = {n};
    hid_t type = H5Tcopy(H5T_C_S1), links = link_plist(), plist = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = count < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, dims, NULL);
    H5Tset_size(type, longest);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Pset_obj_track_times(plist, 0);
    hid_t dataset = H5Dcreate2(f->file, key, type, space, links, plist, H5P_DEFAULT);
    herr_t code = dataset < 0 ? -1 : H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw);
    if (code < 0) unwritten(key);
    if (dataset >= 0) H5Dclose(dataset);
    H5Sclose(space), H5Pclose(plist), H5Pclose(links), H5Tclose(type);
    free(raw);
    return code < 0 ? -1 : 0;
}

int bex_h5_out_finish(bex_h5_out *f) {
    char text[160];
    if (!f) return 0;
    int code = 0;
    for (int i = 0; i < f->count; i++)
        if (H5Dclose(f->columns[i].dataset) < 0 && code == 0)
            code = bex_fail("cannot be written: %s", bex_h5_reason(text));
    if (H5Fflush(f->file, H5F_SCOPE_GLOBAL) < 0 && code == 0)
        code = bex_fail("cannot be written: %s", bex_h5_reason(text));
    if (H5Fclose(f->file) < 0 && code == 0)
        code = bex_fail("cannot be written: %s", bex_h5_reason(text));
    free(f);
    return code;
}

#endif
